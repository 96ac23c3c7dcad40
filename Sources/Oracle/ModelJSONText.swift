/// A JSON text that was found good, with the place of every value in it. It refuses what the
/// contract calls `ERR_BAD_JSON`.
struct JSONText: Sendable {
  /// The text is not JSON, or a number, a string or the nesting is beyond what is allowed.
  struct Fault: Error {}

  /// One value, or the name of a member; what is in it comes after it.
  struct Token: Sendable {
    enum Kind: UInt8, Sendable { case null, bool, int, real, string, array, object }

    var kind: Kind
    /// Where it stands in the text; a string with its quotes.
    var range: Range<Int32>
    /// The place of the token after it and all that is in it.
    var next: Int32
  }

  let bytes: [UInt8]
  private(set) var tokens: [Token] = []

  init(_ bytes: [UInt8]) throws(Fault) {
    self.bytes = bytes
    do { _ = try UTF8Span(validating: bytes.span) } catch { throw Fault() }
    guard bytes.count < Int(Int32.max) else { throw Fault() }
    tokens.reserveCapacity(32)
    var position = 0
    try value(at: &position, depth: 0)
    skipSpace(&position)
    guard position == bytes.count else { throw Fault() }
  }

  /// The outermost value.
  var root: JSONNode { JSONNode(text: self, index: 0) }

  private func byte(_ position: Int) -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private func skipSpace(_ position: inout Int) {
    while let byte = byte(position),
      byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    {
      position += 1
    }
  }

  private func take(_ expected: UInt8, _ position: inout Int) throws(Fault) {
    guard byte(position) == expected else { throw Fault() }
    position += 1
  }

  // Reading.

  private mutating func value(at position: inout Int, depth: Int) throws(Fault) {
    skipSpace(&position)
    let start = position
    let token = tokens.count
    tokens.append(Token(kind: .null, range: 0..<0, next: 0))
    switch byte(position) {
    case UInt8(ascii: "{"):
      tokens[token].kind = .object
      try members(at: &position, depth: depth + 1)
    case UInt8(ascii: "["):
      tokens[token].kind = .array
      try elements(at: &position, depth: depth + 1)
    case UInt8(ascii: "\""):
      tokens[token].kind = .string
      try string(at: &position)
    case UInt8(ascii: "t"): tokens[token].kind = try word("true", .bool, &position)
    case UInt8(ascii: "f"): tokens[token].kind = try word("false", .bool, &position)
    case UInt8(ascii: "n"): tokens[token].kind = try word("null", .null, &position)
    default: tokens[token].kind = try number(at: &position)
    }
    tokens[token].range = Int32(start)..<Int32(position)
    tokens[token].next = Int32(tokens.count)
  }

  private func word(
    _ word: String, _ kind: Token.Kind, _ position: inout Int
  ) throws(Fault) -> Token.Kind {
    for byte in word.utf8 { try take(byte, &position) }
    return kind
  }

  private mutating func members(at position: inout Int, depth: Int) throws(Fault) {
    try items(at: &position, UInt8(ascii: "}"), depth) { text, position throws(Fault) in
      text.skipSpace(&position)
      let start = position
      try text.string(at: &position)
      let next = Int32(text.tokens.count + 1)
      text.tokens.append(
        Token(kind: .string, range: Int32(start)..<Int32(position), next: next))
      text.skipSpace(&position)
      try text.take(UInt8(ascii: ":"), &position)
      try text.value(at: &position, depth: depth)
    }
  }

  private mutating func elements(at position: inout Int, depth: Int) throws(Fault) {
    try items(at: &position, UInt8(ascii: "]"), depth) { text, position throws(Fault) in
      try text.value(at: &position, depth: depth)
    }
  }

  /// What stands between an opening and a closing bracket.
  private mutating func items(
    at position: inout Int, _ end: UInt8, _ depth: Int,
    _ item: (inout JSONText, inout Int) throws(Fault) -> Void
  ) throws(Fault) {
    guard depth <= 1024 else { throw Fault() }
    position += 1
    skipSpace(&position)
    if byte(position) == end {
      position += 1
      return
    }
    while true {
      try item(&self, &position)
      skipSpace(&position)
      guard byte(position) == UInt8(ascii: ",") else { break }
      position += 1
    }
    try take(end, &position)
  }

  private func number(at position: inout Int) throws(Fault) -> Token.Kind {
    let start = position
    if byte(position) == UInt8(ascii: "-") { position += 1 }
    let isZero = byte(position) == UInt8(ascii: "0")
    let digits = try digits(at: &position)
    guard digits == 1 || !isZero else { throw Fault() }
    var isWhole = true
    if byte(position) == UInt8(ascii: ".") {
      position += 1
      isWhole = false
      _ = try self.digits(at: &position)
    }
    if byte(position) == UInt8(ascii: "e") || byte(position) == UInt8(ascii: "E") {
      position += 1
      isWhole = false
      if byte(position) == UInt8(ascii: "-") || byte(position) == UInt8(ascii: "+") {
        position += 1
      }
      _ = try self.digits(at: &position)
    }
    // Eighteen digits fit into Int64 for certain.
    if isWhole, digits <= 18 { return .int }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, Int64(text) != nil { return .int }
    guard let value = Double(text), value.isFinite else { throw Fault() }
    return .real
  }

  private func digits(at position: inout Int) throws(Fault) -> Int {
    let start = position
    while let byte = byte(position), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      position += 1
    }
    guard position > start else { throw Fault() }
    return position - start
  }

  private func string(at position: inout Int) throws(Fault) {
    try take(UInt8(ascii: "\""), &position)
    while let byte = byte(position) {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\\"): _ = try escape(at: &position)
      case 0..<0x20: throw Fault()
      default: break
      }
    }
    throw Fault()
  }

  /// The character that an escape stands for, from behind its backslash.
  func escape(at position: inout Int) throws(Fault) -> Unicode.Scalar {
    guard let byte = byte(position) else { throw Fault() }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try codePoint(at: &position)
    default: throw Fault()
    }
  }

  private func codePoint(at position: inout Int) throws(Fault) -> Unicode.Scalar {
    var value = try hexDigits(at: &position)
    if (0xD800..<0xDC00).contains(value) {
      try take(UInt8(ascii: "\\"), &position)
      try take(UInt8(ascii: "u"), &position)
      let low = try hexDigits(at: &position)
      guard (0xDC00..<0xE000).contains(low) else { throw Fault() }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(value) else { throw Fault() }
    return scalar
  }

  private func hexDigits(at position: inout Int) throws(Fault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = byte(position), let digit = Character(Unicode.Scalar(byte)).hexDigitValue
      else { throw Fault() }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
