/// How many live pieces of each kind a partition's state has, and a sum over their keys.
///
/// It is kept as pieces are written, and counted again as they are folded: where the two differ,
/// the changelog has lost some, or has got what the worker never wrote.
package struct StateTally: Equatable, Sendable {
  /// The kinds of pieces that are counted: all but the partition's own record.
  package static let kinds = 8

  /// The number of live pieces by kind: conversations, members, messages, marks, waiting records,
  /// threads, positions, early deletes.
  package private(set) var counts: [Int64]
  /// The wrapping sum of the hashes of their keys.
  package private(set) var keySum: UInt64

  /// The tally of a state without pieces.
  package init() { self.init(counts: [Int64](repeating: 0, count: Self.kinds), keySum: 0) }

  /// A tally that was written down.
  package init(counts: [Int64], keySum: UInt64) {
    precondition(counts.count == Self.kinds, "one count for each kind")
    self.counts = counts
    self.keySum = keySum
  }

  /// The number of live pieces.
  package var total: Int64 { counts.reduce(0, &+) }

  /// Counts a key that has got its first piece.
  package mutating func add(key: Span<UInt8>) { count(key, 1) }

  /// Counts a key whose piece is gone.
  package mutating func remove(key: Span<UInt8>) { count(key, -1) }

  private mutating func count(_ key: Span<UInt8>, _ step: Int64) {
    guard key.count > 0, key[0] > 0, Int(key[0]) <= Self.kinds else { return }
    counts[Int(key[0]) - 1] &+= step
    let hash = Self.hash(key)
    keySum = step > 0 ? keySum &+ hash : keySum &- hash
  }

  /// FNV-1a over the bytes, then the mixing end of MurmurHash3, so that the sums of keys that
  /// differ in their last byte only do not meet. The same in every process.
  private static func hash(_ key: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in key.indices { hash = (hash ^ UInt64(key[index])) &* 0x0000_0100_0000_01B3 }
    hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ (hash >> 33)
  }
}
