package import Core

/// What a worker has to be told; the same from its start to its end.
package struct WorkerConfiguration: Sendable {
  /// An input record that is rejected unread, because an operator says so.
  package struct Skip: Hashable, Sendable {
    /// The record's topic.
    package var topic: InputTopic
    /// The record's partition.
    package var partition: Int32
    /// The record's offset.
    package var offset: Int64

    /// Names the record.
    package init(topic: InputTopic, partition: Int32, offset: Int64) {
      self.topic = topic
      self.partition = partition
      self.offset = offset
    }
  }

  /// The options of the contract.
  package var rules: Rules
  /// The number of partitions that all eight topics have.
  package var partitionCount: Int32
  /// Who writes: the instance and its start, so that no two processes share it.
  package var writer: String
  /// The consumer group, whose name goes into the state.
  package var group: String
  /// Another group, which has no members any more, whose state becomes this group's.
  package var takesOverGroup: String?
  /// What becomes of a partition whose input has a gap.
  package var gaps = GapPolicy.stop
  /// When a transaction ends.
  package var limits: TransactionLimits
  /// About how much work a step may do (`StepReport.work`), so that no request to stop, no
  /// rebalance and no other partition waits for long.
  ///
  /// An end, or a partition that is taken away, cannot be put off: then all the state that the
  /// open transaction has changed is written at once, and committed. That is at most
  /// `TransactionLimits.stateRecords` pieces and what the last record has changed beyond them: no
  /// record is applied in a transaction that is full.
  package var stepWork = 1_000_000
  /// The records to be skipped.
  package var skips: Set<Skip> = []
  /// The names of the input topics, for the headers of a rejection.
  package var inputNames = PerInput<String> { Topic($0).defaultName }
  /// The largest record that the output topics and the producer take, with room for the frame.
  package var maxOutputBytes = 1024 * 1024 + 63 * 1024

  /// A configuration with the defaults of the contract.
  package init(
    rules: Rules, partitionCount: Int32, writer: String, group: String = "rollcall",
    limits: TransactionLimits
  ) {
    self.rules = rules
    self.partitionCount = partitionCount
    self.writer = writer
    self.group = group
    self.limits = limits
  }

  /// The offsets to be skipped in a partition.
  func skips(of partition: Int32) -> PerInput<Set<Int64>> {
    PerInput<Set<Int64>> { topic in
      Set(skips.filter { $0.topic == topic && $0.partition == partition }.map(\.offset))
    }
  }
}
