package import Core

/// What each transaction of a partition writes beside the pieces of its state.
///
/// What Rollcall 0.1.0 did not write is nil or 0 in its records: not known, and so not checked.
package struct PartitionRecord: Equatable, Sendable {
  /// Rises by one with each transaction of the partition.
  package var version: Int64
  /// Who wrote it.
  package var writer: String
  /// Where each input goes on.
  package var nextOffsets: PerInput<Int64>
  /// The machine's stream time.
  package var streamTime: Instant?
  /// The machine's next ticket.
  package var nextTicket: Int64
  /// The rule that the state was made by; another one cannot read it.
  package var threads: Rules.Threads
  /// How many partitions the topics had.
  package var partitionCount: Int32

  /// The consumer group whose state it is.
  package var group: String?
  /// The group has written it to be alone, and not looked yet whether it is.
  package var isClaim = false
  /// The rules in force; their `threads` are those above.
  package var rules: Rules?
  /// The offset of the messages topic from which they are known to hold.
  package var rulesSince: Int64 = 0
  /// The clock less the stream time when the partition's newest record was applied, in
  /// milliseconds.
  package var clockDistance: Int64?
  /// The last record applied of each input; nil: none since the topic began.
  package var lastApplied: PerInput<AppliedRecord?> = [nil, nil, nil]
  /// What is added to an offset of the messages topic to give a place in time; above 0 where that
  /// topic was made anew.
  package var sequenceBase: Int64 = 0
  /// How many records of each input were gone before they were read.
  package var lostRecords: PerInput<Int64> = [0, 0, 0]
  /// How many gaps of each input the partition has gone on behind.
  package var gaps: PerInput<Int64> = [0, 0, 0]
  /// The live pieces of the state, after this transaction.
  package var tally: StateTally?

  /// A record to be filled.
  init() {
    self.init(
      version: 0, writer: "", nextOffsets: [0, 0, 0], streamTime: nil, nextTicket: 0,
      threads: .inline, partitionCount: 0)
  }

  /// Gathers what every version of the record has.
  package init(
    version: Int64, writer: String, nextOffsets: PerInput<Int64>, streamTime: Instant?,
    nextTicket: Int64, threads: Rules.Threads, partitionCount: Int32
  ) {
    self.version = version
    self.writer = writer
    self.nextOffsets = nextOffsets
    self.streamTime = streamTime
    self.nextTicket = nextTicket
    self.threads = threads
    self.partitionCount = partitionCount
  }
}

/// A record of an input that was applied: what it is known by, should its topic be made anew.
package struct AppliedRecord: Equatable, Sendable {
  /// Its offset.
  package var offset: Int64
  /// Its Kafka timestamp; nil where it has none.
  package var timestamp: Instant?

  /// Names a record.
  package init(offset: Int64, timestamp: Instant?) {
    self.offset = offset
    self.timestamp = timestamp
  }
}
