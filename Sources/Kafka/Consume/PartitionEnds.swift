import CKafka

/// Tells how far partitions really reach, open transactions included. One thread uses it.
///
/// A client of its own: one that reads committed records only is told the end of those.
package final class PartitionEnds {
  private let handle: Handle
  private var known: [String: TopicHandle] = [:]
  /// The topics whose partitions are counted.
  private var counted: [String: TopicHandle] = [:]

  /// Makes a client; nothing is sent before the first question.
  ///
  /// - Parameter committedOnly: it tells how far all transactions are decided, instead.
  package init(
    _ settings: Settings, committedOnly: Bool = false, notify: @escaping Notify
  ) throws(KafkaError) {
    let isolation = committedOnly ? [Property("isolation.level", "read_committed")] : []
    handle = try Handle(.consumer, settings.ends + isolation, notify: notify)
  }

  /// The first offset of a partition and the one after its last.
  package func bounds(
    _ partition: TopicPartition, within timeout: Duration
  ) throws(KafkaError) -> Range<Int64> {
    let deadline = Deadline(after: timeout)
    try know(partition.topic, within: timeout)
    unsafe rd_kafka_poll(handle.pointer, 0)
    return try handle.repeating(
      .watermarks, within: deadline.remaining
    ) { milliseconds throws(KafkaError) in
      var low: Int64 = 0
      var high: Int64 = 0
      let code = unsafe rd_kafka_query_watermark_offsets(
        handle.pointer, partition.topic, partition.partition, &low, &high, milliseconds)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
        throw handle.error(.watermarks, code, topic: partition.topic)
      }
      guard 0 <= low, low <= high else {
        let text = "\(partition.topic)/\(partition.partition) reaches from \(low) to \(high)"
        throw .failed(.init(.watermarks, RD_KAFKA_RESP_ERR__BAD_MSG, text: text))
      }
      return low..<high
    }
  }

  /// The offset after the last of each partition: one question to each broker, which it answers for
  /// all its partitions at once.
  package func ends(
    of partitions: [TopicPartition], within timeout: Duration
  ) throws(KafkaError) -> [Int64] {
    // The time that is looked for stands where the offset comes: -1 is Kafka's for the end.
    let questions = partitions.map { Position($0, offset: Int64(RD_KAFKA_OFFSET_END)) }
    let ends = try offsets(questions, timeout)
    return try zip(partitions, ends).map { partition, end throws(KafkaError) in
      guard let end else {
        let text = "\(partition.topic)/\(partition.partition) has no end"
        throw .failed(.init(.watermarks, RD_KAFKA_RESP_ERR__BAD_MSG, text: text))
      }
      return end
    }
  }

  /// The first offset of each partition whose record is of a time or later; nil: there is none.
  ///
  /// - Parameter times: each partition at most once, with milliseconds since 1970.
  package func firstOffsets(
    since times: [(partition: TopicPartition, milliseconds: Int64)], within timeout: Duration
  ) throws(KafkaError) -> [Int64?] {
    try offsets(times.map { Position($0.partition, offset: max(0, $0.milliseconds)) }, timeout)
  }

  /// What each partition answers to the time that stands in the place of its offset; nil: no record
  /// is as late.
  private func offsets(
    _ questions: [Position], _ timeout: Duration
  ) throws(KafkaError) -> [Int64?] {
    guard !questions.isEmpty else { return [] }
    let deadline = Deadline(after: timeout)
    for question in questions {
      try know(question.partition.topic, within: deadline.remaining)
    }
    unsafe rd_kafka_poll(handle.pointer, 0)
    return try handle.repeating(
      .watermarks, within: deadline.remaining
    ) { milliseconds throws(KafkaError) in
      let list = PartitionList(questions)
      let code = unsafe rd_kafka_offsets_for_times(handle.pointer, list.pointer, milliseconds)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.watermarks, code) }
      let found = Dictionary(
        try list.positions(of: .watermarks).map { ($0.partition, $0.offset) },
        uniquingKeysWith: { first, _ in first })
      return questions.map { found[$0.partition] ?? nil }
    }
  }

  /// A client that knows nothing of a topic says "unknown partition" at once, again and again.
  private func know(_ name: String, within timeout: Duration) throws(KafkaError) {
    guard known[name] == nil else { return }
    let topic = try TopicHandle(name, of: handle)
    try topic.learn(within: timeout)
    known[name] = topic
  }

  /// How many partitions topics have, in the order of their names; nil: no broker knows it.
  ///
  /// One question for all of them, asked once.
  package func counts(
    of names: [String], within timeout: Duration
  ) throws(KafkaError) -> [Int32?] {
    for name in names where counted[name] == nil {
      counted[name] = try TopicHandle(name, of: handle)
    }
    unsafe rd_kafka_poll(handle.pointer, 0)
    var metadata: UnsafePointer<rd_kafka_metadata>?
    // Of the topics that this client has a handle of.
    let code = unsafe rd_kafka_metadata(
      handle.pointer, 0, nil, &metadata, max(1, timeout.milliseconds))
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.metadata, code) }
    defer { unsafe rd_kafka_metadata_destroy(metadata) }
    var counts: [String: Int32?] = [:]
    for index in 0..<Int(unsafe metadata?.pointee.topic_cnt ?? 0) {
      guard let topic = unsafe metadata?.pointee.topics[index] else { continue }
      let name = unsafe String(cString: topic.topic)
      switch unsafe topic.err {
      case RD_KAFKA_RESP_ERR_NO_ERROR: counts[name] = unsafe .some(topic.partition_cnt)
      case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART: counts[name] = .some(nil)
      case let error: throw handle.error(.metadata, error)
      }
    }
    return try names.map { name throws(KafkaError) in
      guard let count = counts[name] else {
        throw .failed(.init(.metadata, RD_KAFKA_RESP_ERR__WAIT_CACHE))
      }
      return count
    }
  }
}
