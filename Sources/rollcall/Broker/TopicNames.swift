import Core
import Kafka
import Worker

/// What the worker's topics are called on the broker.
struct TopicNames: Equatable, Sendable {
  private var names: [Topic: String]

  /// The contract's names after `prefix`, except for those that are given whole.
  init(prefix: String = "", overrides: [Topic: String] = [:]) {
    names = [:]
    for topic in Topic.allCases {
      names[topic] = overrides[topic] ?? prefix + topic.defaultName
    }
  }

  /// The name of a topic.
  subscript(topic: Topic) -> String { names[topic] ?? topic.defaultName }

  /// All these partitions of all these topics.
  func lanes(_ topics: [Topic], _ partitions: some Sequence<Int32>) -> [TopicPartition] {
    partitions.flatMap { partition in topics.map { TopicPartition(self[$0], partition) } }
  }

  /// What is wrong where two topics have one name; nil: nothing.
  var conflict: String? {
    var owners: [String: Topic] = [:]
    for topic in Topic.allCases {
      if let owner = owners.updateValue(topic, forKey: self[topic]) {
        return "\(owner.defaultName) and \(topic.defaultName) have one name, \(self[topic])"
      }
    }
    return nil
  }
}
