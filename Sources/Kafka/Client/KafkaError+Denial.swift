import CKafka

/// What an authorizer has refused: an operation on a resource, by Kafka's own names.
package struct Denial: Equatable, Sendable {
  /// What the operation was for.
  package enum Resource: Equatable, Sendable {
    /// A topic; nil where the broker does not say which.
    case topic(String?)
    case group, transactionalId, cluster
  }

  /// What has to be allowed, such as `READ`.
  package var operation: String
  /// On what.
  package var resource: Resource

  /// Operation and resource in words.
  package var text: String {
    switch resource {
    case .topic(let name?): "\(operation) on topic \(name)"
    case .topic(nil): "\(operation) on a topic"
    case .group: "\(operation) on the group"
    case .transactionalId: "\(operation) on the transactional id"
    case .cluster: "\(operation) on the cluster"
    }
  }
}

extension KafkaError {
  /// What has to be allowed first; nil where no authorizer has refused anything.
  package var denial: Denial? {
    switch self {
    case .failed(let failure), .timedOut(_, let failure?): failure.denial
    case .configuration, .recordTooLarge, .timedOut(_, nil): nil
    }
  }
}

extension KafkaError.Failure {
  /// What has to be allowed first; nil where no authorizer has refused anything.
  var denial: Denial? {
    switch rd_kafka_resp_err_t(code) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      Denial(operation: call.operationOnTopic, resource: .topic(topic))
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      Denial(operation: call == .admin ? "DESCRIBE and DELETE" : "READ", resource: .group)
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      Denial(operation: "WRITE", resource: .transactionalId)
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      Denial(operation: call == .admin ? "CREATE" : "IDEMPOTENT_WRITE", resource: .cluster)
    default: nil
    }
  }
}

extension KafkaError.Call {
  /// What a client that may not make this call lacks on the topic.
  fileprivate var operationOnTopic: String {
    switch self {
    case .create, .metadata, .subscribe, .poll, .committed, .watermarks: "DESCRIBE"
    case .describeConfigs: "DESCRIBE_CONFIGS"
    case .admin: "CREATE or DELETE"
    case .fetch, .assign, .close, .sendOffsets: "READ"
    case .initTransactions, .begin, .produce, .commit, .abort: "WRITE"
    }
  }
}
