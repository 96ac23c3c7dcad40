import Core
import Wire

/// The folding of one partition's changelog.
final class Restore<Log: RecordLog> {
  /// What the group had committed before the target was taken.
  private(set) var committed: CommittedPosition
  /// The inputs' first and end offsets, taken at the same time.
  private(set) var inputBounds: PerInput<Range<Int64>> = [0..<0, 0..<0, 0..<0]
  /// What the clock showed then.
  private(set) var boundsAt: Instant
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
  /// The next record in hand.
  private var index = 0
  let startedAt: Instant

  /// A fold that begins at the changelog's first offset.
  init(batch: Log.Batch, from position: Int64, startedAt: Instant) {
    committed = CommittedPosition(partition: 0, offsets: [nil, nil, nil], metadata: "")
    self.batch = batch
    self.position = position
    beginning = position
    target = position
    self.startedAt = startedAt
    boundsAt = startedAt
  }

  /// Whether all of it is folded: what is left is to fill the machine, a piece at a time.
  var isRead: Bool { position >= target && !hasRecord }

  /// Whether there is a record in hand.
  var hasRecord: Bool { index < batch.count }

  /// Whether what is folded is of use for a changelog that looks so by now: nothing can be added
  /// once the machine is being filled.
  func canGoOn(in changelog: Range<Int64>) -> Bool {
    position >= changelog.lowerBound && !(fold.isCounting && changelog.upperBound > position)
  }

  /// Aims at what the log says now; what is folded already stays.
  func begin(
    _ committed: CommittedPosition, _ inputBounds: PerInput<Range<Int64>>, target: Int64, _ now: Instant
  ) {
    self.committed = committed
    self.inputBounds = inputBounds
    boundsAt = now
    self.target = target
  }

  /// Begins with what a fetch has put into the batch.
  func refill() {
    index = 0
    settle()
  }

  /// Forgets what is in hand: it is given out again.
  func forgetBatch() { index = batch.count }

  /// Folds the next record in hand.
  ///
  /// - Returns: what it took.
  func takeNext() throws(StateError) -> Int {
    var failure: StateError?
    let work = batch.withRecord(index) { key, value in
      do throws(StateError) { return try fold.take(key: key, value: value) } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    records += 1
    position = max(position, batch.offset(index) + 1)
    index += 1
    settle()
    return work
  }

  /// Passes, when all in hand is folded, what lies behind and is not given out (control records,
  /// aborted and compacted ones).
  private func settle() {
    if !hasRecord { position = max(position, batch.nextOffset ?? position) }
  }
}
