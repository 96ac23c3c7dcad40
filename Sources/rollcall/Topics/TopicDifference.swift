import Core
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

extension TopicDifference {
  /// Compares the broker's topics with the contract, in the order of the topics.
  ///
  /// - Parameter partitions: the number asked for; nil: any, but the same for all.
  static func all(in answers: TopicAnswers, partitions: Int32?) -> [TopicDifference] {
    var differences: [TopicDifference] = []
    for definition in TopicDefinition.all {
      let name = answers.names[definition.topic]
      switch answers[definition.topic] {
      case .missing: differences.append(.missing(name: name))
      case .denied(let reason): differences.append(.denied(name: name, reason: reason))
      case .described(let found):
        if let partitions, partitions != found.partitions {
          differences.append(.partitions(name: name, wanted: partitions, found: found.partitions))
        }
        differences += settings(of: definition, name, found)
      }
    }
    let counts = answers.counts
    return counts.areEqual ? differences : differences + [.unequal(counts)]
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
  static func all(in answers: TopicAnswers) -> [String] {
    let topics = Topic.allCases.compactMap { topic in
      answers[topic].description.map { (name: answers.names[topic], found: $0) }
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
