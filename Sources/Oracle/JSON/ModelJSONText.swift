/// A JSON text that was found good, with the place of every value in it. It refuses what the
/// contract calls `ERR_BAD_JSON`.
final class JSONText: Sendable {
  /// The text is not JSON, or a number, a string or the nesting is beyond what is allowed.
  struct Fault: Error {}

  /// One value, or the name of a member; what is in it comes after it.
  struct Token: Sendable {
    enum Kind: UInt8, Sendable { case null, bool, int, real, string, escapedString, array, object }

    var kind: Kind
    /// Where it stands in the text; a string with its quotes.
    var range: Range<Int32>
    /// The place of the token after it and all that is in it.
    var next: Int32

    /// What is between a string's quotes.
    fileprivate var content: Range<Int> { Int(range.lowerBound) + 1..<Int(range.upperBound) - 1 }
  }

  let bytes: [UInt8]
  let tokens: [Token]

  init(_ bytes: [UInt8]) throws(Fault) {
    var reader = JSONReader(bytes)
    try reader.readAll()
    self.bytes = bytes
    tokens = reader.tokens
  }

  /// The outermost value.
  var root: JSONNode { JSONNode(text: self, index: 0) }

  /// The place of a member's value in an object; of a name that comes twice the last counts.
  func member(_ name: String, of object: Int) -> Int? {
    guard tokens[object].kind == .object else { return nil }
    let end = Int(tokens[object].next)
    let length = name.utf8.count
    var found: Int?
    var place = object + 1
    while place < end {
      let member = tokens[place]
      if member.kind == .escapedString || member.content.count == length, isString(place, name) {
        found = place + 1
      }
      place = Int(tokens[place + 1].next)
    }
    return found
  }

  /// Whether a value is this string.
  func isString(_ place: Int, _ other: String) -> Bool {
    let token = tokens[place]
    if token.kind == .escapedString { return unescaped(place) == Bytes(other) }
    guard token.kind == .string, token.content.count == other.utf8.count else { return false }
    var position = token.content.lowerBound
    for byte in other.utf8 {
      guard bytes[position] == byte else { return false }
      position += 1
    }
    return true
  }

  /// The text of a string.
  func unescaped(_ place: Int) -> Bytes {
    let range = tokens[place].content
    guard tokens[place].kind == .escapedString else { return Bytes(bytes[range]) }
    var unescaped: [UInt8] = []
    var reader = JSONReader(bytes, at: range.lowerBound)
    while reader.position < range.upperBound {
      guard bytes[reader.position] == UInt8(ascii: "\\") else {
        unescaped.append(bytes[reader.position])
        reader.position += 1
        continue
      }
      do throws(Fault) {
        unescaped += String(Character(try reader.escape())).utf8
      } catch {
        preconditionFailure("an escape that was good when the text was read")
      }
    }
    return Bytes(unescaped)
  }
}

/// Reads a JSON text.
struct JSONReader {
  typealias Fault = JSONText.Fault

  private let bytes: [UInt8]
  fileprivate var position: Int
  fileprivate private(set) var tokens: [JSONText.Token] = []
  private var depth = 0

