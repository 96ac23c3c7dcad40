package import Core

/// What each transaction of a partition writes beside the pieces of its state.
package struct PartitionRecord: Equatable, Sendable {
  /// Rises by one with each transaction of the partition.
  package var version: Int64
  /// Who wrote it.
  package var writer: String
  /// Where messages, receipts and deletes go on, in this order: three offsets.
  package var nextOffsets: [Int64]
  /// The machine's stream time.
  package var streamTime: Instant?
  /// The machine's next ticket.
  package var nextTicket: Int64
  /// The rule that the state was made by; another one cannot read it.
  package var threads: Rules.Threads
  /// How many partitions the topics had.
  package var partitionCount: Int32

  /// Gathers what a transaction writes.
  package init(
    version: Int64, writer: String, nextOffsets: [Int64], streamTime: Instant?,
    nextTicket: Int64, threads: Rules.Threads, partitionCount: Int32
  ) {
    precondition(nextOffsets.count == InputTopic.allCases.count, "one offset for each topic")
    self.version = version
    self.writer = writer
    self.nextOffsets = nextOffsets
    self.streamTime = streamTime
    self.nextTicket = nextTicket
    self.threads = threads
    self.partitionCount = partitionCount
  }
}
