/// Reads JSON the slow way, and refuses what the contract calls `ERR_BAD_JSON`.
struct JSONParser {
  /// The text is not JSON, or a number, a string or the nesting is beyond what is allowed.
  struct Fault: Error {}

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func parse(_ text: Bytes) throws -> JSON {
    guard String(validating: text.bytes, as: UTF8.self) != nil else { throw Fault() }
    var parser = JSONParser(text.bytes)
    let value = try parser.value()
    parser.skipSpace()
    guard parser.position == parser.bytes.count else { throw Fault() }
    return value
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func take(_ character: Character) throws {
    guard next == character.asciiValue else { throw Fault() }
    position += 1
  }

  private mutating func value() throws -> JSON {
    skipSpace()
    switch next.map({ Character(Unicode.Scalar($0)) }) {
    case "{": return try nested { try $0.object() }
    case "[": return try nested { try $0.array() }
    case "\"": return .string(try string())
    case "t": return try word("true", .bool(true))
    case "f": return try word("false", .bool(false))
    case "n": return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func nested(_ read: (inout JSONParser) throws -> JSON) throws -> JSON {
    depth += 1
    guard depth <= 1024 else { throw Fault() }
    let value = try read(&self)
    depth -= 1
    return value
  }

  private mutating func word(_ word: String, _ value: JSON) throws -> JSON {
    for character in word { try take(character) }
    return value
  }

  private mutating func object() throws -> JSON {
    var members: [JSON.Member] = []
    try take("{")
    skipSpace()
    if next == UInt8(ascii: "}") { position += 1; return .object([]) }
    while true {
      skipSpace()
      let name = try string()
      skipSpace()
      try take(":")
      skipSpace()
      let start = position
      let value = try value()
      // Of a name that comes twice the last counts.
      members.removeAll { $0.name == name }
      members.append(JSON.Member(name: name, value: value, range: start..<position))
      skipSpace()
      if next == UInt8(ascii: ",") { position += 1; continue }
      try take("}")
      return .object(members)
    }
  }

  private mutating func array() throws -> JSON {
    var values: [JSON] = []
    try take("[")
    skipSpace()
    if next == UInt8(ascii: "]") { position += 1; return .array([]) }
    while true {
      values.append(try value())
      skipSpace()
      if next == UInt8(ascii: ",") { position += 1; continue }
      try take("]")
      return .array(values)
    }
  }

  private mutating func number() throws -> JSON {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    let whole = digits()
    guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else {
      throw Fault()
    }
    var isWhole = true
    if next == UInt8(ascii: ".") {
      position += 1
      isWhole = false
      guard !digits().isEmpty else { throw Fault() }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      isWhole = false
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
      guard !digits().isEmpty else { throw Fault() }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let value = Int64(text) { return .int(value) }
    guard let value = Double(text), value.isFinite else { throw Fault() }
    return .real(value)
  }

  private mutating func digits() -> [UInt8] {
    let start = position
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    return Array(bytes[start..<position])
  }

  private mutating func string() throws -> Bytes {
    try take("\"")
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return Bytes(text)
      case UInt8(ascii: "\\"): text += try escape()
      case 0..<0x20: throw Fault()
      default: text.append(byte)
      }
    }
    throw Fault()
  }

  private mutating func escape() throws -> [UInt8] {
    guard let byte = next else { throw Fault() }
    position += 1
    switch Character(Unicode.Scalar(byte)) {
    case "\"", "\\", "/": return [byte]
    case "b": return [0x08]
    case "f": return [0x0C]
    case "n": return [0x0A]
    case "r": return [0x0D]
    case "t": return [0x09]
    case "u": return try codePoint()
    default: throw Fault()
    }
  }

  private mutating func codePoint() throws -> [UInt8] {
    var value = try hexDigits()
    if (0xD800..<0xDC00).contains(value) {
      try take("\\")
      try take("u")
      let low = try hexDigits()
      guard (0xDC00..<0xE000).contains(low) else { throw Fault() }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else { throw Fault() }
    return Array(String(Character(scalar)).utf8)
  }

  private mutating func hexDigits() throws -> UInt32 {
    guard position + 4 <= bytes.count else { throw Fault() }
    let text = String(decoding: bytes[position..<(position + 4)], as: UTF8.self)
    guard text.allSatisfy(\.isHexDigit), let value = UInt32(text, radix: 16) else { throw Fault() }
    position += 4
    return value
  }
}
