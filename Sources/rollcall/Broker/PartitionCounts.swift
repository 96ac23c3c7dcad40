import Core
import Kafka
import Worker

/// How many partitions the topics have, which must be as many in all of them.
struct PartitionCounts: Equatable {
  private struct Count: Equatable {
    var name: String
    /// 0: the topic is missing.
    var partitions: Int32
  }

  private var counts: [Count] = []

  /// Of no topic yet.
  init() {}

  /// Of some of the contract's topics, by their names here.
  init(
    of topics: [Topic], _ names: TopicNames, _ admin: Admin
  ) throws(KafkaError) {
    for topic in topics {
      let layout = try admin.layout(of: names[topic])
      note(names[topic], Int32(clamping: layout?.partitions ?? 0))
    }
  }

  /// Notes how many a topic has; 0: it is missing.
  mutating func note(_ name: String, _ partitions: Int32) {
    counts.append(Count(name: name, partitions: partitions))
  }

  /// Whether no topic has another number than the others.
  var areEqual: Bool { counts.allSatisfy { $0.partitions == counts[0].partitions } }

  /// The number that all topics have; nil: one is missing or has another number.
  var common: Int32? {
    areEqual ? counts.first.flatMap { $0.partitions > 0 ? $0.partitions : nil } : nil
  }

  /// What is to be said where they have no common number.
  var complaint: String {
    let isMissing = counts.contains { $0.partitions == 0 }
    return "the topics must \(isMissing ? "be there and " : "")have the same number of partitions: "
      + counts.map { $0.name + ($0.partitions == 0 ? " is missing" : " has \($0.partitions)") }
      .joined(separator: ", ")
  }
}