  fileprivate init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  fileprivate mutating func readAll() throws(Fault) {
    do { _ = try UTF8Span(validating: bytes.span) } catch { throw Fault() }
    guard bytes.count < Int(Int32.max) else { throw Fault() }
    tokens.reserveCapacity(32)
    try value()
    skipSpace()
    guard position == bytes.count else { throw Fault() }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private mutating func take(_ expected: UInt8) throws(Fault) {
    guard next == expected else { throw Fault() }
    position += 1
  }

  private mutating func value() throws(Fault) {
    skipSpace()
    let start = position
    let token = tokens.count
    tokens.append(JSONText.Token(kind: .null, range: 0..<0, next: 0))
    let kind: JSONText.Token.Kind =
      switch next {
      case UInt8(ascii: "{"): try object()
      case UInt8(ascii: "["): try array()
      case UInt8(ascii: "\""): try string()
      case UInt8(ascii: "t"): try word("true", .bool)
      case UInt8(ascii: "f"): try word("false", .bool)
      case UInt8(ascii: "n"): try word("null", .null)
      default: try number()
      }
    tokens[token] = JSONText.Token(
      kind: kind, range: Int32(start)..<Int32(position), next: Int32(tokens.count))
  }

  private mutating func word(
    _ word: String, _ kind: JSONText.Token.Kind
  ) throws(Fault) -> JSONText.Token.Kind {
    for byte in word.utf8 { try take(byte) }
    return kind
  }

  private mutating func object() throws(Fault) -> JSONText.Token.Kind {
    try items(upTo: UInt8(ascii: "}")) { reader throws(Fault) in
      reader.skipSpace()
      let start = reader.position
      let kind = try reader.string()
      reader.tokens.append(
        JSONText.Token(
          kind: kind, range: Int32(start)..<Int32(reader.position),
          next: Int32(reader.tokens.count + 1)))
      reader.skipSpace()
      try reader.take(UInt8(ascii: ":"))
      try reader.value()
    }
    return .object
  }

  private mutating func array() throws(Fault) -> JSONText.Token.Kind {
    try items(upTo: UInt8(ascii: "]")) { reader throws(Fault) in try reader.value() }
    return .array
  }

  /// What stands between brackets.
  private mutating func items(
    upTo end: UInt8, _ item: (inout JSONReader) throws(Fault) -> Void
  ) throws(Fault) {
    depth += 1
    guard depth <= 1024 else { throw Fault() }
    position += 1
    skipSpace()
    var isMore = next != end
    while isMore {
      try item(&self)
      skipSpace()
      isMore = next == UInt8(ascii: ",")
      if isMore { position += 1 }
    }
    try take(end)
    depth -= 1
  }

  private mutating func number() throws(Fault) -> JSONText.Token.Kind {
    let start = position
    if next == UInt8(ascii: "-") { position += 1 }
    let isZero = next == UInt8(ascii: "0")
    let digits = try digits()
    guard digits == 1 || !isZero else { throw Fault() }
    var isWhole = true
    if next == UInt8(ascii: ".") {
      position += 1
      isWhole = false
      _ = try self.digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      position += 1
      isWhole = false
      if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { position += 1 }
      _ = try self.digits()
    }
    // Eighteen digits fit into Int64 for certain.
    if isWhole, digits <= 18 { return .int }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, Int64(text) != nil { return .int }
    guard let value = Double(text), value.isFinite else { throw Fault() }
    return .real
  }

  private mutating func digits() throws(Fault) -> Int {
    let start = position
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
    guard position > start else { throw Fault() }
    return position - start
  }

  private mutating func string() throws(Fault) -> JSONText.Token.Kind {
    try take(UInt8(ascii: "\""))
    var kind = JSONText.Token.Kind.string
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return kind
      case UInt8(ascii: "\\"):
        kind = .escapedString
        _ = try escape()
      case 0..<0x20: throw Fault()
      default: position += 1
      }
    }
    throw Fault()
  }

  /// The character that an escape stands for.
  fileprivate mutating func escape() throws(Fault) -> Unicode.Scalar {
    try take(UInt8(ascii: "\\"))
    guard let byte = next else { throw Fault() }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try codePoint()
    default: throw Fault()
    }
  }

  private mutating func codePoint() throws(Fault) -> Unicode.Scalar {
    var value = try hexDigits()
    if (0xD800..<0xDC00).contains(value) {
      try take(UInt8(ascii: "\\"))
      try take(UInt8(ascii: "u"))
      let low = try hexDigits()
      guard (0xDC00..<0xE000).contains(low) else { throw Fault() }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else { throw Fault() }
    return scalar
  }

  private mutating func hexDigits() throws(Fault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw Fault()
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
