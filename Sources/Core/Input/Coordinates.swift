/// Where an input record lies and when its broker says it was written.
package struct Coordinates: Equatable, Sendable {
  /// The topic it was read from.
  package var topic: InputTopic
  /// The partition's number.
  package var partition: Int32
  /// The offset in the partition; in `replay` the number of the line.
  package var offset: Int64
  /// The record's Kafka timestamp; nil where it has none (it is then as new as the newest).
  package var timestamp: Instant?

  /// Names a record by topic, partition, offset and timestamp.
  package init(topic: InputTopic, partition: Int32, offset: Int64, timestamp: Instant?) {
    self.topic = topic
    self.partition = partition
    self.offset = offset
    self.timestamp = timestamp
  }
}
