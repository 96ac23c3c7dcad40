package import Core

/// What one step did: all that logs and metrics need, as a value.
package struct StepReport: Sendable {
  /// Input records applied, by topic.
  package var inputRecords: PerInput<Int> = [0, 0, 0]
  /// Output records produced, changelog included, and their bytes.
  package var outputRecords = 0
  /// The bytes of those records.
  package var outputBytes = 0
  /// Rejections, by code.
  package var rejections: [ErrorCode: Int] = [:]
  /// Receipts that added nothing, by reason.
  package var passedOver = Tally()
  /// The partitions whose stream time was moved on by the clock.
  package var ticked: [Tick] = []
  /// Records that an operator has skipped.
  package var skipped: [WorkerConfiguration.Skip] = []
  /// Records to be skipped that lie before what their partition goes on with.
  package var skipsPassed: [WorkerConfiguration.Skip] = []
  /// The group has given everything to others.
  package var isStandingBy = false
  /// The partitions whose state is our group's now.
  package var takenOver: [StateMove] = []
  /// The group that was to be taken over, where all partitions run and none had its state; once.
  package var vainTakeover: String?
  /// Changelog records folded.
  package var restoredRecords = 0
  /// What it took, in things looked at: a message that a receipt covers, a member's message that is
  /// counted again; a record, a piece of state that is folded or restored, or something that falls
  /// due, is a hundred. The measure of a step's length that does not depend on the machine: a
  /// million took 26 ms of a processor's time at most, and mostly 5 to 20, in partitions of 200,000
  /// and 1,000,000 groups (`Benchmarks steps`, a release build).
  package var work = 0
  /// A call failed: back off before the next step.
  package var isHeldUp = false
  /// What happened besides, in order.
  package var occurrences: [Occurrence] = []

  /// Nothing done yet.
  package init() {}

  /// Times that stream time was moved on by the clock.
  package var ticks: Int { ticked.count }
}

/// A partition's state that has become another group's.
package struct StateMove: Equatable, Sendable {
  /// The partition's number.
  package var partition: Int32
  /// The group that it was before; where it named none, the group that is said to be it.
  package var from: String
}

/// A move of a partition's stream time by the clock.
package struct Tick: Equatable, Sendable {
  /// The partition's number.
  package var partition: Int32
  /// Where stream time was moved on to.
  package var to: Instant
}

/// What is worth a line in the log.
package enum Occurrence: Equatable, Sendable {
  /// Partitions are ours; some of them in memory already, the others to be restored.
  case taken([Int32], kept: [Int32])
  /// All partitions go; `lost`: without the chance to commit.
  case givenUp([Int32], lost: Bool)
  /// A partition's changelog is folded and counted; the milliseconds that it took.
  case restored(Int32, records: Int, milliseconds: Int64)
  /// A partition is stopped; an operator has to act.
  case stopped(Int32, PartitionFault)
  /// A changelog does not begin at offset 0, as if something other than compaction had been at it.
  case changelogBegins(Int32, at: Int64)
  /// An input has a gap, and its partition goes on behind it.
  case gap(Int32, Gap)
  /// A partition is taken under other rules than its state was last written under; they hold from
  /// an offset of the messages topic on.
  case rulesChanged(Int32, from: Rules, to: Rules, since: Int64)
  /// A transaction is committed.
  case committed(inputRecords: Int, outputRecords: Int, outputBytes: Int)
  /// A call failed; what it touched is restored and done again.
  case failed(LogFailure)
  /// An output was larger than a record may be; a rejection stands in its place.
  case outputTooLarge(Topic, partition: Int32, bytes: Int)
  /// An open transaction upstream has held a lane, and its partition, for long.
  case pinned(PinnedLane)
  /// It has ended, or the lane is no longer waited for.
  case unpinned(Lane, milliseconds: Int64)
  /// How far the clock was set, forward or back; stream time takes no notice.
  case clockSet(milliseconds: Int64)
  /// A lane could not be read on; its partition is taken anew, and stopped where that shows why.
  case retaken(Lane, LogFailure)
  /// These topics are gone: nothing is applied until they are back. Said again each minute.
  case topicsMissing([TopicCount])
  /// The topics that were gone are back.
  case topicsFound
  /// A topic's keys do not lie where a default partitioner puts them, or where the other topics'
  /// keys lie; the likely partitioner, if it is one of the two.
  case partitionerDoubt(Topic, likely: Partitioner?)
  /// The id of a record lies far above all others of its conversation; told once.
  case idJump(partition: Int32, offset: Int64)
}

/// How far the restoring of a partition has come.
package struct RestoreProgress: Equatable, Sendable {
  /// What a restore is at.
  package enum Phase: String, Sendable {
    /// It reads the changelog.
    case reading
    /// All is read: the live pieces are put into the machine, and their counts are counted again.
    case counting
  }

  /// The partition's number.
  package var partition: Int32
  /// What it is at.
  package var phase: Phase
  /// When it began, by the worker's clock.
  package var startedAt: Instant
  /// The next offset of the changelog to be folded.
  package var position: Int64
  /// Where the changelog ends.
  package var target: Int64
  /// How many records are folded, since it began.
  package var records: Int
  /// How many live pieces the records have left.
  package var pieces: Int
  /// How many of these are in the machine already.
  package var counted: Int
}

/// Why a worker ends.
package struct WorkerFailure: Error, Equatable, Sendable {
  /// A fixed word for metrics and logs.
  package var label: String
  /// What is wrong and how to mend it, in one sentence.
  package var detail: String

  /// Names the cause.
  package init(label: String, detail: String) {
    self.label = label
    self.detail = detail
  }
}
