import Wire

/// A look at what the changelog has got since a partition was folded: the group that was named in
/// it first has the partition, and all others see that by the order of its offsets.
final class LookBack<Log: RecordLog> {
  let batch: Log.Batch
  /// The next offset of the changelog to be looked at.
  private(set) var position: Int64
  /// Where the changelog ended once our own claim was in it; nil before.
  var target: Int64?
  /// The first record of the partition that was written since.
  private(set) var first: PartitionRecord?
  /// The first one that is not of our group.
  private var stranger: PartitionRecord?
  /// Whether there are pieces of state that somebody else has written, or ended.
  private(set) var hasPieces = false
  /// Whether our own claim has to be found.
  let isForClaim: Bool

  /// A look that begins behind what was folded, or written by ourselves.
  ///
  /// - Parameter target: where it ends; nil: behind a claim that is not committed yet.
  init(batch: Log.Batch, from position: Int64, to target: Int64? = nil) {
    self.batch = batch
    self.position = position
    self.target = target
    isForClaim = target == nil
  }

  /// Whether all is seen up to our own claim.
  var isComplete: Bool { target.map { position >= $0 } ?? false }

  /// Looks at the records in hand.
  func take(besides group: String) throws(StateError) {
    var failure: StateError?
    for index in 0..<batch.count where failure == nil {
      batch.withRecord(index) { key, value in
        do throws(StateError) {
          guard let record = try PartitionRecord(key: key, value: value) else {
            return hasPieces = true
          }
          first = first ?? record
          if record.group != group { stranger = stranger ?? record }
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    if batch.count > 0 { position = max(position, batch.offset(batch.count - 1) + 1) }
    position = max(position, batch.nextOffset ?? position)
  }

  /// Who else writes, as far as is seen. Of claims the first one counts.
  func other(than group: String) -> PartitionRecord? {
    guard isForClaim else { return stranger }
    return first.flatMap { $0.group == group ? nil : $0 }
  }
}
