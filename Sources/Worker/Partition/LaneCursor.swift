import Core
import Wire

/// Where one lane of a partition stands: the records in hand, and what was applied.
struct LaneCursor<Batch: RecordBatch> {
  let batch: Batch
  /// The offset after the last record applied; raised past what is not given out (control records)
  /// once the records in hand are finished.
  private(set) var position: Int64 = 0
  /// The last record applied; nil: none since the topic began.
  var lastApplied: AppliedRecord?
  /// The last record applied, while the log has not shown yet that it still has it; nothing is
  /// given out before.
  private(set) var landmark: AppliedRecord?
  /// What the topic is known by besides; nil while there is nothing.
  var witness: Witness?
  /// What lies there instead of the landmark.
  private(set) var stranger: Stranger?
  /// All that the log gives out is in hand or applied. An open transaction may hold more back.
  private var isAtStableEnd = false
  /// Where the lane really ends, as far as is known.
  private var end: Int64?
  /// Since when an open transaction holds back what lies behind the position.
  private(set) var pin: Pin?
  /// The next record in hand.
  private(set) var index = 0
  private var count = 0
  /// The next record's timestamp; `distantPast` where it has none, for it is as new as the newest.
  private(set) var headTime = Instant.distantPast

  /// What a lane has in the place of the last record applied.
  enum Stranger: Equatable {
    /// Another record, of this time.
    case record(Instant?)
    /// Nothing that is given out.
    case nothing
  }

  init(batch: Batch) { self.batch = batch }

  /// Where the log has to begin to give out.
  var start: Int64 { landmark?.offset ?? position }

  /// The record by which whoever takes the partition knows the topic: not one that may be of a
  /// topic made anew since the last look.
  var savedLandmark: AppliedRecord? { witness?.record ?? lastApplied }

  /// What the topic is to be known by from now on; nil where there is nothing new.
  var nextWitness: AppliedRecord? {
    guard let lastApplied, lastApplied.timestamp != nil, lastApplied != witness?.record
    else { return nil }
    return lastApplied
  }

  /// Whether there is a record in hand.
  var hasRecord: Bool { index < count }

  /// Whether everything is applied, up to where the lane really ends.
  ///
  /// What an open transaction holds back is still to come: a lane that it pins is behind, for as
  /// long as it lasts.
  var isAtEnd: Bool {
    guard isAtStableEnd, !hasRecord, let end else { return false }
    return position >= end
  }

  /// Whether all that the log gives out is applied, and an open transaction holds more back.
  var isPinned: Bool {
    guard isAtStableEnd, !hasRecord, let end else { return false }
    return position < end
  }

  /// Forgets what is in hand and goes on from an offset.
  mutating func restart(at position: Int64) {
    self.position = position
    isAtStableEnd = false
    end = nil
    // The same transaction may still hold it back.
    if pin?.stableOffset != position { pin = nil }
    index = 0
    count = 0
  }

  /// Goes on from an offset once the log has shown that it still has a record before it.
  mutating func restart(at position: Int64, behind landmark: AppliedRecord?) {
    self.landmark = landmark
    stranger = nil
    restart(at: position)
  }

  /// Has the log show a record that was applied again before it gives out anything more.
  mutating func doubt() {
    // Where it is still to be shown, a slow machine would never get further.
    guard landmark == nil, let known = savedLandmark, known.timestamp != nil else { return }
    restart(at: position, behind: known)
  }

  /// Takes in what a fetch has put into the batch.
  mutating func refill(_ time: StepTime) {
    index = 0
    count = batch.count
    guard passLandmark() else {
      count = 0
      return
    }
    // An empty fetch does not take back that the end was reached.
    isAtStableEnd = batch.reachedEnd || (count == 0 && isAtStableEnd)
    if batch.reachedEnd { end = batch.endOffset }
    // A record below the position was given out before the last restart.
    while hasRecord, batch.offset(index) < position { index += 1 }
    settle()
    notePin(time)
  }

  /// Passes over the record that was just applied.
  mutating func advance() {
    let offset = batch.offset(index)
    lastApplied = AppliedRecord(offset: offset, timestamp: batch.timestamp(index))
    position = offset + 1
    index += 1
    settle()
  }

  /// Looks for the landmark; says whether it is passed.
  private mutating func passLandmark() -> Bool {
    guard let expected = landmark else { return true }
    if count > 0, batch.offset(0) == expected.offset {
      let timestamp = batch.timestamp(0)
      if timestamp == expected.timestamp {
        landmark = nil
        // It is the same topic up to here. Where it has lost what it answered with, it is to be
        // known by something else from now on.
        witness = nil
      } else {
        stranger = .record(timestamp)
      }
    } else if count > 0 || batch.nextOffset.map({ $0 > expected.offset }) == true {
      stranger = .nothing
    }
    return landmark == nil
  }

  /// Notes since when an open transaction has held the lane where it is.
  private mutating func notePin(_ time: StepTime) {
    if hasRecord || isAtEnd { pin = nil }
    guard isPinned, let end else { return }
    if pin?.stableOffset != position { pin = Pin(stableOffset: position, since: time) }
    pin?.endOffset = end
  }

  private mutating func settle() {
    if hasRecord {
      headTime = batch.timestamp(index) ?? .distantPast
    } else if let next = batch.nextOffset {
      position = max(position, next)
    }
  }
}
