import CKafka

extension KafkaError {
  /// What the caller does after an error.
  package enum Disposition: String, CaseIterable, Sendable {
    /// The same call, with the same arguments, once more.
    case again
    /// Flush, abort, restore, go on from the committed offsets.
    case abort
    /// A new producer, restore, go on from the committed offsets.
    case rebuild
    /// Stop: repeating cannot help.
    case exit
  }

  /// What the caller does about it. The order of the questions counts: librdkafka marks some errors
  /// of a fenced producer as ones that an abort would mend.
  package var disposition: Disposition {
    switch self {
    case .configuration, .recordTooLarge:
      return .exit
    case .timedOut(let call, _):
      return call.afterDeadline
    case .failed(let failure):
      if failure.isFencing { return .rebuild }
      if failure.isHopeless { return .exit }
      if failure.isFatal { return failure.call.isOfConsumer ? .exit : .rebuild }
      if failure.requiresAbort { return failure.call == .abort ? .rebuild : .abort }
      if failure.isRetriable { return .again }
      return .rebuild
    }
  }
}

extension KafkaError {
  /// Whether a position of a partition is not there any more, or not yet.
  package var isGap: Bool {
    guard case .failed(let failure) = self else { return false }
    return failure.code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET.rawValue
      || failure.code == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE.rawValue
  }
}

extension KafkaError.Call {
  /// What follows when a call was repeated until its deadline.
  ///
  /// A commit or an abort that is still under way forbids every other call to the producer, so only
  /// a new one helps. Offsets that did not get through have used the transaction's time up.
  fileprivate var afterDeadline: KafkaError.Disposition {
    switch self {
    case .commit, .abort, .begin, .initTransactions: .rebuild
    case .sendOffsets, .produce: .abort
    case .create, .metadata, .describeConfigs, .admin: .again
    case .subscribe, .poll, .fetch, .assign, .committed, .watermarks, .close: .again
    }
  }
}

extension KafkaError.Failure {
  /// Whether only an operator can mend it.
  ///
  /// `INVALID_TXN_STATE` is not among them: an abort after the broker gave the transaction up ends
  /// in it, and a new producer goes on.
  fileprivate var isHopeless: Bool {
    switch rd_kafka_resp_err_t(code) {
    // Not allowed, or not known.
    case RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
      RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM, RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE,
      RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
      RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,
      RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      true
    // Settings that the library or the broker refuses.
    case RD_KAFKA_RESP_ERR__INVALID_ARG, RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE,
      RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION, RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT,
      RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, RD_KAFKA_RESP_ERR_INVALID_GROUP_ID,
      RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL:
      true
    // Records that are gone or cannot be read: going on would pass them over in silence.
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE,
      RD_KAFKA_RESP_ERR__BAD_MSG, RD_KAFKA_RESP_ERR__BAD_COMPRESSION:
      true
    default:
      false
    }
  }
}
