package import Core
import Wire

/// Where a partition goes on when it is taken.
struct Takeover: Equatable {
  /// The next offset of each input.
  var positions: PerInput<Int64> = [0, 0, 0]
  /// The last record applied of each, where it may still lie: the topic is the same if it does.
  var landmarks: PerInput<AppliedRecord?> = [nil, nil, nil]
  /// The group has not all of it committed yet.
  var needsCommit = false
  /// What is missing, where the partition goes on all the same.
  var gaps: [Gap] = []

  /// Holds the committed offsets against the changelog's last record of the partition.
  ///
  /// - Parameters:
  ///   - record: the changelog's last; nil where it has none.
  ///   - bounds: the first and the end offset of each input.
  static func decide(
    committed: CommittedPosition, record: PartitionRecord?, bounds: PerInput<Range<Int64>>,
    gaps: GapPolicy = .stop
  ) throws(PartitionFault) -> Takeover {
    // Looked at before the offsets: with an older state they differ as well, and must not be
    // forgotten then. A claim moves nothing, and may be that of a group that came second.
    if let record, !record.isClaim, !committed.metadata.isEmpty,
      committed.metadata != record.metadata
    {
      throw .versionsDiffer(committed: committed.metadata, changelog: record.metadata)
    }
    var takeover = Takeover()
    for input in InputTopic.allCases {
      let topic = Topic(input)
      let offset = committed.offsets[input]
      let position: Int64
      switch (offset, record?.nextOffsets[input]) {
      case (let offset?, let kept?) where offset == kept:
        position = offset
      case (let offset?, let kept?):
        throw .offsetsDiffer(topic, committed: offset, changelog: kept)
      case (let offset?, nil):
        throw .offsetWithoutState(topic, committed: offset)
      case (nil, let kept):
        // Kafka forgets offsets; the changelog does not. Without both: from the beginning.
        position = kept ?? bounds[input].lowerBound
        takeover.needsCommit = true
      }
      if let fault = fault(of: topic, at: position, bounds[input]) {
        guard gaps == .continue else { throw fault }
        let gap = Gap(topic, at: position, bounds[input])
        takeover.gaps.append(gap)
        takeover.positions[input] = gap.resumed
        takeover.needsCommit = true
      } else {
        takeover.positions[input] = position
        takeover.landmarks[input] = record?.lastApplied[input]?.landmark(in: bounds[input])
      }
    }
    return takeover
  }

  /// What keeps a partition from going on at a position of an input; nil: nothing.
  static func fault(
    of topic: Topic, at position: Int64, _ bounds: Range<Int64>
  ) -> PartitionFault? {
    if position > bounds.upperBound {
      return .beyondEnd(topic, offset: position, end: bounds.upperBound)
    }
    if position < bounds.lowerBound {
      return .belowStart(topic, offset: position, start: bounds.lowerBound)
    }
    return nil
  }
}

extension Gap {
  /// The gap between a position and the first record that an input has now.
  package init(_ topic: Topic, at position: Int64, _ bounds: Range<Int64>) {
    self.init(
      topic: topic, position: position, resumed: bounds.lowerBound,
      lostRecords: max(0, bounds.lowerBound - position))
  }

  /// What is to be added to the offsets of a messages topic behind the gap, so that places in time
  /// go on rising.
  package var sequenceStep: Int64 { max(0, position &- resumed) }
}

extension AppliedRecord {
  /// The record, where its topic may still have it, and it can be told from another one.
  func landmark(in bounds: Range<Int64>) -> AppliedRecord? {
    timestamp != nil && bounds.contains(offset) ? self : nil
  }
}
