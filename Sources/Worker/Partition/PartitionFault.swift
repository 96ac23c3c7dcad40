package import Core
package import Wire

/// Why a partition cannot go on; an operator has to act.
package enum PartitionFault: Error, Equatable, Sendable {
  /// The group's offset is not the one of the changelog's last transaction.
  case offsetsDiffer(Topic, committed: Int64, changelog: Int64)
  /// The group has an offset, and the changelog no state that belongs to it.
  case offsetWithoutState(Topic, committed: Int64)
  /// The note beside the offset names another transaction than the changelog's last.
  case versionsDiffer(committed: String, changelog: String)
  /// The input ends before the offset: its topic was truncated or made anew.
  case beyondEnd(Topic, offset: Int64, end: Int64)
  /// The input begins after the offset: records were deleted unread.
  case belowStart(Topic, offset: Int64, start: Int64)
  /// Where the last record applied was lies another one, or none: the topic was made anew.
  case madeAnew(Topic, applied: AppliedRecord, found: Instant?)
  /// The changelog has not the pieces of state that were written: it has lost some.
  case stateIncomplete(written: StateTally, found: StateTally)
  /// The changelog holds what this program cannot read.
  case unreadableState(String)
}

/// A place of an input that records are missing at.
package struct Gap: Equatable, Sendable {
  /// The input's topic.
  package var topic: Topic
  /// Where the partition would have gone on.
  package var position: Int64
  /// Where it goes on.
  package var resumed: Int64
  /// How many records were deleted unread; of a topic that was made anew nobody knows.
  package var lostRecords: Int64
}
