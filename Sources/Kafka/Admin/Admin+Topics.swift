import CKafka

extension Admin {
  /// How a topic is laid out; nil where it is missing.
  ///
  /// It is asked for by name: in a list of all, what this client may not see is left out, as if it
  /// was not there. Asking creates none.
  ///
  /// - Throws: with the topic's name where it may not be seen.
  package func layout(of name: String) throws(KafkaError) -> TopicLayout? {
    let topic = try TopicHandle(name, of: handle)
    return try handle.repeating(.metadata, within: timeout) { milliseconds throws(KafkaError) in
      try layout(of: topic, milliseconds)
    }
  }

  private func layout(
    of topic: TopicHandle, _ milliseconds: Int32
  ) throws(KafkaError) -> TopicLayout? {
    // What waits to be told, such as a refused password, is told.
    unsafe rd_kafka_poll(handle.pointer, 0)
    var metadata: UnsafePointer<rd_kafka_metadata>?
    let code = unsafe rd_kafka_metadata(handle.pointer, 0, topic.pointer, &metadata, milliseconds)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.metadata, code) }
    defer { unsafe rd_kafka_metadata_destroy(metadata) }
    guard let answer = unsafe metadata?.pointee.topics, unsafe metadata?.pointee.topic_cnt == 1
    else { return nil }
    switch unsafe answer.pointee.err {
    case RD_KAFKA_RESP_ERR_NO_ERROR: return unsafe TopicLayout(answer.pointee)
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART: return nil
    case let error: throw handle.error(.metadata, error, topic: topic.name)
    }
  }
}
