import CKafka

/// A member of a consumer group. One thread uses it.
///
/// It carries nothing out by itself: a rebalance is handed to the caller, who answers with
/// `assign`. Nothing ever seeks, pauses or resumes; a change of position is a new assignment.
@safe package final class Consumer {
  let handle: Handle
  private let waker: Waker
  private let groupQueue: OpaquePointer
  private var queues: [TopicPartition: PartitionQueue] = [:]
  /// Topics whose partitions the client knows.
  private var topics: [String: TopicHandle] = [:]
  /// The rebalance that the library waits to have answered.
  private var unanswered: GroupChange?

  /// How long a topic's partitions are asked for.
  private static let learningTime = Duration.seconds(5)

  /// Makes a client; nothing is sent before `subscribe`.
  package init(_ settings: Settings, notify: @escaping Notify) throws(KafkaError) {
    let handle = try Handle(.consumer, settings.consumer, notify: notify)
    // One queue for all that concerns the group as a whole: the client's own goes there too.
    let code = unsafe rd_kafka_poll_set_consumer(handle.pointer)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.create, code) }
    guard let queue = unsafe rd_kafka_queue_get_consumer(handle.pointer) else {
      throw .configuration("a consumer needs group.id")
    }
    let waker: Waker
    do { waker = try Waker() } catch {
      unsafe rd_kafka_queue_destroy(queue)
      throw error
    }
    unsafe waker.watch(queue)
    self.handle = handle
    self.waker = waker
    unsafe self.groupQueue = queue
  }

  deinit {
    // The library must not write to the descriptor when it is somebody else's.
    for queue in queues.values { queue.end(isAssignedAgain: false) }
    unsafe waker.ignore(groupQueue)
    unsafe rd_kafka_queue_destroy(groupQueue)
  }

  /// Joins the group for these topics.
  package func subscribe(_ topics: [String]) throws(KafkaError) {
    let list = PartitionList(
      topics.map { Position(TopicPartition($0, RD_KAFKA_PARTITION_UA), offset: nil) })
    let code = unsafe rd_kafka_subscribe(handle.pointer, list.pointer)
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.subscribe, code) }
  }

  /// Serves the group, and waits until it has changed, a wanted queue has something to read, or the
  /// time is over. To be called well within `max.poll.interval.ms`.
  package func wait(
    for wanted: [PartitionQueue], timeout: Duration
  ) throws(KafkaError) -> GroupChange? {
    let deadline = Deadline(after: timeout)
    repeat {
      // In this order: what comes after a queue was looked at wakes the wait below.
      waker.reset()
      try serve()
      if let change = handle.callbacks.nextRebalance() {
        unanswered = change
        return change
      }
      // A queue tells only that it is no longer empty, so nobody waits while one has records.
      if wanted.contains(where: { !$0.isEmpty }) { return nil }
      waker.wait(deadline.remaining)
    } while !deadline.hasPassed
    return nil
  }

  /// Has the group's queue run the callbacks.
  private func serve() throws(KafkaError) {
    while let message = unsafe rd_kafka_consumer_poll(handle.pointer, 0) {
      let code = unsafe message.pointee.err
      let topic = unsafe message.pointee.rkt.map { unsafe String(cString: rd_kafka_topic_name($0)) }
      let partition = unsafe message.pointee.partition
      unsafe rd_kafka_message_destroy(message)
      let error = handle.error(.poll, code, topic: topic)
      if let topic, code == RD_KAFKA_RESP_ERR_NO_ERROR || error.isGap {
        // Every partition has a queue of its own before it is assigned. It loses it when the
        // library is told that its topic is not there; then what comes of it comes here.
        loseQueue(of: TopicPartition(topic, partition))
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { continue }
      } else if error.disposition == .exit {
        throw error
      }
      let text = [topic, unsafe String(cString: rd_kafka_err2str(code))].compactMap(\.self)
      handle.callbacks.tell(
        Notice(
          level: .warning, label: error.label, text: text.joined(separator: ": "), error: error))
    }
    if handle.callbacks.sawFatal, let failure = handle.fatalFailure(.poll) {
      throw .failed(failure)
    }
  }

  /// Notes that a partition has to be assigned anew, once the library knows its topic again.
  private func loseQueue(of partition: TopicPartition) {
    queues[partition]?.noteLoss()
    topics[partition.topic] = nil
  }

  /// Replaces the whole assignment by these partitions, each read from its offset on; also the
  /// answer to a change of the group.
  ///
  /// - Returns: their queues, in the order given. Those of former assignments give nothing any
  ///   more.
  package func assign(
    _ positions: [(partition: TopicPartition, offset: Int64)]
  ) throws(KafkaError) -> [PartitionQueue] {
    for name in Set(positions.map(\.partition.topic)) where topics[name] == nil {
      // The queue of a partition that is not known to exist would be lost with the next assignment,
      // and the records would come by the group's queue.
      let topic = try TopicHandle(name, of: handle)
      try topic.learn(within: Self.learningTime)
      topics[name] = topic
    }
    let former = queues
    let named = try positions.map { position throws(KafkaError) in
      try PartitionQueue(position.partition, of: handle, waker: waker)
    }
    queues = Dictionary(zip(positions.map(\.partition), named), uniquingKeysWith: { $1 })
    defer {
      for (partition, queue) in former { queue.end(isAssignedAgain: queues[partition] != nil) }
    }
    // Only this answers a revocation; partitions may follow it.
    if case .revoked = unanswered {
      try replaceAssignment(by: nil)
      try settle()
    }
    if !positions.isEmpty || unanswered?.isAssignment == true {
      try replaceAssignment(by: positions.map { Position($0.partition, offset: $0.offset) })
    } else if unanswered == nil {
      try replaceAssignment(by: nil)
    }
    unanswered = nil
    try settle()
    return named
  }

  private func replaceAssignment(by positions: [Position]?) throws(KafkaError) {
    let code: rd_kafka_resp_err_t
    if let positions {
      let list = PartitionList(positions)
      code = unsafe rd_kafka_assign(handle.pointer, list.pointer)
    } else {
      code = unsafe rd_kafka_assign(handle.pointer, nil)
    }
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.assign, code) }
  }

  /// Waits until the library has stopped the former partitions. Not while the group is being left:
  /// a question that finds it left is never answered.
  private func settle() throws(KafkaError) {
    // The library stops the former partitions in two steps of its main thread. A partition that the
    // next assignment finds between them is stopped twice, and an assertion ends the process. Each
    // of these questions is answered after the step that is due.
    for _ in 0..<2 {
      var answer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
      let code = unsafe rd_kafka_assignment(handle.pointer, &answer)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.assign, code) }
      unsafe rd_kafka_topic_partition_list_destroy(answer)
    }
  }

  /// What the group has committed for these partitions, once no transaction is pending on it.
  ///
  /// - Throws: `timedOut` when one still is after `timeout`; the group has to be served, then it
  ///   can be asked again.
  package func committed(
    _ partitions: [TopicPartition], within timeout: Duration
  ) throws(KafkaError) -> [Position] {
    guard !partitions.isEmpty else { return [] }
    return try handle.repeating(.committed, within: timeout) { milliseconds throws(KafkaError) in
      let list = PartitionList(partitions.map { Position($0, offset: nil) })
      let code = unsafe rd_kafka_committed(handle.pointer, list.pointer, milliseconds)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.committed, code) }
      return try list.positions(of: .committed)
    }
  }

  /// Where a partition ended, open transactions included, when it was fetched last; nil before.
  ///
  /// A look into the library's memory, never a question to the broker.
  package func fetchedEnd(of partition: TopicPartition) -> Int64? {
    var low: Int64 = 0
    var high: Int64 = 0
    let code = unsafe rd_kafka_get_watermark_offsets(
      handle.pointer, partition.topic, partition.partition, &low, &high)
    return code == RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0 ? high : nil
  }

  /// Whether a broker answers a question now, within this time.
  package func isAnswered(within timeout: Duration) -> Bool {
    var metadata: UnsafePointer<rd_kafka_metadata>?
    let code = unsafe rd_kafka_metadata(handle.pointer, 0, nil, &metadata, timeout.milliseconds)
    if let metadata = unsafe metadata { unsafe rd_kafka_metadata_destroy(metadata) }
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
  }

  /// Gives the place in the group up at once, also a static member's, which `close` leaves to the
  /// end of its session. Only `close` may follow.
  ///
  /// The library says nothing of a static member that ends; but one that subscribes to nothing any
  /// more leaves, as others do.
  package func leave(within timeout: Duration) {
    let deadline = Deadline(after: timeout)
    do throws(KafkaError) {
      _ = try assign([])
      let code = unsafe rd_kafka_unsubscribe(handle.pointer)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.subscribe, code) }
      while isMember, !deadline.hasPassed {
        waker.reset()
        try serve()
        while handle.callbacks.nextRebalance() != nil { try replaceAssignment(by: nil) }
        // The leaving wakes nobody.
        waker.wait(min(deadline.remaining, .milliseconds(20)))
      }
    } catch {
      handle.callbacks.tell(
        Notice(level: .warning, label: error.label, text: error.text, error: error))
    }
  }

  /// Whether it has an id in the group: it is forgotten as soon as the leaving is sent.
  private var isMember: Bool {
    guard let id = unsafe rd_kafka_memberid(handle.pointer) else { return false }
    defer { unsafe rd_kafka_mem_free(handle.pointer, id) }
    return unsafe id.pointee != 0
  }

  /// Leaves the group and gives the assignment back; no other call may follow. A static member
  /// stays one until its session ends.
  ///
  /// What still goes wrong is told as a notice. A consumer that is not done in time is destroyed
  /// without a word to the group, which takes it for dead when its session ends.
  package func close(within timeout: Duration) {
    let deadline = Deadline(after: timeout)
    do throws(KafkaError) {
      _ = try assign([])
      if let error = unsafe rd_kafka_consumer_close_queue(handle.pointer, groupQueue) {
        throw KafkaError.failed(unsafe .init(.close, consuming: error))
      }
      while unsafe rd_kafka_consumer_closed(handle.pointer) == 0, !deadline.hasPassed {
        waker.reset()
        try serve()
        while handle.callbacks.nextRebalance() != nil { try replaceAssignment(by: nil) }
        // The end of the closing wakes nobody.
        waker.wait(min(deadline.remaining, .milliseconds(20)))
      }
    } catch {
      handle.callbacks.tell(
        Notice(level: .warning, label: error.label, text: error.text, error: error))
    }
    handle.isClosed = unsafe rd_kafka_consumer_closed(handle.pointer) != 0
  }
}
