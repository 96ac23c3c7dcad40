/// 128 bits that stand for bytes or for a JSON value: equal ones have equal digests, and of
/// different ones no two are ever expected to.
struct OracleDigest: Hashable, Sendable {
  private var low: UInt64 = 0xcbf2_9ce4_8422_2325
  private var high: UInt64 = 0x6c62_272e_07bb_0142

  /// Of a sequence of bytes.
  init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(UInt64(byte)) }
    finish()
  }

  init(_ text: Bytes) { self.init(text.bytes) }

  /// Of a JSON value; the order of an object's members does not matter.
  init(_ value: JSON) {
    switch value {
    case .null: add(1)
    case .bool(let flag): add(flag ? 2 : 3)
    case .int(let number):
      add(4)
      add(UInt64(bitPattern: number))
    case .real(let number):
      add(5)
      add(number.bitPattern)
    case .string(let text):
      add(6)
      for byte in text.bytes { add(UInt64(byte)) }
    case .array(let values):
      add(7)
      for value in values { add(OracleDigest(value)) }
    case .object(let members):
      add(8)
      // A sum, in which the order is lost.
      var sum = OracleDigest([])
      for member in members {
        var digest = OracleDigest(member.name)
        digest.add(OracleDigest(member.value))
        digest.finish()
        sum.low &+= digest.low
        sum.high &+= digest.high
      }
      add(sum)
    }
    finish()
  }

  /// Of several digests, in their order.
  init(_ parts: OracleDigest...) {
    for part in parts { add(part) }
    finish()
  }

  /// Half of it, for what is compared only within a conversation.
  var short: UInt64 { low ^ high }

  private mutating func add(_ word: UInt64) {
    low = (low ^ word) &* 0x0000_0100_0000_01b3
    low ^= low >> 29
    high = (high ^ word) &* 0x9e37_79b9_7f4a_7c15
    high ^= high >> 32
  }

  private mutating func add(_ digest: OracleDigest) {
    add(digest.low)
    add(digest.high)
  }

  /// Lets each bit depend on all that was added.
  private mutating func finish() {
    for shift: UInt64 in [33, 29, 32] {
      low = (low ^ low >> shift) &* 0xff51_afd7_ed55_8ccd
      high = (high ^ high >> shift) &* 0xc4ce_b9fe_1a85_ec53
    }
  }
}
