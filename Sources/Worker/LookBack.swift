import Wire

/// A look at what the changelog has got since a partition was folded: whoever named his group in it
/// first has the partition, and all others see that by the order of its offsets.
final class LookBack<Log: RecordLog> {
  let batch: Log.Batch
  /// The next offset of the changelog to be looked at.
  private(set) var position: Int64
  /// Where the changelog ended once our own claim was in it; nil before.
  var target: Int64?
  /// The first record of the partition that was written since.
  private(set) var first: PartitionRecord?

  /// A look that begins behind what was folded.
  init(batch: Log.Batch, from position: Int64) {
    self.batch = batch
    self.position = position
  }

  /// Whether all is seen up to our own claim.
  var isComplete: Bool { target.map { position >= $0 } ?? false }

  /// Looks at the records in hand.
  func take() throws(StateError) {
    var failure: StateError?
    for index in 0..<batch.count where first == nil && failure == nil {
      batch.withRecord(index) { key, value in
        do throws(StateError) { first = try PartitionRecord(key: key, value: value) } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    if batch.count > 0 { position = max(position, batch.offset(batch.count - 1) + 1) }
    position = max(position, batch.nextOffset ?? position)
  }
}
