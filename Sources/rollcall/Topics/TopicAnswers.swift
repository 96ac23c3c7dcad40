import Core
import Kafka
import Worker

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

/// What a broker answers when it is asked for the contract's topics.
struct TopicAnswers {
  let names: TopicNames
  /// By the names here, of which two topics may have one by mistake.
  var byName: [String: TopicAnswer] = [:]

  /// The answer about a topic.
  subscript(topic: Topic) -> TopicAnswer { byName[names[topic]] ?? .missing }

  /// How many partitions those have that are there.
  var counts: PartitionCounts {
    Topic.allCases.reduce(into: PartitionCounts()) { counts, topic in
      if let found = self[topic].description { counts.note(names[topic], found.partitions) }
    }
  }
}

extension Admin {
  /// What the broker says of the contract's topics.
  func answers(on names: TopicNames) throws(KafkaError) -> TopicAnswers {
    var answers = TopicAnswers(names: names)
    var layouts: [TopicLayout] = []
    for topic in Topic.allCases {
      let name = names[topic]
      // Who asks twice for one name gets no answer.
      guard answers.byName[name] == nil else { continue }
      do throws(KafkaError) {
        if let layout = try layout(of: name) { layouts.append(layout) }
        answers.byName[name] = .missing
      } catch {
        guard error.denial != nil else { throw error }
        answers.byName[name] = .denied(error.text)
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
      answers.byName[layout.name] = .described(description)
    }
    return answers
  }
}
