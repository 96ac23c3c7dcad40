import Core
import Wire

/// Why a partition cannot go on; an operator has to act.
package enum PartitionFault: Error, Equatable, Sendable {
  /// The group's offset is not the one of the changelog's last transaction.
  case offsetsDiffer(LogTopic, committed: Int64, changelog: Int64)
  /// The group has an offset, and the changelog no state that belongs to it.
  case offsetWithoutState(LogTopic, committed: Int64)
  /// The note beside the offset names another transaction than the changelog's last.
  case versionsDiffer(committed: String, changelog: String)
  /// The input ends before the offset: its topic was truncated or made anew.
  case beyondEnd(LogTopic, offset: Int64, end: Int64)
  /// The input begins after the offset: records were deleted unread.
  case belowStart(LogTopic, offset: Int64, start: Int64)
  /// The changelog holds what this program cannot read.
  case unreadableState(String)
}

/// Where a partition goes on when it is taken.
struct Takeover: Equatable {
  /// The next offsets of messages, receipts and deletes.
  var positions: [Int64]
  /// The group has not all of it committed yet.
  var needsCommit: Bool

  /// Holds the committed offsets against the changelog's last record of the partition.
  ///
  /// - Parameters:
  ///   - record: the changelog's last; nil where it has none.
  ///   - bounds: the first and the end offset of the three inputs.
  static func decide(
    committed: CommittedPosition, record: PartitionRecord?, bounds: [Range<Int64>]
  ) throws(PartitionFault) -> Takeover {
    var takeover = Takeover(positions: [], needsCommit: false)
    for (index, input) in InputTopic.allCases.enumerated() {
      let topic = LogTopic(input)
      let offset = committed.offsets[index]
      switch (offset, record?.nextOffsets[index]) {
      case (let offset?, let kept?) where offset == kept:
        takeover.positions.append(offset)
      case (let offset?, let kept?):
        throw .offsetsDiffer(topic, committed: offset, changelog: kept)
      case (let offset?, nil):
        throw .offsetWithoutState(topic, committed: offset)
      case (nil, let kept):
        // Kafka forgets offsets; the changelog does not. Without both: from the beginning.
        takeover.positions.append(kept ?? bounds[index].lowerBound)
        takeover.needsCommit = true
      }
      let position = takeover.positions[index]
      if position > bounds[index].upperBound {
        throw .beyondEnd(topic, offset: position, end: bounds[index].upperBound)
      }
      if position < bounds[index].lowerBound {
        throw .belowStart(topic, offset: position, start: bounds[index].lowerBound)
      }
    }
    if let record, !committed.metadata.isEmpty, committed.metadata != record.metadata {
      throw .versionsDiffer(committed: committed.metadata, changelog: record.metadata)
    }
    return takeover
  }
}
