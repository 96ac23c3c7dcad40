import Foundation

/// A slow and obvious reader of JSON, to judge the fast one by: RFC 8259 with the contract's
/// limits (valid UTF-8, no lone surrogates, numbers that a double can hold, 1024 levels).
struct JSONOracle {
  /// What some bytes are.
  enum Verdict { case bad, object, other }

  private let bytes: [UInt8]
  private var at = 0
  /// Whether each open container is an object.
  private var open: [Bool] = []

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func verdict(_ bytes: [UInt8]) -> Verdict {
    guard String(validating: bytes, as: UTF8.self) != nil else { return .bad }
    var oracle = JSONOracle(bytes)
    guard oracle.document() else { return .bad }
    return bytes.first { !isSpace($0) } == UInt8(ascii: "{") ? .object : .other
  }

  private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: scalar) else { return false }
    at += 1
    return true
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private mutating func skipSpace() {
    while let byte, Self.isSpace(byte) { at += 1 }
  }

  private mutating func document() -> Bool {
    while true {
      skipSpace()
      if take("{") {
        open.append(true)
        skipSpace()
        if byte != UInt8(ascii: "}") {
          guard open.count <= 1024, name() else { return false }
          continue
        }
      } else if take("[") {
        open.append(false)
        skipSpace()
        if byte != UInt8(ascii: "]") {
          guard open.count <= 1024 else { return false }
          continue
        }
      } else if !scalar() {
        return false
      }
      guard open.count <= 1024, let goesOn = afterValue() else { return false }
      if !goesOn { return at == bytes.count }
    }
  }

  /// Closes what ends here; whether another value has to follow, nil where neither can be.
  private mutating func afterValue() -> Bool? {
    while true {
      skipSpace()
      guard let isObject = open.last else { return false }
      if take(",") {
        skipSpace()
        return isObject ? (name() ? true : nil) : true
      }
      guard take(isObject ? "}" : "]") else { return nil }
      open.removeLast()
    }
  }

  private mutating func name() -> Bool {
    guard string() else { return false }
    skipSpace()
    return take(":")
  }

  private mutating func scalar() -> Bool {
    switch byte {
    case UInt8(ascii: "\""): string()
    case UInt8(ascii: "t"): word("true")
    case UInt8(ascii: "f"): word("false")
    case UInt8(ascii: "n"): word("null")
    default: number()
    }
  }

  private mutating func word(_ word: String) -> Bool {
    guard bytes[at...].starts(with: word.utf8) else { return false }
    at += word.utf8.count
    return true
  }

  private mutating func digits() -> Bool {
    let start = at
    while let byte, (0x30...0x39).contains(byte) { at += 1 }
    return at > start
  }

  private mutating func number() -> Bool {
    let start = at
    _ = take("-")
    if !take("0") {
      guard digits() else { return false }
    }
    if take(".") {
      guard digits() else { return false }
    }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      guard digits() else { return false }
    }
    return strtod(String(decoding: bytes[start..<at], as: UTF8.self), nil).isFinite
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while let byte {
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"):
        guard escape() else { return false }
      case 0..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    guard let byte else { return false }
    at += 1
    guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
    guard let first = unit() else { return false }
    if (0xDC00...0xDFFF).contains(first) { return false }
    guard (0xD800...0xDBFF).contains(first) else { return true }
    guard take("\\"), take("u"), let second = unit() else { return false }
    return (0xDC00...0xDFFF).contains(second)
  }

  private mutating func unit() -> UInt32? {
    guard at + 4 <= bytes.count else { return nil }
    let digits = String(decoding: bytes[at..<(at + 4)], as: UTF8.self)
    guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else {
      return nil
    }
    at += 4
    return UInt32(digits, radix: 16)
  }
}
