import Core
import Worker

/// What the contract says of one topic: the table behind `rollcall topics`, the worker's start-up
/// audit and `topics/*.json` (a test holds the files to it).
struct TopicDefinition: Sendable {
  /// A setting of a topic, by Kafka's own name.
  struct Setting: Equatable, Sendable {
    var name: String
    var value: String

    init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// Whether the broker's value means the same; a list means the same in any order.
    func isMet(by other: String) -> Bool {
      Set(value.split(separator: ",")) == Set(other.split(separator: ","))
    }
  }

  /// Which way records go.
  enum Role: String, Sendable {
    case input, output, state
  }

  var topic: Topic
  var role: Role
  /// Compared with the broker's.
  var contract: [Setting]
  /// Given at creation and the operator's from then on: not compared.
  var initial: [Setting]
}

extension TopicDefinition {
  /// How many partitions `topics apply` gives when no topic exists and nothing else is asked for.
  static let defaultPartitions: Int32 = 12

  /// The eight topics of the contract.
  static let all: [TopicDefinition] = [
    input(.messages),
    input(.receipts),
    input(.deletes),
    output(.events),
    output(.actions),
    TopicDefinition(
      topic: .status, role: .output,
      contract: [
        Setting("cleanup.policy", "compact,delete"), Setting("retention.ms", days(30)),
        appendTime, largeRecords,
      ], initial: []),
    output(.rejected),
    TopicDefinition(
      topic: .state, role: .state,
      // Small segments and eager cleaning: a restore never reads a long uncompacted head.
      contract: [
        Setting("cleanup.policy", "compact"), Setting("segment.bytes", "67108864"),
        Setting("segment.ms", "3600000"), Setting("min.cleanable.dirty.ratio", "0.1"),
        appendTime, largeRecords,
      ], initial: []),
  ]

  /// The definition of a topic.
  static func of(_ topic: Topic) -> TopicDefinition { all[Int(topic.rawValue)] }

  private static let appendTime = Setting("message.timestamp.type", "LogAppendTime")
  /// 1 MiB and 64 KiB: the largest output, and an input that waits, with all that goes beside it.
  private static let largeRecords = Setting("max.message.bytes", "1114112")

  private static func input(_ topic: Topic) -> Self {
    TopicDefinition(
      topic: topic, role: .input,
      contract: [Setting("cleanup.policy", "delete"), appendTime],
      // Kafka's own limit: what is above `maxRecordBytes` is rejected, not refused.
      initial: [Setting("retention.ms", days(7)), Setting("max.message.bytes", "1048588")])
  }

  private static func output(_ topic: Topic) -> Self {
    TopicDefinition(
      topic: topic, role: .output,
      contract: [Setting("cleanup.policy", "delete"), appendTime, largeRecords],
      initial: [Setting("retention.ms", days(7))])
  }

  private static func days(_ count: Int64) -> String { String(count * 24 * 60 * 60 * 1000) }
}
