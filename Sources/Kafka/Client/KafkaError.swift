import CKafka

/// Why something asked of Kafka failed, and what the caller does about it.
package enum KafkaError: Error, Equatable, Sendable {
  /// A property, or several together, cannot work; the text says which, and how to mend it.
  case configuration(String)
  /// The library or a broker answered with an error.
  case failed(Failure)
  /// The call was repeated until our own deadline passed; the last answer comes with it.
  case timedOut(Call, Failure?)
  /// A record is larger than the producer may send, in bytes.
  case recordTooLarge(topic: String, bytes: Int, limit: Int)

  /// What was asked.
  package enum Call: String, CaseIterable, Sendable {
    // Of any client.
    case create, metadata, describeConfigs, admin
    // Of a consumer.
    case subscribe, poll, fetch, assign, committed, watermarks, close
    // Of a transactional producer.
    case initTransactions, begin, produce, sendOffsets, commit, abort

    /// Whether it is asked of a consumer: no new producer mends what is fatal there.
    package var isOfConsumer: Bool {
      switch self {
      case .subscribe, .poll, .fetch, .assign, .committed, .watermarks, .close: true
      case .create, .metadata, .describeConfigs, .admin: false
      case .initTransactions, .begin, .produce, .sendOffsets, .commit, .abort: false
      }
    }
  }

  /// An error of librdkafka's, or of a broker's by way of it.
  package struct Failure: Equatable, Sendable {
    /// What was asked.
    package var call: Call
    /// Kafka's error number; negative for the library's own.
    package var code: Int32
    /// The code's name, such as `_FENCED` or `ILLEGAL_GENERATION`.
    package var name: String
    /// One sentence of the library's.
    package var text: String
    /// The client is dead.
    package var isFatal: Bool
    /// The same call may succeed later.
    package var isRetriable: Bool
    /// The transaction can only be aborted.
    package var requiresAbort: Bool
    /// The topic that it is about; nil where that is not known, or it is about none.
    package var topic: String?
  }

  /// A fixed word for metrics and logs: the code's name in lower case, `fenced` for both its kinds.
  package var label: String {
    switch self {
    case .configuration: "configuration"
    case .timedOut(let call, _): "deadline_\(call.rawValue)"
    case .recordTooLarge: "record_too_large"
    case .failed(let failure) where failure.isFencing: "fenced"
    case .failed(let failure):
      failure.name.hasPrefix("_")
        ? failure.name.dropFirst().lowercased() : failure.name.lowercased()
    }
  }
}

extension KafkaError {
  /// What happened, in one sentence for an operator.
  package var text: String {
    switch self {
    case .configuration(let text): text
    case .failed(let failure): failure.sentence
    case .timedOut(let call, let last):
      "\(call.rawValue) was given up after repeated attempts"
        + (last.map { "; the last one: \($0.sentence)" } ?? "")
    case .recordTooLarge(let topic, let bytes, let limit):
      "a record for \(topic) takes \(bytes) bytes, more than the producer's limit of \(limit)"
    }
  }
}

extension KafkaError.Failure {
  fileprivate var sentence: String {
    let words = "\(call.rawValue): \(name): \(text)"
    return denial.map { "\(words): \($0.text) is not allowed" } ?? words
  }

  /// An error that comes as a bare code, from a call that tells no more.
  init(_ call: KafkaError.Call, _ error: rd_kafka_resp_err_t, text: String? = nil) {
    self.call = call
    self.code = error.rawValue
    self.name = unsafe String(cString: rd_kafka_err2name(error))
    self.text = text ?? (unsafe String(cString: rd_kafka_err2str(error)))
    self.isFatal = error == RD_KAFKA_RESP_ERR__FATAL
    self.isRetriable = Self.passing.contains(error.rawValue)
    self.requiresAbort = false
  }

  /// An error with its flags, which is given back to the library.
  init(_ call: KafkaError.Call, consuming error: OpaquePointer) {
    self.call = call
    self.code = unsafe rd_kafka_error_code(error).rawValue
    self.name = unsafe String(cString: rd_kafka_error_name(error))
    self.text = unsafe String(cString: rd_kafka_error_string(error))
    self.isFatal = unsafe rd_kafka_error_is_fatal(error) != 0
    self.isRetriable = unsafe rd_kafka_error_is_retriable(error) != 0
    self.requiresAbort = unsafe rd_kafka_error_txn_requires_abort(error) != 0
    unsafe rd_kafka_error_destroy(error)
  }

  /// Another producer has our transactional id, or the broker took our epoch away.
  var isFencing: Bool {
    code == RD_KAFKA_RESP_ERR__FENCED.rawValue || code == RD_KAFKA_RESP_ERR_PRODUCER_FENCED.rawValue
  }

  /// Bare codes that pass by themselves: links, coordinators, leaders and groups in motion.
  private static let passing: Set<Int32> = [
    RD_KAFKA_RESP_ERR__TRANSPORT.rawValue,
    RD_KAFKA_RESP_ERR__RESOLVE.rawValue,
    RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN.rawValue,
    RD_KAFKA_RESP_ERR__TIMED_OUT.rawValue,
    RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE.rawValue,
    RD_KAFKA_RESP_ERR__WAIT_COORD.rawValue,
    RD_KAFKA_RESP_ERR__WAIT_CACHE.rawValue,
    RD_KAFKA_RESP_ERR__IN_PROGRESS.rawValue,
    RD_KAFKA_RESP_ERR__PREV_IN_PROGRESS.rawValue,
    RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION.rawValue,
    RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC.rawValue,
    RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART.rawValue,
    RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE.rawValue,
    RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION.rawValue,
    RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT.rawValue,
    RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE.rawValue,
    RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE.rawValue,
    RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION.rawValue,
    RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS.rawValue,
    RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE.rawValue,
    RD_KAFKA_RESP_ERR_NOT_COORDINATOR.rawValue,
    RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION.rawValue,
    RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID.rawValue,
    RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS.rawValue,
    RD_KAFKA_RESP_ERR_NOT_CONTROLLER.rawValue,
    RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR.rawValue,
    RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH.rawValue,
    RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH.rawValue,
    RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT.rawValue,
  ]
}
