import Core

/// Reads what the writer wrote. Every number has one form only; another one is malformed.
struct StateReader: FieldWalk {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func byte() throws(StateError) -> UInt8 {
    guard position < bytes.count else { throw .malformed }
    defer { position += 1 }
    return bytes[position]
  }

  /// Ends the reading: nothing may be left.
  func finish() throws(StateError) { try require(position == bytes.count) }

  func require(_ condition: Bool) throws(StateError) {
    guard condition else { throw .malformed }
  }

  mutating func byte(_ byte: inout UInt8) throws(StateError) { byte = try self.byte() }

  mutating func varint(_ number: inout UInt64) throws(StateError) { number = try varint() }

  mutating func zigzag(_ number: inout Int64) throws(StateError) {
    let bits = try varint()
    number = Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
  }

  mutating func fixed(_ number: inout UInt64) throws(StateError) {
    number = 0
    for place in 0..<8 { number |= UInt64(try byte()) << (8 * UInt64(place)) }
  }

  mutating func counted(_ bytes: inout [UInt8]) throws(StateError) { bytes = try counted() }

  /// No other bits than these may be set.
  mutating func flags<let count: Int>(
    _ flags: InlineArray<count, Bool>
  ) throws(StateError) -> InlineArray<count, Bool> {
    let byte = try byte()
    try require(byte >> UInt8(count) == 0)
    return InlineArray { byte & (1 << UInt8($0)) != 0 }
  }

  /// Each of the elements takes at least one byte.
  mutating func count(_ unknown: Int = 0) throws(StateError) -> Int {
    guard let count = Int(exactly: try varint()), count <= bytes.count - position else {
      throw .malformed
    }
    return count
  }

  private mutating func varint() throws(StateError) -> UInt64 {
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
}
