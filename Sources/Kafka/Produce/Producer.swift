import CKafka

/// A transactional producer. One thread uses it.
///
///     idle --produce, commit of positions--> open --commit, abort--> idle
///
/// A transaction begins with the first thing that goes into it, so that an empty one is never
/// committed. After an error the caller does what its disposition says and nothing else.
@safe package final class Producer {
  let handle: Handle
  private let deadline: Duration
  /// The largest record, in bytes of key, value, headers and what Kafka adds.
  let largestRecord: Int
  let messageTimeout: Duration
  /// Whether a transaction is open.
  package private(set) var isOpen = false

  /// Makes a client and has the broker give it the transactional id: what a former holder left open
  /// is aborted, and the former holder can write no more.
  package init(
    _ settings: Settings, within timeout: Duration, notify: @escaping Notify
  ) throws(KafkaError) {
    let configuration = try Configuration(settings.producer)
    largestRecord = try configuration.number("message.max.bytes")
    messageTimeout = .milliseconds(try configuration.number("message.timeout.ms"))
    deadline = settings.commitDeadline
    handle = try Handle(.producer, settings.producer, notify: notify)
    try unsafe repeating(.initTransactions, within: timeout) { milliseconds in
      unsafe rd_kafka_init_transactions(handle.pointer, milliseconds)
    }
  }

  /// A topic to produce to, whose partitions and leaders are learnt now.
  package func topic(_ name: String, within timeout: Duration) throws(KafkaError) -> TopicHandle {
    let topic = try TopicHandle(name, of: handle)
    try topic.learn(within: timeout)
    return topic
  }

  /// Runs the callbacks; what waits to be told is told.
  package func serve() { unsafe rd_kafka_poll(handle.pointer, 0) }

  /// Begins a transaction where none is open.
  func begin() throws(KafkaError) {
    guard !isOpen else { return }
    // Some versions begin for ever on a dead client.
    if let failure = handle.fatalFailure(.begin) { throw .failed(failure) }
    handle.callbacks.forgetUndelivered()
    try unsafe check(.begin, unsafe rd_kafka_begin_transaction(handle.pointer))
    isOpen = true
  }

  /// Commits the open transaction together with these positions of the consumer's group.
  ///
  /// With neither a transaction nor positions it does nothing.
  package func commit(_ positions: [Position], of consumer: Consumer) throws(KafkaError) {
    guard isOpen || !positions.isEmpty else { return }
    try begin()
    let limit = Deadline(after: deadline)
    if !positions.isEmpty {
      try send(positions, of: consumer, within: limit.remaining)
    }
    try finish(limit)
  }

  /// Commits the open transaction, in which no positions are; without one it does nothing.
  package func commit() throws(KafkaError) {
    guard isOpen else { return }
    try finish(Deadline(after: deadline))
  }

  private func finish(_ limit: Deadline) throws(KafkaError) {
    try unsafe repeating(.commit, within: limit.remaining) { milliseconds in
      unsafe rd_kafka_commit_transaction(handle.pointer, milliseconds)
    }
    isOpen = false
  }

  /// The first half of a commit.
  func send(
    _ positions: [Position], of consumer: Consumer, within timeout: Duration
  ) throws(KafkaError) {
    let list = PartitionList(positions)
    // Taken now: with it the group refuses the positions of a member that it has given up.
    let member = unsafe rd_kafka_consumer_group_metadata(consumer.handle.pointer)
    defer { unsafe rd_kafka_consumer_group_metadata_destroy(member) }
    try unsafe repeating(.sendOffsets, within: timeout) { milliseconds in
      unsafe rd_kafka_send_offsets_to_transaction(
        handle.pointer, list.pointer, member, milliseconds)
    }
  }

  /// Ends the open transaction without its records; without one it does nothing.
  package func abort() throws(KafkaError) {
    guard isOpen else { return }
    let limit = Deadline(after: deadline)
    // With records still in the library's queue an abort ends fatal in one of five cases. Those
    // that cannot be delivered in this time are purged by the abort.
    unsafe rd_kafka_flush(handle.pointer, limit.milliseconds(atMost: deadline / 2))
    try unsafe repeating(.abort, within: limit.remaining) { milliseconds in
      unsafe rd_kafka_abort_transaction(handle.pointer, milliseconds)
    }
    isOpen = false
  }

  /// Makes a call until it succeeds, fails for good or the time is over; it goes on where it was.
  private func repeating(
    _ call: KafkaError.Call, within timeout: Duration, _ body: (Int32) -> OpaquePointer?
  ) throws(KafkaError) {
    try handle.repeating(call, within: timeout) { milliseconds throws(KafkaError) in
      try unsafe check(call, unsafe body(milliseconds))
    }
  }

  /// The topic that a refusal of offsets names in its sentence: `…: NAME[0](Broker: Topic …)`.
  private static func deniedTopic(in text: String) -> String? {
    guard let end = text.firstRange(of: "](Broker: Topic authorization failed)") else { return nil }
    let start = text[..<end.lowerBound]
    guard let bracket = start.lastIndex(of: "[") else { return nil }
    return start[..<bracket].split(whereSeparator: { $0 == " " || $0 == "," }).last.map(String.init)
  }

  private func check(
    _ call: KafkaError.Call, _ error: OpaquePointer?
  ) throws(KafkaError) {
    guard let error = unsafe error else { return }
    var failure = unsafe KafkaError.Failure(call, consuming: error)
    failure.topic = handle.callbacks.deniedTopic ?? Self.deniedTopic(in: failure.text)
    throw .failed(failure)
  }
}
