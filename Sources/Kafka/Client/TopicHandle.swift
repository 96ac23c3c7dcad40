import CKafka

/// A topic that one client knows by a handle, so that no call has to look its name up.
@safe package final class TopicHandle {
  /// Its name on the broker.
  package let name: String
  let pointer: OpaquePointer
  private let handle: Handle

  init(_ name: String, of handle: Handle) throws(KafkaError) {
    guard let topic = unsafe rd_kafka_topic_new(handle.pointer, name, nil) else {
      throw handle.error(.metadata, rd_kafka_last_error())
    }
    self.name = name
    self.handle = handle
    unsafe pointer = topic
  }

  deinit { unsafe rd_kafka_topic_destroy(pointer) }

  /// Has the client learn the topic's partitions and their leaders; without it the first record
  /// waits for them, up to a second.
  func learn(within timeout: Duration) throws(KafkaError) {
    try handle.repeating(.metadata, within: timeout) { milliseconds throws(KafkaError) in
      var metadata: UnsafePointer<rd_kafka_metadata>?
      let code = unsafe rd_kafka_metadata(handle.pointer, 0, pointer, &metadata, milliseconds)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.metadata, code) }
      defer { unsafe rd_kafka_metadata_destroy(metadata) }
      guard let topic = unsafe metadata?.pointee.topics, unsafe metadata?.pointee.topic_cnt == 1,
        unsafe topic.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR
      else {
        if let answer = unsafe metadata?.pointee.topics?.pointee.err,
          answer == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED
        {
          throw handle.error(.metadata, answer, topic: name)
        }
        let text = "the broker knows no topic \(name)"
        throw .failed(.init(.metadata, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, text: text))
      }
    }
  }
}
