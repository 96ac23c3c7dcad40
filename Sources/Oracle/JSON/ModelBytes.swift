/// A text as the wire has it: compared and ordered byte by byte, never by what it looks like.
struct Bytes: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  var bytes: [UInt8]

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
  init(_ text: String) { bytes = Array(text.utf8) }
  init(stringLiteral text: String) { bytes = Array(text.utf8) }

  var description: String { String(decoding: bytes, as: UTF8.self) }
  var count: Int { bytes.count }
  var isEmpty: Bool { bytes.isEmpty }

  static func < (a: Bytes, b: Bytes) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
  static func + (a: Bytes, b: Bytes) -> Bytes { Bytes(a.bytes + b.bytes) }

  /// Eight bytes at a time: an array would hash each of its elements.
  func hash(into hasher: inout Hasher) {
    var word: UInt64 = 0
    var length = 0
    for byte in bytes {
      word = word << 8 | UInt64(byte)
      length += 1
      if length % 8 == 0 { hasher.combine(word) }
    }
    hasher.combine(word)
    hasher.combine(length)
  }

  func hasPrefix(_ prefix: Bytes) -> Bool { bytes.starts(with: prefix.bytes) }

  /// How often `part` stands in the text, overlaps counted.
  func occurrences(of part: Bytes) -> Int {
    guard count >= part.count, let first = part.bytes.first else { return 0 }
    return (0...(count - part.count)).count { start in
      bytes[start] == first
        && bytes[start..<(start + part.count)].elementsEqual(part.bytes)
    }
  }
}
