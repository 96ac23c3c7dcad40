import CKafka
import Testing

@testable import Kafka

/// Errors answered by librdkafka's mock broker: what its flags make of them, and
/// what we make of those.
@Suite struct InjectedErrorTests {
  /// The requests of a transaction, by their numbers in Kafka's protocol.
  enum Request: Int16 {
    case produce = 0
    case initProducerId = 22
    case addPartitions = 24
    case addOffsets = 25
    case end = 26
    case commitOffsets = 28
  }

  struct Case: CustomTestStringConvertible {
    var request: Request
    var code: rd_kafka_resp_err_t
    /// Nil: the library repeats the request and the transaction is committed.
    var expected: KafkaError.Disposition?
    var alternative: KafkaError.Disposition?
    var name: String { String(cString: rd_kafka_err2name(code)) }
    var testDescription: String { "\(request) answered with \(name)" }

    init(
      _ request: Request, _ code: rd_kafka_resp_err_t, _ expected: KafkaError.Disposition?,
      or alternative: KafkaError.Disposition? = nil
    ) {
      (self.request, self.code, self.expected) = (request, code, expected)
      self.alternative = alternative ?? expected
    }
  }

  static let cases: [Case] = [
    Case(.addPartitions, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, .rebuild),
    Case(.produce, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, .rebuild),
    Case(.addOffsets, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, .rebuild),
    Case(.commitOffsets, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, .rebuild),
    Case(.end, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, .rebuild),
    Case(.addPartitions, RD_KAFKA_RESP_ERR_PRODUCER_FENCED, .rebuild),
    Case(.addOffsets, RD_KAFKA_RESP_ERR_PRODUCER_FENCED, .rebuild),
    Case(.commitOffsets, RD_KAFKA_RESP_ERR_PRODUCER_FENCED, .rebuild),
    Case(.end, RD_KAFKA_RESP_ERR_PRODUCER_FENCED, .rebuild),
    Case(.addPartitions, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, .rebuild),
    Case(.produce, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, .abort),
    Case(.end, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, .rebuild),
    Case(.commitOffsets, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING, .rebuild),
    Case(.end, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING, .abort),
    Case(.addOffsets, RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, .abort),
    Case(.addPartitions, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, nil),
    Case(.end, RD_KAFKA_RESP_ERR_NOT_COORDINATOR, nil),
    Case(.commitOffsets, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, nil),
    Case(.produce, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, nil),
    Case(.commitOffsets, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, .abort),
    Case(.commitOffsets, RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, .abort),
    Case(.commitOffsets, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, .abort),
    Case(.commitOffsets, RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, .abort),
    Case(.commitOffsets, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, .exit),
    // The cause is told only when the answer comes before the next call; else that one just fails,
    // and the cause comes when the transaction is done again.
    Case(.addPartitions, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, .exit, or: .abort),
    Case(.produce, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, .abort),
    Case(.produce, RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP, .abort),
    Case(.initProducerId, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, nil),
    Case(.initProducerId, RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, .exit),
    Case(.initProducerId, RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, .exit),
  ]

  @Test(arguments: cases)
  func `An answered error leads to what the table says`(_ item: Case) throws {
    let cluster = try MockCluster()
    var outcome: KafkaError.Disposition?
    var text = "committed"
    do throws(KafkaError) {
      if item.request == .initProducerId { cluster.answer(item.request, item.code) }
      let producer = try cluster.producer()
      if item.request != .initProducerId { cluster.answer(item.request, item.code) }
      try cluster.transaction(by: producer)
      #expect(!producer.isOpen)
    } catch {
      (outcome, text) = (error.disposition, error.text)
    }
    #expect(outcome == item.expected || outcome == item.alternative, "\(text)")
  }

  @Test func `A transaction goes on after one that had to be aborted`() throws {
    let cluster = try MockCluster()
    let producer = try cluster.producer()
    cluster.answer(.commitOffsets, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION)
    #expect(throws: KafkaError.self) { try cluster.transaction(by: producer) }
    #expect(producer.isOpen)
    try producer.abort()
    #expect(!producer.isOpen)
    try cluster.transaction(by: producer)
  }

  @Test func `Nothing is sent to end a transaction in which nothing is`() throws {
    let cluster = try MockCluster()
    let producer = try cluster.producer()
    cluster.answer(.end, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE)
    try producer.commit([], of: cluster.consumer)
    try producer.abort()
  }
}

/// librdkafka's mock cluster with one broker, and clients of it. It lives in a client of its own.
private final class MockCluster {
  private let host: Handle
  let consumer: Consumer
  private let settings: Settings

  init() throws {
    host = try Handle(
      .producer, [Property("test.mock.num.brokers", "1")], notify: { _ in })
    let cluster = try #require(rd_kafka_handle_mock_cluster(host.pointer))
    settings = try Settings(
      .init(
        bootstrapServers: String(cString: rd_kafka_mock_cluster_bootstraps(cluster)), group: "g",
        transactionalId: "g-a-0", groupInstanceId: nil, clientId: "test"))
    consumer = try Consumer(settings, notify: { _ in })
    #expect(rd_kafka_mock_topic_create(cluster, "out", 1, 1) == RD_KAFKA_RESP_ERR_NO_ERROR)
  }

  /// The next request of this kind is answered with an error.
  func answer(_ request: InjectedErrorTests.Request, _ code: rd_kafka_resp_err_t) {
    rd_kafka_mock_push_request_errors_array(
      rd_kafka_handle_mock_cluster(host.pointer), request.rawValue, 1, [code])
  }

  func producer() throws(KafkaError) -> Producer {
    try Producer(settings, within: .seconds(10), notify: { _ in })
  }

  /// One record and one position, committed.
  func transaction(by producer: Producer) throws(KafkaError) {
    let topic = try producer.topic("out", within: .seconds(10))
    try producer.produce(topic, partition: 0, key: nil, value: [1].span)
    try producer.commit([Position(TopicPartition("in", 0), offset: 7)], of: consumer)
  }
}
