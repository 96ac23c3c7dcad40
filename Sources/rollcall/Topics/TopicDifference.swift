import Kafka
import Worker

/// One way in which the broker's topics are not as the contract says.
enum TopicDifference: Equatable {
  case missing(name: String)
  /// The broker does not let us see it.
  case denied(name: String, reason: String)
  /// The broker does not let us see its settings.
  case unreadable(name: String, reason: String)
  /// It is an input whose older records of a key would vanish: receipts.
  case compacted(name: String, policy: String)
  /// The number of partitions is not the one asked for.
  case partitions(name: String, wanted: Int32, found: Int32)
  /// The topics do not all have the same number of partitions.
  case unequal(PartitionCounts)
  /// A setting has another value; nil: the broker does not say.
  case setting(name: String, wanted: TopicDefinition.Setting, found: String?)

  /// One sentence for the operator.
  var description: String {
    switch self {
    case .missing(let name): "\(name) is missing"
    case .denied(let name, let reason): "\(name) may be there or not: \(reason)"
    case .unreadable(let name, let reason): "\(name): its settings cannot be read: \(reason)"
    case .compacted(let name, let policy):
      "\(name): cleanup.policy is \(policy), not delete: of the records of a conversation all but "
        + "the newest would vanish"
    case .partitions(let name, let wanted, let found):
      "\(name) has \(found) partitions, not \(wanted)"
    case .unequal(let counts): counts.complaint
    case .setting(let name, let wanted, let found):
      "\(name): \(wanted.name) is \(found ?? "unknown"), not \(wanted.value)"
    }
  }
}

/// What a broker says of one topic.
struct TopicDescription: Equatable {
  var partitions: Int32
  /// How many copies there are.
  var copies = 3
  /// By Kafka's own names.
  var settings: [String: String]
  /// Why there are no settings: they may not be read.
  var settingsDenied: String?
}

/// What a broker answers when it is asked for a topic.
enum TopicAnswer: Equatable {
  case missing
  case denied(String)
  case described(TopicDescription)

  /// What it says of a topic that is there.
  var description: TopicDescription? {
    if case .described(let description) = self { description } else { nil }
  }
}

extension Admin {
  /// What the broker says of the contract's topics, by their names here.
  func answers(on names: TopicNames) throws(KafkaError) -> [String: TopicAnswer] {
    var answers: [String: TopicAnswer] = [:]
    var layouts: [TopicLayout] = []
    for topic in LogTopic.allCases {
      let name = names[topic]
      // Two of them may have one name by mistake; who asks twice gets no answer.
      guard answers[name] == nil else { continue }
      do throws(KafkaError) {
        if let layout = try layout(of: name) { layouts.append(layout) }
        answers[name] = .missing
      } catch {
        guard error.denial != nil else { throw error }
        answers[name] = .denied(error.text)
      }
    }
    let configurations = try configurations(of: layouts.map(\.name))
    for layout in layouts {
      var description = TopicDescription(
        partitions: Int32(clamping: layout.partitions), copies: layout.replicationFactor,
        settings: [:])
      switch configurations[layout.name] {
      case .success(let settings): description.settings = settings
      case .failure(let error): description.settingsDenied = error.text
      case nil: break
      }
      answers[layout.name] = .described(description)
    }
    return answers
  }
}

extension TopicDifference {
  /// Compares the broker's topics with the contract, in the order of the topics.
  ///
  /// - Parameters:
  ///   - name: what a topic is called here.
  ///   - partitions: the number asked for; nil: any, but the same for all.
  ///   - broker: what the broker says of a topic of this name.
  static func all(
    name: (LogTopic) -> String, partitions: Int32?, broker: (String) -> TopicAnswer
  ) -> [TopicDifference] {
    var differences: [TopicDifference] = []
    var counts = PartitionCounts()
    for definition in TopicDefinition.all {
      let name = name(definition.topic)
      let found: TopicDescription
      switch broker(name) {
      case .missing:
        differences.append(.missing(name: name))
        continue
      case .denied(let reason):
        differences.append(.denied(name: name, reason: reason))
        continue
      case .described(let description): found = description
      }
      counts.note(name, found.partitions)
      if let partitions, partitions != found.partitions {
        differences.append(.partitions(name: name, wanted: partitions, found: found.partitions))
      }
      differences += settings(of: definition, name, found)
    }
    if !counts.areEqual { differences.append(.unequal(counts)) }
    return differences
  }

  private static func settings(
    of definition: TopicDefinition, _ name: String, _ found: TopicDescription
  ) -> [TopicDifference] {
    if let reason = found.settingsDenied { return [.unreadable(name: name, reason: reason)] }
    return definition.contract.compactMap { setting in
      let value = found.settings[setting.name]
      if let value, setting.isMet(by: value) { return nil }
      if definition.role == .input, setting.name == "cleanup.policy", let value,
        value.contains("compact")
      {
        return .compacted(name: name, policy: value)
      }
      return .setting(name: name, wanted: setting, found: value)
    }
  }
}

/// What the contract leaves to the operator, and what is worth a thought all the same.
enum TopicCaution {
  /// One sentence for each kind of risk, with the topics that run it.
  static func all(
    name: (LogTopic) -> String, broker: (String) -> TopicAnswer
  ) -> [String] {
    let topics = TopicDefinition.all.compactMap { definition in
      let name = name(definition.topic)
      return broker(name).description.map { (name: name, found: $0) }
    }
    func names(_ isConcerned: (TopicDescription) -> Bool) -> String? {
      let names = topics.filter { isConcerned($0.found) }.map(\.name)
      return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    var cautions: [String] = []
    if let names = names({ $0.copies == 1 }) {
      cautions.append(
        "a single copy (replication factor 1), lost with its broker: \(names)")
    }
    if let names = names({ $0.settings["min.insync.replicas"] == "1" }) {
      cautions.append(
        "min.insync.replicas is 1, so that a record can be acknowledged that only one broker has: "
          + names)
    }
    return cautions
  }
}
