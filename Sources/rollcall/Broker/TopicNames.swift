import Kafka
import Worker

/// What the worker's topics are called on the broker.
struct TopicNames: Equatable, Sendable {
  private var names: [LogTopic: String]

  /// The contract's names after `prefix`, except for those that are given whole.
  init(prefix: String = "", overrides: [LogTopic: String] = [:]) {
    names = [:]
    for topic in LogTopic.allCases {
      names[topic] = overrides[topic] ?? prefix + topic.defaultName
    }
  }

  /// The name of a topic.
  subscript(topic: LogTopic) -> String { names[topic] ?? topic.defaultName }

  /// All these partitions of all these topics.
  func lanes(_ topics: [LogTopic], _ partitions: some Sequence<Int32>) -> [TopicPartition] {
    partitions.flatMap { partition in topics.map { TopicPartition(self[$0], partition) } }
  }

  /// What is wrong where two topics have one name; nil: nothing.
  var conflict: String? {
    var owners: [String: LogTopic] = [:]
    for topic in LogTopic.allCases {
      if let owner = owners.updateValue(topic, forKey: self[topic]) {
        return "\(owner.defaultName) and \(topic.defaultName) have one name, \(self[topic])"
      }
    }
    return nil
  }
}

extension LogTopic {
  /// The contract's name.
  var defaultName: String {
    switch self {
    case .messages: "chat.messages"
    case .receipts: "chat.receipts"
    case .deletes: "chat.deletes"
    case .events: "chat.events"
    case .actions: "chat.actions"
    case .status: "chat.status"
    case .rejected: "chat.rejected"
    case .state: "rollcall.state"
    }
  }

  /// The topics that the worker applies, in the order of a committed position's offsets.
  static let inputs: [LogTopic] = [.messages, .receipts, .deletes]

  /// The topics that the worker writes.
  static let outputs: [LogTopic] = [.events, .actions, .status, .rejected, .state]
}
