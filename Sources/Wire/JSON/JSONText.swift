import Core

/// JSON, written byte by byte.
extension [UInt8] {
  /// Appends the text's UTF-8 bytes as they are.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }

  /// Appends bytes as they are.
  mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends a string in quotes.
  package mutating func append(quoted text: Span<UInt8>) {
    append(UInt8(ascii: "\""))
    append(escaped: text)
    append(UInt8(ascii: "\""))
  }

  /// Appends the inside of a string: only what JSON does not allow in one is escaped.
  mutating func append(escaped text: Span<UInt8>) {
    var start = 0
    for index in text.indices where text[index].needsEscape {
      append(text.extracting(start..<index))
      append(escape: text[index])
      start = index + 1
    }
    append(text.extracting(start..<text.count))
  }

  private mutating func append(escape byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(#"\""#)
    case UInt8(ascii: "\\"): append(#"\\"#)
    case UInt8(ascii: "\n"): append(#"\n"#)
    case UInt8(ascii: "\r"): append(#"\r"#)
    case UInt8(ascii: "\t"): append(#"\t"#)
    case 0x08: append(#"\b"#)
    case 0x0C: append(#"\f"#)
    default:
      append(byte < 0x10 ? #"\u000"# : #"\u001"#)
      let digit = byte & 0x0F
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }

  /// Appends a whole number.
  mutating func append(decimal number: some FixedWidthInteger) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(digits: UInt64(number.magnitude))
  }

  private mutating func append(digits number: UInt64) {
    // The longest number has 20 digits; they come last one first.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = digits.endIndex
    var rest = number
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    } while rest > 0
    append(digits.span.extracting(start..<digits.endIndex))
  }

  /// Appends a time in seconds: without a fraction when whole, else with at most three places.
  mutating func append(seconds instant: Instant) {
    if instant.milliseconds < 0 { append(UInt8(ascii: "-")) }
    let (seconds, fraction) = instant.milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    append(digits: seconds)
    guard fraction > 0 else { return }
    append(UInt8(ascii: "."))
    var rest = fraction
    var place: UInt64 = 100
    while rest > 0 {
      append(UInt8(ascii: "0") + UInt8(rest / place))
      rest %= place
      place /= 10
    }
  }
}

extension UInt8 {
  /// Whether the byte may not stand in a JSON string as it is.
  fileprivate var needsEscape: Bool {
    self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
  }
}
