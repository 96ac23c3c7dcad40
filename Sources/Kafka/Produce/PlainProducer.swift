import CKafka

/// A producer without transactions: what it has sent is there once all copies have it, in its order
/// and, after a broker was away, perhaps twice. One thread uses it.
///
/// Not the idempotent one, which can end for good when a partition's leader changes.
@safe package final class PlainProducer {
  private let handle: Handle
  /// Records whose memory the library reads from.
  private var lent: [Unmanaged<OutgoingRecords>] = unsafe []

  /// Makes a client; nothing is sent before the first question.
  package init(_ settings: Settings, notify: @escaping Notify) throws(KafkaError) {
    handle = try Handle(.producer, settings.plainProducer, notify: notify)
  }

  /// A topic to produce to, whose partitions and leaders are learnt now.
  package func topic(_ name: String, within timeout: Duration) throws(KafkaError) -> TopicHandle {
    let topic = try TopicHandle(name, of: handle)
    try topic.learn(within: timeout)
    return topic
  }

  /// Sends a record, and waits at most `timeout` for room for it. The bytes are copied.
  ///
  /// - Parameter timestamp: when it was made, in milliseconds of Unix time; nil: now.
  package func produce(
    _ topic: TopicHandle, partition: Int32, key: Span<UInt8>?, value: Span<UInt8>?,
    headers: [(name: String, value: [UInt8])] = [], timestamp: Int64? = nil,
    within timeout: Duration
  ) throws(KafkaError) {
    let deadline = Deadline(after: timeout)
    while let code = handle.send(
      topic, partition, key, value, headers: headers, timestamp: timestamp)
    {
      guard code == RD_KAFKA_RESP_ERR__QUEUE_FULL else { throw handle.error(.produce, code) }
      guard !deadline.hasPassed else { throw .timedOut(.produce, .init(.produce, code)) }
      unsafe rd_kafka_poll(handle.pointer, 5)
    }
    unsafe rd_kafka_poll(handle.pointer, 0)
  }

  /// Keeps records until all that was sent is there: for ever, if it never is, since no one can say
  /// then when the library has read from them for the last time.
  func lend(_ records: OutgoingRecords) {
    let isLent = unsafe lent.contains {
      unsafe $0.toOpaque() == Unmanaged.passUnretained(records).toOpaque()
    }
    if !isLent { unsafe lent.append(.passRetained(records)) }
  }

  /// Runs the callbacks, and waits at most this long for one.
  func serve(waiting timeout: Duration) {
    unsafe rd_kafka_poll(handle.pointer, timeout.milliseconds)
  }

  /// Why a record was refused.
  func error(_ code: rd_kafka_resp_err_t) -> KafkaError { handle.error(.produce, code) }

  /// Records that could not be delivered.
  package var undelivered: Int { handle.callbacks.undelivered }

  /// Waits until all that was sent is there.
  ///
  /// - Throws: where something was not taken, now or earlier.
  package func flush(within timeout: Duration) throws(KafkaError) {
    let code = unsafe rd_kafka_flush(handle.pointer, timeout.milliseconds)
    if code == RD_KAFKA_RESP_ERR__TIMED_OUT {
      throw .timedOut(.produce, .init(.produce, code))
    }
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.produce, code) }
    for index in unsafe lent.indices { unsafe lent[index].release() }
    unsafe lent.removeAll()
    guard handle.callbacks.undelivered == 0 else {
      let text = "\(handle.callbacks.undelivered) records could not be delivered"
      throw .failed(.init(.produce, RD_KAFKA_RESP_ERR__FAIL, text: text))
    }
  }
}
