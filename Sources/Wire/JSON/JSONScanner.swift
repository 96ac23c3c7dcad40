/// A text is not of the form that is asked for.
package struct Malformed: Error, Equatable {
  /// One sentence for people.
  package var reason = "The text is not JSON."
}

/// Walks over JSON text without building anything: finds where values begin and end.
///
/// It knows the grammar only. What a number is worth, whether bytes are UTF-8 and surrogates come
/// in pairs is for the decoder to say: a value at fault there still has a beginning and an end.
struct JSONScanner {
  /// The next byte to look at.
  private(set) var index = 0
  /// The closing brackets of what is open: depth is bounded by memory only, never by the stack.
  private var open: [UInt8] = []

  /// The byte at hand; nil at the end.
  func peek(_ bytes: Span<UInt8>) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  /// Passes over white space and says what follows; nil at the end.
  mutating func next(_ bytes: Span<UInt8>) -> UInt8? {
    skipSpace(bytes)
    return peek(bytes)
  }

  /// Passes over white space, then over `byte` if it is there.
  mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
    guard next(bytes) == byte else { return false }
    index += 1
    return true
  }

  /// Passes over white space, then over `byte`, which must be there.
  mutating func expect(_ byte: UInt8, _ bytes: Span<UInt8>) throws(Malformed) {
    guard take(byte, bytes) else { throw Malformed() }
  }

  /// Passes over white space; nothing else may be left.
  mutating func expectEnd(_ bytes: Span<UInt8>) throws(Malformed) {
    guard next(bytes) == nil else { throw Malformed() }
  }

  /// Calls `body` at each member's value of the object at hand, which `body` must pass over.
  ///
  /// - Parameter body: gets the name between its quotation marks, escapes as they stand.
  mutating func forEachMember(
    _ bytes: Span<UInt8>, _ body: (inout JSONScanner, Range<Int>) throws(Malformed) -> Void
  ) throws(Malformed) {
    try expect(UInt8(ascii: "{"), bytes)
    if take(UInt8(ascii: "}"), bytes) { return }
    repeat {
      let name = try string(bytes)
      try expect(UInt8(ascii: ":"), bytes)
      try body(&self, name)
    } while take(UInt8(ascii: ","), bytes)
    try expect(UInt8(ascii: "}"), bytes)
  }

  /// Passes over one value and says where it lies, without the white space around it.
  mutating func value(_ bytes: Span<UInt8>) throws(Malformed) -> Range<Int> {
    skipSpace(bytes)
    let start = index
    open.removeAll(keepingCapacity: true)
    while true {
      if try !openOrScalar(bytes) { continue }
      if try closeOrComma(bytes) { return start..<index }
    }
  }

  /// Passes over a string and says what lies between its quotation marks.
  mutating func string(_ bytes: Span<UInt8>) throws(Malformed) -> Range<Int> {
    try expect(UInt8(ascii: "\""), bytes)
    let start = index
    while let byte = peek(bytes) {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return start..<(index - 1)
      case UInt8(ascii: "\\"): try skipEscape(bytes)
      case 0..<0x20: throw Malformed()
      default: break
      }
    }
    throw Malformed()
  }

  /// Passes over the start of a value. False: inside it another value follows.
  private mutating func openOrScalar(_ bytes: Span<UInt8>) throws(Malformed) -> Bool {
    switch next(bytes) {
    case UInt8(ascii: "{"):
      index += 1
      if take(UInt8(ascii: "}"), bytes) { return true }
      open.append(UInt8(ascii: "}"))
      try skipName(bytes)
      return false
    case UInt8(ascii: "["):
      index += 1
      if take(UInt8(ascii: "]"), bytes) { return true }
      open.append(UInt8(ascii: "]"))
      return false
    case UInt8(ascii: "\""): _ = try string(bytes)
    case UInt8(ascii: "t"): try skipWord("true", bytes)
    case UInt8(ascii: "f"): try skipWord("false", bytes)
    case UInt8(ascii: "n"): try skipWord("null", bytes)
    default: try skipNumber(bytes)
    }
    return true
  }

  /// Passes over what follows a value. True: nothing is open any more; false: a value follows.
  private mutating func closeOrComma(_ bytes: Span<UInt8>) throws(Malformed) -> Bool {
    while let closer = open.last {
      if take(UInt8(ascii: ","), bytes) {
        if closer == UInt8(ascii: "}") { try skipName(bytes) }
        return false
      }
      try expect(closer, bytes)
      open.removeLast()
    }
    return true
  }

  private mutating func skipName(_ bytes: Span<UInt8>) throws(Malformed) {
    _ = try string(bytes)
    try expect(UInt8(ascii: ":"), bytes)
  }

  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    while let byte = peek(bytes), JSONScanner.isSpace(byte) { index += 1 }
  }

  private mutating func skipWord(_ word: StaticString, _ bytes: Span<UInt8>) throws(Malformed) {
    for expected in word.description.utf8 {
      guard peek(bytes) == expected else { throw Malformed() }
      index += 1
    }
  }

  private mutating func skipEscape(_ bytes: Span<UInt8>) throws(Malformed) {
    guard let byte = peek(bytes) else { throw Malformed() }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      break
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard let digit = peek(bytes), JSONScanner.hexDigit(digit) != nil else { throw Malformed() }
        index += 1
      }
    default: throw Malformed()
    }
  }

  private mutating func skipNumber(_ bytes: Span<UInt8>) throws(Malformed) {
    if peek(bytes) == UInt8(ascii: "-") { index += 1 }
    if peek(bytes) == UInt8(ascii: "0") { index += 1 } else { try skipDigits(bytes) }
    if peek(bytes) == UInt8(ascii: ".") {
      index += 1
      try skipDigits(bytes)
    }
    if let byte = peek(bytes), byte | 0x20 == UInt8(ascii: "e") {
      index += 1
      if let sign = peek(bytes), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        index += 1
      }
      try skipDigits(bytes)
    }
  }

  private mutating func skipDigits(_ bytes: Span<UInt8>) throws(Malformed) {
    let start = index
    while let byte = peek(bytes), UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { index += 1 }
    guard index > start else { throw Malformed() }
  }

  /// Whether JSON may have this byte between its tokens.
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) - 0x57
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) - 0x37
    default: nil
    }
  }
}

