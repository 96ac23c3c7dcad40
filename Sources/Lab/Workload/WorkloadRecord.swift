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
  /// When it was made, in the workload's own time; of one that is written late, before that.
  package var time: Instant
}
