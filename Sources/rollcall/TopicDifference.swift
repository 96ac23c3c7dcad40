import Kafka
import Worker

/// One way in which the broker's topics are not as the contract says.
enum TopicDifference: Equatable {
  case missing(name: String)
  /// The number of partitions is not the one asked for.
  case partitions(name: String, wanted: Int32, found: Int32)
  /// The topics do not all have the same number of partitions.
  case unequal([TopicPartitionCount])
  /// A setting has another value; nil: the broker does not say.
  case setting(name: String, wanted: TopicDefinition.Setting, found: String?)

  /// One sentence for the operator.
  var description: String {
    switch self {
    case .missing(let name): "\(name) is missing"
    case .partitions(let name, let wanted, let found):
      "\(name) has \(found) partitions, not \(wanted)"
    case .unequal(let counts):
      "the topics must have the same number of partitions: "
        + counts.map { "\($0.name) has \($0.partitions)" }.joined(separator: ", ")
    case .setting(let name, let wanted, let found):
      "\(name): \(wanted.name) is \(found ?? "unknown"), not \(wanted.value)"
    }
  }
}

/// How many partitions a topic has.
struct TopicPartitionCount: Equatable {
  var name: String
  var partitions: Int32
}

/// What a broker says of one topic.
struct TopicDescription: Equatable {
  var partitions: Int32
  /// By Kafka's own names.
  var settings: [String: String]
}

extension Admin {
  /// What the broker says of those of these topics that are there, by name.
  func descriptions(of names: TopicNames) throws(KafkaError) -> [String: TopicDescription] {
    let wanted = Set(LogTopic.allCases.map { names[$0] })
    let layouts = try cluster().topics.filter { wanted.contains($0.name) }
    let configurations = try configurations(of: layouts.map(\.name))
    var found: [String: TopicDescription] = [:]
    for layout in layouts {
      found[layout.name] = TopicDescription(
        partitions: Int32(clamping: layout.partitions),
        settings: configurations[layout.name] ?? [:])
    }
    return found
  }
}

extension TopicDifference {
  /// Compares the broker's topics with the contract, in the order of the topics.
  ///
  /// - Parameters:
  ///   - name: what a topic is called here.
  ///   - partitions: the number asked for; nil: any, but the same for all.
  ///   - broker: what the broker says of a topic of this name; nil: there is none.
  static func all(
    name: (LogTopic) -> String, partitions: Int32?, broker: (String) -> TopicDescription?
  ) -> [TopicDifference] {
    var differences: [TopicDifference] = []
    var counts: [TopicPartitionCount] = []
    for definition in TopicDefinition.all {
      let name = name(definition.topic)
      guard let found = broker(name) else {
        differences.append(.missing(name: name))
        continue
      }
      counts.append(TopicPartitionCount(name: name, partitions: found.partitions))
      if let partitions, partitions != found.partitions {
        differences.append(.partitions(name: name, wanted: partitions, found: found.partitions))
      }
      for setting in definition.contract {
        let value = found.settings[setting.name]
        if let value, setting.isMet(by: value) { continue }
        differences.append(.setting(name: name, wanted: setting, found: value))
      }
    }
    if Set(counts.map(\.partitions)).count > 1 { differences.append(.unequal(counts)) }
    return differences
  }
}
