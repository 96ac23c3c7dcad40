import BrokerSupport
import Testing

@testable import Kafka

/// What only a real broker can show. One at a time, so that deadlines hold on a small machine.
@Suite(.serialized, .enabled(if: Broker.isAvailable, "no broker: run ops/setup or set KAFKA_HOME"))
enum BrokerTests {
  /// Why a suite needs Apache Kafka.
  static let needsKafka: Comment =
    "noida-db knows no generations, timeouts and kills: set KAFKA_HOME"
}

/// The clients of one test: topics, a group and a transactional id that no other test has.
final class Workbench {
  let broker: Broker
  let input: String
  let output: String
  private let properties: [Property]
  let group: String
  private let commitDeadline: Duration

  init(
    on broker: Broker? = nil, partitions: Int32 = 1, properties: [Property] = [],
    commitDeadline: Duration = .seconds(6)
  ) throws {
    self.broker = try broker ?? Broker.shared()
    self.properties = properties
    self.commitDeadline = commitDeadline
    group = Broker.name("group")
    input = Broker.name("input")
    output = Broker.name("output")
    try admin().create(
      [input, output].map { .init(name: $0, partitions: partitions, replicationFactor: 1) })
  }

  func settings(transactionalId: String = "a", instance: String? = nil) throws -> Settings {
    try Settings(
      .init(
        bootstrapServers: broker.bootstrapServers, group: group,
        transactionalId: "\(group)-\(transactionalId)", groupInstanceId: instance,
        clientId: "test"),
      properties: properties, commitDeadline: commitDeadline)
  }

  func admin() throws -> Admin { try Admin(settings(), notify: { _ in }) }

  /// - Parameter instance: the name of a static member.
  func consumer(instance: String? = nil) throws -> Consumer {
    try Consumer(settings(instance: instance), notify: { _ in })
  }

  func ends() throws -> PartitionEnds { try PartitionEnds(settings(), notify: { _ in }) }

  func producer(_ transactionalId: String = "a") throws -> Producer {
    try Producer(
      settings(transactionalId: transactionalId), within: .seconds(30), notify: { _ in })
  }

  /// Adds records with these values to the producer's transaction.
  func produce(_ values: [String], to topic: String, partition: Int32 = 0, by producer: Producer)
    throws
  {
    let topic = try producer.topic(topic, within: .seconds(10))
    for value in values {
      try producer.produce(topic, partition: partition, key: nil, value: Array(value.utf8).span)
    }
  }

  /// A transaction of records with these values.
  func commit(_ values: [String], to topic: String, partition: Int32 = 0, by producer: Producer)
    throws
  {
    try produce(values, to: topic, partition: partition, by: producer)
    try producer.commit([], of: consumer())
  }

  /// The values of a partition from its beginning to the end that readers of committed records see,
  /// and where that is.
  func read(_ topic: String, partition: Int32 = 0) throws -> (values: [String], next: Int64?) {
    let consumer = try consumer()
    defer { consumer.close(within: .seconds(5)) }
    let queue = try consumer.assign([(TopicPartition(topic, partition), 0)])[0]
    let batch = Batch()
    var values: [String] = []
    try wait(for: "the end of \(topic)") {
      _ = try consumer.wait(for: [queue], timeout: .milliseconds(100))
      try queue.read(into: batch)
      values += batch.values
      return batch.reachedEnd
    }
    return (values, batch.nextOffset)
  }
}

extension Batch {
  /// The values as text; "nil" where there is none.
  var values: [String] {
    (0..<count).map {
      withRecord($0) { copy($1).map { String(decoding: $0, as: UTF8.self) } ?? "nil" }
    }
  }
}

/// A copy of lent bytes.
func copy(_ span: Span<UInt8>?) -> [UInt8]? { span?.withUnsafeBufferPointer { Array($0) } }

/// Repeats until something holds.
func wait(
  for what: String, within timeout: Duration = .seconds(40), _ condition: () throws -> Bool
) throws {
  let deadline = Deadline(after: timeout)
  while try !condition() {
    guard !deadline.hasPassed else { throw NeverHappened(what: what) }
  }
}

struct NeverHappened: Error {
  var what: String
}
