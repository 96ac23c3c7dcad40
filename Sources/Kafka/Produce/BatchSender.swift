import CKafka

/// Sends records of several topics many at a time, through a producer without transactions. One
/// thread uses it.
@safe package final class BatchSender {
  private let producer: PlainProducer
  private let topics: [TopicHandle]
  private let partitionCount: Int
  /// What is to be sent to each partition of each topic. The library looks a partition up whenever
  /// a record is of another one than the record before.
  private var waiting: [[rd_kafka_message_t]]
  /// Whether the library copies the values.
  private var isCopying = true

  /// Sends to these topics of the producer's, each of so many partitions, at least 1.
  package init(_ producer: PlainProducer, topics: [TopicHandle], partitionCount: Int32) {
    precondition(partitionCount > 0)
    self.producer = producer
    self.topics = topics
    self.partitionCount = Int(partitionCount)
    unsafe waiting = Array(repeating: [], count: topics.count * self.partitionCount)
  }

  /// Takes records to be sent, in their order within each partition; what was taken before has to
  /// be sent by then. `send` sends them.
  ///
  /// - Parameter copying: whether the library copies the values. Without it the memory is the
  ///   library's until `flush` comes back, and the records must not change.
  package func take(_ records: OutgoingRecords, _ range: Range<Int>, copying: Bool) {
    isCopying = copying
    if !copying { producer.lend(records) }
    unsafe records.forEach(in: range) { topic, message in
      let partition = Int(UInt32(bitPattern: unsafe message.partition)) % partitionCount
      unsafe waiting[topic * partitionCount + partition].append(message)
    }
  }

  /// Hands what was taken to the library, and waits at most `timeout` for room for it.
  ///
  /// - Returns: whether all of it is handed over; else the call is to be made again.
  package func send(within timeout: Duration) throws(KafkaError) -> Bool {
    let deadline = Deadline(after: timeout)
    while true {
      // In the order of the topics, so that on the whole messages precede their receipts.
      var isDone = true
      for index in unsafe waiting.indices where !(unsafe waiting[index].isEmpty) {
        if !(try send(to: index)) { isDone = false }
      }
      producer.serve(waiting: isDone ? .zero : .milliseconds(5))
      if isDone || deadline.hasPassed { return isDone }
    }
  }

  /// Hands a partition's records over; those for which there is no room stay.
  private func send(to index: Int) throws(KafkaError) -> Bool {
    var flags = RD_KAFKA_MSG_F_PARTITION
    if isCopying { flags |= RD_KAFKA_MSG_F_COPY }
    let count = unsafe waiting[index].count
    let taken = unsafe waiting[index].withUnsafeMutableBufferPointer { messages in
      unsafe rd_kafka_produce_batch(
        topics[index / partitionCount].pointer, RD_KAFKA_PARTITION_UA, flags,
        messages.baseAddress, Int32(count))
    }
    guard taken < count else {
      unsafe waiting[index].removeAll(keepingCapacity: true)
      return true
    }
    for position in 0..<count {
      let code = unsafe waiting[index][position].err
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR__QUEUE_FULL else {
        throw producer.error(code)
      }
    }
    unsafe waiting[index].removeAll { unsafe $0.err == RD_KAFKA_RESP_ERR_NO_ERROR }
    return false
  }
}
