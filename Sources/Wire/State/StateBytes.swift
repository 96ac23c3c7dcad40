/// The changelog's numbers and texts, appended.
extension [UInt8] {
  /// Appends an unsigned number.
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends bytes after their length.
  mutating func append(counted bytes: [UInt8]) {
    append(varint: UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  /// Appends a number so that the bytes of numbers from 0 on stand in the numbers' order: the
  /// count of its bytes, then these, highest first.
  mutating func append(ordered number: Int64) {
    let bits = UInt64(bitPattern: number)
    let length = (UInt64.bitWidth - bits.leadingZeroBitCount + 7) / 8
    append(UInt8(length))
    for place in (0..<length).reversed() {
      append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(place))))
    }
  }
}
