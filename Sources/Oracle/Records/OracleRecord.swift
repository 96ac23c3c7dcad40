/// A record as it lies in a topic.
package struct OracleRecord: Sendable {
  /// The topics of the contract that the oracle looks at.
  package enum Topic: String, CaseIterable, Sendable {
    case messages, receipts, deletes
    case events, actions, status, rejected

    /// The name that the contract gives to the topic.
    package var contractName: String { "chat." + rawValue }
  }

  /// The topic that it lies in.
  package var topic: Topic
  /// The partition that it lies in.
  package var partition: Int32
  /// Its place in the partition.
  package var offset: Int64
  /// Its Kafka timestamp in milliseconds, if it has one.
  package var timestamp: Int64?
  /// Its key, if it has one.
  package var key: [UInt8]?
  /// Its value, if it has one.
  package var value: [UInt8]?
  /// Its headers, in order.
  package var headers: [(name: String, value: String)]

  /// A record that lies at a place.
  package init(
    topic: Topic, partition: Int32, offset: Int64, timestamp: Int64? = nil, key: [UInt8]? = nil,
    value: [UInt8]? = nil, headers: [(name: String, value: String)] = []
  ) {
    self.topic = topic
    self.partition = partition
    self.offset = offset
    self.timestamp = timestamp
    self.key = key
    self.value = value
    self.headers = headers
  }
}

/// Why an oracle cannot decide.
package enum OracleError: Error, Equatable {
  /// An option that the contract does not have, or a value that it does not allow.
  case badOption(String)

  /// A fixed word for logs.
  package var label: String {
    switch self {
    case .badOption: "bad_option"
    }
  }
}

/// What is known of the order in which a partition's inputs were applied.
package enum OracleOrder: Sendable {
  /// Each topic in its own order, and otherwise any: what the order between topics may decide is
  /// granted, and counted.
  case any
  /// Merged by timestamp, as `apply` is given them: nothing is granted.
  case merged
}
