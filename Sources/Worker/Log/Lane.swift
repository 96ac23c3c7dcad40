package import Core

/// One topic-partition.
package struct Lane: Hashable, Sendable {
  /// The topic.
  package var topic: Topic
  /// The partition's number.
  package var partition: Int32

  /// Names a topic-partition.
  package init(_ topic: Topic, _ partition: Int32) {
    self.topic = topic
    self.partition = partition
  }
}

/// How many partitions a topic has.
package struct TopicCount: Equatable, Sendable {
  /// The topic.
  package var topic: Topic
  /// What it is called.
  package var name: String
  /// How many partitions it has; nil: there is no such topic.
  package var partitions: Int32?

  /// Counts the partitions of a topic.
  package init(_ topic: Topic, name: String, partitions: Int32?) {
    self.topic = topic
    self.name = name
    self.partitions = partitions
  }
}
