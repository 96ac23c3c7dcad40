package import Core

/// One input record, as the workload writes it.
package struct WorkloadRecord: Equatable, Sendable {
  /// The topic it is written to.
  package var topic: InputTopic
  /// The partition to which Kafka's own clients write this key.
  package var partition: Int32
  /// Its key; empty only where that is the fault on purpose.
  package var key: [UInt8]
  /// Its value.
  package var value: [UInt8]
  /// When it was made, in the workload's own time, which begins long ago.
  package var time: Instant
}

/// The traffic of a chat service, made from a seed, record by record and without an end.
package struct Workload: Sendable {
  /// The traffic of a seed; the same seed and options give the same bytes in every process.
  package init(seed: UInt64, options: WorkloadOptions, partitionCount: Int32) {}

  /// The next record; nil only after `end`, once what was written late is given, too.
  package mutating func next() -> WorkloadRecord? { nil }

  /// Begins nothing new: what is still to be written late is given, then no more.
  package mutating func end() {}
}
