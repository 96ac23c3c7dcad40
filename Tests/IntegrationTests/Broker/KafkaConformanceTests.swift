import BrokerSupport
import Conformance
import Core
import Lab
import Testing
import Worker

@testable import Kafka
@testable import rollcall

/// Kafka answers what the log in memory answers: what simulations show holds for it, too.
@Suite(.enabled(if: Broker.isAvailable && Broker.isKafka, Integration.needsKafka))
struct ConformanceTests {
  @Test(arguments: LogTranscript.allCases)
  func `Kafka answers`(transcript: LogTranscript) throws {
    try transcript.run(on: KafkaStage())
  }
}

/// Topics and a group of one transcript's own.
private final class KafkaStage: LogStage {
  private let prefix = Broker.name("conformance") + "."
  private let servers: String
  private let names: TopicNames
  private let watcher: Consumer
  private var pending: Producer?

  init() throws {
    servers = try Broker.shared().bootstrapServers
    names = TopicNames(prefix: prefix)
    let settings = try Self.settings(servers, prefix, "watcher", "watcher")
    watcher = try Consumer(settings, notify: { _ in })
    try Admin(settings, notify: { _ in }).create(
      Topic.allCases.map { .init(name: names[$0], partitions: 2, replicationFactor: 1) })
  }

  /// Members that are given up as soon as Kafka allows it.
  private static let hasty = [
    Property("message.timeout.ms", "4000"), Property("transaction.timeout.ms", "5000"),
    Property("session.timeout.ms", "6000"), Property("max.poll.interval.ms", "7000"),
  ]
  /// A transaction that outlasts some questions that wait for it.
  private static let patient = [
    Property("message.timeout.ms", "4000"), Property("transaction.timeout.ms", "40000"),
    Property("session.timeout.ms", "45000"),
  ]

  private static func settings(
    _ servers: String, _ prefix: String, _ member: String, _ transactionalId: String,
    _ properties: [Property] = hasty
  ) throws(KafkaError) -> Settings {
    try Settings(
      .init(
        bootstrapServers: servers, group: prefix, transactionalId: prefix + transactionalId,
        groupInstanceId: nil, clientId: member),
      properties: properties)
  }

  func open(_ member: String, transactionalId: String) throws(LogMismatch) -> KafkaLog {
    do {
      return try KafkaLog(
        Self.settings(servers, prefix, member, transactionalId), names: names, notify: { _ in })
    } catch {
      throw LogMismatch("\(member) does not open: \(error)")
    }
  }

  func pass() { rest(.milliseconds(50)) }

  func leavePending(_ position: CommittedPosition) throws(LogMismatch) {
    do {
      let producer = try Producer(
        Self.settings(servers, prefix, "pending", "pending", Self.patient), within: .seconds(20),
        notify: { _ in })
      pending = producer
      try producer.begin()
      let positions = zip(Topic.inputs, position.offsets).map { topic, offset in
        Position(
          TopicPartition(names[topic], position.partition), offset: offset,
          metadata: topic == .messages ? position.metadata : "")
      }
      try producer.send(positions, of: watcher, within: .seconds(4))
    } catch {
      throw LogMismatch("nothing is pending: \(error)")
    }
  }

  func commitPending() throws(LogMismatch) {
    do throws(KafkaError) { try pending?.commit() } catch {
      throw LogMismatch("what is pending is not committed: \(error)")
    }
  }
}
