import CKafka

extension Producer {
  /// What Kafka adds to a record and to each header of it at most, in bytes.
  private static let recordOverhead = 128
  private static let headerOverhead = 16

  /// Adds a record to the transaction, which begins with the first. The bytes are copied.
  package func produce(
    _ topic: TopicHandle, partition: Int32, key: Span<UInt8>?, value: Span<UInt8>?,
    headers: [(name: String, value: [UInt8])] = []
  ) throws(KafkaError) {
    // A record that the library refuses would be missing from a transaction that succeeds.
    var bytes = (key?.count ?? 0) + (value?.count ?? 0) + Self.recordOverhead
    for header in headers {
      bytes += header.name.utf8.count + header.value.count + Self.headerOverhead
    }
    guard bytes <= largestRecord else {
      throw .recordTooLarge(topic: topic.name, bytes: bytes, limit: largestRecord)
    }
    try begin()
    let deadline = Deadline(after: messageTimeout)
    while let code = handle.send(topic, partition, key, value, headers: headers) {
      guard code == RD_KAFKA_RESP_ERR__QUEUE_FULL else { throw refused(code) }
      guard !deadline.hasPassed else { throw .timedOut(.produce, .init(.produce, code)) }
      unsafe rd_kafka_poll(handle.pointer, 5)
    }
  }

  /// A record was refused: the transaction would be without it.
  private func refused(_ code: rd_kafka_resp_err_t) -> KafkaError {
    if let failure = handle.fatalFailure(.produce) { return .failed(failure) }
    if let topic = handle.callbacks.deniedTopic {
      return handle.error(.produce, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, topic: topic)
    }
    var failure = KafkaError.Failure(.produce, code)
    failure.requiresAbort = true
    failure.isRetriable = false
    return .failed(failure)
  }
}
