import Core
import Wire

/// The folding of one partition's changelog.
final class Restore<Log: RecordLog> {
  /// What the group had committed before the target was taken.
  private(set) var committed: CommittedPosition
  /// The inputs' first and end offsets, taken at the same time.
  private(set) var inputBounds: [Range<Int64>] = []
  let batch: Log.Batch
  var fold = StateFold()
  /// The changelog's first offset; of a topic that is only compacted it stays 0.
  let beginning: Int64
  /// The next offset of the changelog.
  private(set) var position: Int64
  /// The changelog's end after the committed offsets were known, open transactions included.
  private(set) var target: Int64
  /// Records folded.
  private(set) var records = 0
  let startedAt: Instant

  /// A fold that begins at the changelog's first offset.
  init(batch: Log.Batch, from position: Int64, startedAt: Instant) {
    committed = CommittedPosition(partition: 0, offsets: [nil, nil, nil], metadata: "")
    self.batch = batch
    self.position = position
    beginning = position
    target = position
    self.startedAt = startedAt
  }

  /// Whether all of it is folded: what is left is to fill the machine, a piece at a time.
  var isRead: Bool { position >= target }

  /// Whether what is folded is of use for a changelog that looks so by now: nothing can be added
  /// once the machine is being filled.
  func canGoOn(in changelog: Range<Int64>) -> Bool {
    position >= changelog.lowerBound && !(fold.isCounting && changelog.upperBound > position)
  }

  /// Aims at what the log says now; what is folded already stays.
  func begin(_ committed: CommittedPosition, _ inputBounds: [Range<Int64>], target: Int64) {
    self.committed = committed
    self.inputBounds = inputBounds
    self.target = target
  }

  /// Folds a record in hand.
  func take(_ index: Int) throws(StateError) {
    var failure: StateError?
    batch.withRecord(index) { key, value in
      do throws(StateError) { try fold.take(key: key, value: value) } catch { failure = error }
    }
    if let failure { throw failure }
    records += 1
    position = max(position, batch.offset(index) + 1)
  }

  /// Passes what lies behind the records in hand and is not given out (control records, aborted
  /// and compacted ones).
  func settle() { position = max(position, batch.nextOffset ?? position) }
}
