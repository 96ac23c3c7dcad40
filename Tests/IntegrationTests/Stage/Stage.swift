import BrokerSupport
import Core
import Foundation
import Kafka
import Wire
import Worker

@testable import rollcall

/// Where one test plays: topics, a group and a folder for logs that no other test has.
final class Stage: Sendable {
  let broker: Broker
  let partitionCount: Int32
  let group: String
  let folder: URL
  let connection: Connection

  /// Creates the topics.
  ///
  /// - Parameters:
  ///   - timestamps: the timestamp type of the inputs.
  ///   - group: nil: one that no other test has.
  ///   - adjust: may change a topic that is to be made, and says whether it is made at all.
  init(
    _ broker: Broker, partitions: Int32, timestamps: String = "LogAppendTime",
    group: String? = nil,
    adjust: (Topic, inout Admin.NewTopic) -> Bool = { _, _ in true }
  ) throws {
    self.broker = broker
    partitionCount = partitions
    let name = Broker.name("pool")
    self.group = group ?? name
    folder = FileManager.default.temporaryDirectory.appending(
      path: "rollcall-stage-\(ProcessInfo.processInfo.processIdentifier)-\(name)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var connection = Connection()
    connection.bootstrapServers = broker.bootstrapServers
    connection.topicPrefix = "\(name)."
    self.connection = connection
    let topics = TopicDefinition.all.compactMap { definition -> Admin.NewTopic? in
      let isInput = Topic.inputs.contains(definition.topic)
      let settings = (definition.contract + definition.initial).map { setting in
        let isTime = setting.name == "message.timestamp.type"
        return Property(setting.name, isTime && isInput ? timestamps : setting.value)
      }
      var topic = Admin.NewTopic(
        name: connection.names[definition.topic], partitions: partitions, replicationFactor: -1,
        configuration: settings)
      return adjust(definition.topic, &topic) ? topic : nil
    }
    try Admin(clients("stage"), notify: { _ in }).create(topics)
  }

  /// Takes the logs away.
  func strike() throws { try FileManager.default.removeItem(at: folder) }

  /// The settings of a client that stands beside the workers.
  func clients(_ purpose: String) throws -> Settings {
    try Settings.beside(connection, group: group, purpose: purpose)
  }

  /// All partitions of some topics.
  func partitions(of topics: [Topic]) -> [TopicPartition] {
    topics.flatMap { topic in (0..<partitionCount).map { name(topic, $0) } }
  }

  /// A partition of a topic.
  func name(_ topic: Topic, _ partition: Int32) -> TopicPartition {
    TopicPartition(connection.names[topic], partition)
  }

  /// The options that lead a command to these topics.
  var options: [String] {
    ["--bootstrap-servers", connection.bootstrapServers, "--topic-prefix", connection.topicPrefix]
  }

  /// Runs a command on these topics to its end.
  func run(_ words: [String]) throws -> Command { try Command.run(words + options, in: folder) }

  /// Reads a topic to its end: records that are committed, by partition.
  ///
  /// - Parameter headers: the headers that are wanted.
  func read(_ topic: Topic, headers: [String] = []) throws -> [[StoredRecord]] {
    var records = [[StoredRecord]](repeating: [], count: Int(partitionCount))
    let reader = try TopicReader(
      clients("reader"), partitions(of: [topic]), notify: { _ in })
    defer { reader.close() }
    let limit = ContinuousClock.now + .seconds(120)
    while !reader.isAtEnd {
      guard ContinuousClock.now < limit else { throw Missed(description: "the end of \(topic)") }
      try reader.pollBatches(.milliseconds(100)) { partition, batch in
        for index in 0..<batch.count {
          records[Int(partition.partition)].append(StoredRecord(batch, index, headers))
        }
      }
    }
    return records
  }
}

/// A record as it lies in a topic.
struct StoredRecord {
  var offset: Int64
  var timestamp: Int64?
  var key: [UInt8]?
  var value: [UInt8]?
  /// Those that were wanted, in the order in which they were.
  var headers: [String]

  init(_ batch: Kafka.Batch, _ index: Int, _ headers: [String]) {
    offset = batch.offset(index)
    timestamp = batch.timestampMilliseconds(index)
    (key, value) = batch.withRecord(index) { ([UInt8]($0), [UInt8]($1)) }
    self.headers = headers.map { name in
      batch.header(name, of: index).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }

  var text: String { String(decoding: value ?? [], as: UTF8.self) }
}

extension [UInt8] {
  fileprivate init?(_ span: Span<UInt8>?) {
    guard let span else { return nil }
    self = span.withUnsafeBufferPointer { Array($0) }
  }
}