extension JSONScanner {
  /// Appends what a string stands for, its escapes resolved.
  ///
  /// A lone surrogate becomes the three bytes that it would have, which are not UTF-8: what comes
  /// of it is refused where UTF-8 is asked for, as it must be.
  /// - Parameter range: what lies between the quotation marks of a string that was passed over.
  static func appendUnescaped(
    _ range: Range<Int>, of bytes: Span<UInt8>, to result: inout [UInt8]
  ) {
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      index += 1
      guard byte == UInt8(ascii: "\\"), index < range.upperBound else {
        result.append(byte)
        continue
      }
      let escape = bytes[index]
      index += 1
      switch escape {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"): appendEscapedScalar(bytes, &index, range.upperBound, &result)
      default: result.append(escape)
      }
    }
  }

  private static func appendEscapedScalar(
    _ bytes: Span<UInt8>, _ index: inout Int, _ end: Int, _ result: inout [UInt8]
  ) {
    var scalar = codeUnit(bytes, at: index, end) ?? 0xFFFD
    index = min(index + 4, end)
    if 0xD800..<0xDC00 ~= scalar, index + 6 <= end, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u"), let low = codeUnit(bytes, at: index + 2, end),
      0xDC00..<0xE000 ~= low
    {
      scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00)
      index += 6
    }
    let tail = { (shift: UInt32) in UInt8(0x80 | ((scalar >> shift) & 0x3F)) }
    switch scalar {
    case 0..<0x80: result.append(UInt8(scalar))
    case 0x80..<0x800: result += [UInt8(0xC0 | (scalar >> 6)), tail(0)]
    case 0x800..<0x10000: result += [UInt8(0xE0 | (scalar >> 12)), tail(6), tail(0)]
    default: result += [UInt8(0xF0 | (scalar >> 18)), tail(12), tail(6), tail(0)]
    }
  }

  private static func codeUnit(_ bytes: Span<UInt8>, at index: Int, _ end: Int) -> UInt32? {
    guard index + 4 <= end else { return nil }
    var unit: UInt32 = 0
    for position in index..<(index + 4) {
      guard let digit = hexDigit(bytes[position]) else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }
}
