import Core

/// Reads what those functions wrote. Every number has one form only; another one is malformed.
struct StateReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func byte() throws(StateError) -> UInt8 {
    guard position < bytes.count else { throw .malformed }
    defer { position += 1 }
    return bytes[position]
  }

  /// Ends the reading: nothing may be left.
  func finish() throws(StateError) {
    guard position == bytes.count else { throw .malformed }
  }

  mutating func varint() throws(StateError) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: 0, to: UInt64.bitWidth, by: 7) {
      let byte = try byte()
      let bits = UInt64(byte & 0x7F)
      // The tenth byte has room for one bit.
      guard shift < 63 || bits <= 1 else { throw .malformed }
      number |= bits << UInt64(shift)
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw .malformed }
        return number
      }
    }
    throw .malformed
  }

  mutating func fixed() throws(StateError) -> UInt64 {
    var number: UInt64 = 0
    for place in 0..<8 { number |= UInt64(try byte()) << (8 * UInt64(place)) }
    return number
  }

  mutating func zigzag() throws(StateError) -> Int64 {
    let bits = try varint()
    return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
  }

  mutating func number(since base: inout Int64) throws(StateError) -> Int64 {
    base &+= try zigzag()
    return base
  }

  mutating func instant(since base: inout Int64) throws(StateError) -> Instant {
    Instant(milliseconds: try number(since: &base))
  }

  mutating func int32() throws(StateError) -> Int32 {
    guard let number = Int32(exactly: try zigzag()) else { throw .malformed }
    return number
  }

  /// The number of things that follow, each of at least one byte.
  mutating func count() throws(StateError) -> Int {
    guard let count = Int(exactly: try varint()), count <= bytes.count - position else {
      throw .malformed
    }
    return count
  }

  mutating func counted() throws(StateError) -> [UInt8] {
    let count = try count()
    defer { position += count }
    return Array(bytes[position..<(position + count)])
  }

  mutating func ordered() throws(StateError) -> Int64 {
    let length = try byte()
    guard length <= 8 else { throw .malformed }
    var bits: UInt64 = 0
    for place in 0..<length {
      let byte = try byte()
      guard place > 0 || byte != 0 else { throw .malformed }
      bits = bits << 8 | UInt64(byte)
    }
    return Int64(bitPattern: bits)
  }

  /// A byte in which no other bits than these may be set.
  mutating func flags(_ known: UInt8) throws(StateError) -> UInt8 {
    let byte = try byte()
    guard byte & ~known == 0 else { throw .malformed }
    return byte
  }
}
