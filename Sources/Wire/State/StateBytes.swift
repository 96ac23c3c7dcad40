import Core

/// The changelog's numbers: unsigned ones in groups of seven bits, lowest first; signed ones in
/// zigzag; what lies near a known number as the difference to it.
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

  /// Appends a signed number.
  mutating func append(zigzag number: Int64) {
    append(varint: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  /// Appends a number as the difference to `base`, and makes it the next base.
  mutating func append(_ number: Int64, since base: inout Int64) {
    append(zigzag: number &- base)
    base = number
  }

  /// Appends a time as the difference to `base`, and makes it the next base.
  mutating func append(_ instant: Instant, since base: inout Int64) {
    append(instant.milliseconds, since: &base)
  }

  /// Appends bytes after their length.
  mutating func append(counted bytes: some Collection<UInt8>) {
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

  /// Appends eight bytes, lowest first.
  mutating func append(fixed number: UInt64) {
    for place in 0..<8 { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
  }
}

/// The numbers that the next ones of a piece are near to.
struct StateBases {
  var id: Int64 = 0
  var sequence: Int64 = 0
  var time: Int64 = 0
}
