import Core
import Worker

/// An input record to be skipped, as the command line names it.
struct SkippedRecord: Equatable {
  var topic: String
  var partition: Int32
  var offset: Int64

  /// Finds the topics; each goes by its name or by its default name.
  static func resolve(
    _ skips: [SkippedRecord], _ names: TopicNames
  ) throws(UsageError) -> Set<WorkerConfiguration.Skip> {
    var resolved: Set<WorkerConfiguration.Skip> = []
    for skip in skips {
      let topic = InputTopic.allCases.first { input in
        [names[Topic(input)], Topic(input).defaultName].contains(skip.topic)
      }
      guard let topic else {
        let allowed = Topic.inputs.map { names[$0] }.joined(separator: ", ")
        throw UsageError(
          message: "--skip: '\(skip.topic)' is no input topic; allowed: \(allowed)")
      }
      resolved.insert(.init(topic: topic, partition: skip.partition, offset: skip.offset))
    }
    return resolved
  }
}

extension Option {
  /// Input records that an operator has skipped.
  static func skip(_ path: WritableKeyPath<Settings, [SkippedRecord]>, help: String) -> Option {
    Option(
      name: "skip", metavar: "TOPIC:PARTITION:OFFSET", kind: .list(separator: ","), help: help,
      set: { settings, value throws(BadValue) in
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let partition = Int32(parts[1]), let offset = Int64(parts[2]),
          partition >= 0, offset >= 0
        else { throw BadValue(allowed: "TOPIC:PARTITION:OFFSET, such as chat.receipts:3:1234") }
        settings[keyPath: path].append(
          SkippedRecord(topic: String(parts[0]), partition: partition, offset: offset))
      },
      show: { settings in
        settings[keyPath: path].map { "\($0.topic):\($0.partition):\($0.offset)" }
          .joined(separator: ",")
      })
  }
}
