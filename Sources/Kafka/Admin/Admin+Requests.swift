import CKafka

extension Admin {
  /// Owns the answer to a request; what it holds is read through the library's own functions.
  @safe struct Answer: ~Copyable {
    let event: OpaquePointer

    deinit { unsafe rd_kafka_event_destroy(event) }
  }

  /// Sends a request and waits for the answer.
  func ask(
    _ operation: rd_kafka_admin_op_t,
    _ send: (_ options: OpaquePointer?, _ queue: OpaquePointer?) -> Void
  ) throws(KafkaError) -> Answer {
    let milliseconds = timeout.milliseconds
    let options = unsafe rd_kafka_AdminOptions_new(handle.pointer, operation)
    defer { unsafe rd_kafka_AdminOptions_destroy(options) }
    // The time for the library to find a broker and have the answer…
    unsafe rd_kafka_AdminOptions_set_request_timeout(options, milliseconds, nil, 0)
    // …and for the brokers to carry it out, where the request has such a time at all.
    unsafe rd_kafka_AdminOptions_set_operation_timeout(options, milliseconds, nil, 0)
    guard let queue = unsafe rd_kafka_queue_new(handle.pointer) else {
      preconditionFailure("librdkafka ends the process itself when memory is out")
    }
    defer { unsafe rd_kafka_queue_destroy(queue) }
    unsafe send(options, queue)
    // The library answers in any case; the second is for its own clock.
    guard let event = unsafe rd_kafka_queue_poll(queue, milliseconds + 1000) else {
      throw .timedOut(.admin, nil)
    }
    let answer = unsafe Answer(event: event)
    try unsafe check(rd_kafka_event_error(event), unsafe rd_kafka_event_error_string(event))
    return answer
  }

  /// Throws what stands beside a part of an answer.
  func check(
    _ code: rd_kafka_resp_err_t, _ text: UnsafePointer<CChar>?
  ) throws(KafkaError) {
    guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return }
    let text = unsafe text.map { unsafe String(cString: $0) }
    throw .failed(.init(.admin, code, text: text))
  }
}
