import CKafka
import Testing

@testable import Kafka

@Suite struct DispositionTests {
  /// An error as the library hands it out: the call it appears on, its code and its flags.
  struct Case: CustomTestStringConvertible {
    var call: KafkaError.Call
    var code: rd_kafka_resp_err_t
    var flags: Flags
    var expected: KafkaError.Disposition
    var label: String

    init(
      _ call: KafkaError.Call, _ code: rd_kafka_resp_err_t, _ flags: Flags,
      _ expected: KafkaError.Disposition, _ label: String
    ) {
      (self.call, self.code, self.flags, self.expected) = (call, code, flags, expected)
      self.label = label
    }

    var testDescription: String { "\(call) \(label) \(flags)" }
  }

  enum Flags { case fatal, abort, retriable, none }

  static let cases: [Case] = [
    // The code of a fenced producer counts before the flags.
    Case(.commit, RD_KAFKA_RESP_ERR__FENCED, .fatal, .rebuild, "fenced"),
    Case(.sendOffsets, RD_KAFKA_RESP_ERR__FENCED, .abort, .rebuild, "fenced"),
    Case(.produce, RD_KAFKA_RESP_ERR_PRODUCER_FENCED, .abort, .rebuild, "fenced"),
    Case(.abort, RD_KAFKA_RESP_ERR__FENCED, .none, .rebuild, "fenced"),
    Case(.initTransactions, RD_KAFKA_RESP_ERR_PRODUCER_FENCED, .fatal, .rebuild, "fenced"),
    // Fatal: a new producer, unless only an operator can help.
    Case(.commit, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, .fatal, .rebuild, "invalid_txn_state"),
    Case(
      .sendOffsets, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING, .fatal, .rebuild,
      "invalid_producer_id_mapping"),
    Case(
      .produce, RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, .fatal, .rebuild,
      "out_of_order_sequence_number"),
    Case(
      .initTransactions, RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, .fatal, .exit,
      "transactional_id_authorization_failed"),
    Case(
      .initTransactions, RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, .fatal, .exit,
      "invalid_transaction_timeout"),
    Case(
      .produce, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, .abort, .exit,
      "topic_authorization_failed"),
    Case(
      .sendOffsets, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, .abort, .exit,
      "group_authorization_failed"),
    // Requires an abort.
    Case(.sendOffsets, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, .abort, .abort, "illegal_generation"),
    Case(.sendOffsets, RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, .abort, .abort, "unknown_member_id"),
    Case(.sendOffsets, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, .abort, .abort, "fenced_instance_id"),
    Case(
      .sendOffsets, RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, .abort, .abort,
      "rebalance_in_progress"),
    Case(
      .sendOffsets, RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE, .abort, .abort,
      "offset_metadata_too_large"),
    Case(.commit, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, .abort, .abort, "invalid_txn_state"),
    Case(.commit, RD_KAFKA_RESP_ERR__TIMED_OUT, .abort, .abort, "timed_out"),
    Case(.commit, RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, .abort, .abort, "unknown_producer_id"),
    // An abort that asks for an abort, or finds no transaction, has nothing left to do.
    Case(.abort, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, .fatal, .rebuild, "invalid_txn_state"),
    Case(.abort, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, .abort, .rebuild, "invalid_txn_state"),
    Case(.abort, RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, .none, .rebuild, "invalid_txn_state"),
    // Retriable.
    Case(.commit, RD_KAFKA_RESP_ERR__TIMED_OUT, .retriable, .again, "timed_out"),
    Case(
      .sendOffsets, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, .retriable, .again,
      "concurrent_transactions"),
    // Without any flag.
    Case(.commit, RD_KAFKA_RESP_ERR__STATE, .none, .rebuild, "state"),
    Case(.abort, RD_KAFKA_RESP_ERR__CONFLICT, .none, .rebuild, "conflict"),
    // No producer mends a dead consumer, and none brings records back.
    Case(.poll, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, .fatal, .exit, "fenced_instance_id"),
    Case(.fetch, RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, .none, .exit, "auto_offset_reset"),
  ]

  @Test(arguments: cases)
  func `A transaction's errors give what the table says`(_ item: Case) {
    var failure = KafkaError.Failure(item.call, item.code)
    failure.isFatal = item.flags == .fatal
    failure.requiresAbort = item.flags == .abort
    failure.isRetriable = item.flags == .retriable
    let error = KafkaError.failed(failure)
    #expect(error.disposition == item.expected)
    #expect(error.label == item.label)
  }

  @Test
  func `After its deadline a commit needs a new producer, offsets an abort, a question patience`() {
    let dispositions: [(KafkaError.Disposition, [KafkaError.Call])] = [
      (.rebuild, [.commit, .abort, .initTransactions]), (.abort, [.sendOffsets, .produce]),
      (.again, [.committed, .watermarks]),
    ]
    for (disposition, calls) in dispositions {
      #expect(
        calls.map { KafkaError.timedOut($0, nil).disposition } == calls.map { _ in disposition })
    }
  }

  @Test func `Bare codes of links and coordinators in motion are tried again`() {
    for code in [
      RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__TIMED_OUT,
      RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, RD_KAFKA_RESP_ERR_NOT_COORDINATOR,
      RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
    ] {
      #expect(KafkaError.failed(.init(.committed, code)).disposition == .again)
    }
  }
}
