import CKafka

/// The queue of one assigned partition's records.
///
/// Each partition is read by itself, so that one that is ahead of the others can simply be left.
@safe package final class PartitionQueue {
  /// The partition it reads.
  package let partition: TopicPartition
  /// Where reading goes on: behind the last record, or at the end, which lies behind what is never
  /// given out, such as control records. Nil until a record or the end came.
  ///
  /// The library's own position is not asked for. Up to librdkafka 2.0.2 it can lie behind records
  /// that were taken back from a read because a rebalance came in the middle of it.
  package private(set) var nextOffset: Int64?
  /// Whether the last that came was the partition's end.
  package private(set) var reachedEnd = false

  /// Whether the library was told that there is no such partition: its topic is gone, or was for a
  /// moment.
  package private(set) var isUnknown = false

  private let handle: Handle
  private let waker: Waker
  private let queue: OpaquePointer
  /// Whether its assignment has ended. The library's own queue behind it goes on with the next
  /// assignment of the partition, so nothing may be taken from it here any more.
  private var hasEnded = false

  /// Takes the queue out of the group's own, where its records would come otherwise; must precede
  /// the assignment.
  init(_ partition: TopicPartition, of handle: Handle, waker: Waker) throws(KafkaError) {
    let found = unsafe rd_kafka_queue_get_partition(
      handle.pointer, partition.topic, partition.partition)
    guard let queue = unsafe found else {
      throw handle.error(.assign, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION)
    }
    self.partition = partition
    self.handle = handle
    self.waker = waker
    unsafe self.queue = queue
    unsafe rd_kafka_queue_forward(queue, nil)
    unsafe waker.watch(queue)
  }

  deinit { unsafe rd_kafka_queue_destroy(queue) }

  /// Whether there is nothing to be read just now.
  package var isEmpty: Bool {
    hasEnded || (unsafe !isUnknown && rd_kafka_queue_length(queue) == 0)
  }

  /// Nothing comes by this queue any more.
  func noteLoss() { isUnknown = true }

  /// Ends it with its assignment. Where the next assignment has the partition again, the library's
  /// queue is already that one's; else it is emptied: up to its limit of records was fetched ahead
  /// and would stay in memory.
  func end(isAssignedAgain: Bool) {
    hasEnded = true
    guard !isAssignedAgain else { return }
    unsafe waker.ignore(queue)
    do throws(KafkaError) {
      _ = try unsafe Batch(capacity: 16).fill(from: queue, of: handle)
    } catch {
      handle.callbacks.tell(
        Notice(level: .warning, label: error.label, text: error.text, error: error))
    }
  }

  /// Takes what is ready, without waiting.
  ///
  /// - Throws: errors after which records would be passed over, and those that an operator has to
  ///   mend; the others are only told.
  package func read(into batch: Batch) throws(KafkaError) {
    guard !hasEnded else { return batch.removeAll() }
    let errors = try unsafe batch.fill(from: queue, of: handle)
    if batch.count > 0 {
      reachedEnd = false
      raise(to: batch.offset(batch.count - 1) &+ 1)
    }
    for (error, offset, recordsBefore) in errors {
      guard error == RD_KAFKA_RESP_ERR__PARTITION_EOF else {
        try tell(error, at: offset)
        continue
      }
      reachedEnd = recordsBefore == batch.count
      raise(to: offset)
    }
    batch.note(
      reachedEnd: reachedEnd, nextOffset: nextOffset, endOffset: reachedEnd ? highWatermark : nil)
  }

  /// The high watermark of the last answer to a fetch; nil before the first.
  ///
  /// A look into the library's memory, never a question to the broker. The library notes it before
  /// it tells the end that comes with the same answer, so that at a stable end it is never older
  /// than what was said of that end; what is written later it holds with the next answer, within
  /// `fetch.wait.max.ms`.
  private var highWatermark: Int64? {
    var low: Int64 = 0
    var high: Int64 = 0
    let code = unsafe rd_kafka_get_watermark_offsets(
      handle.pointer, partition.topic, partition.partition, &low, &high)
    return code == RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0 ? high : nil
  }

  /// Positions only rise within an assignment.
  private func raise(to offset: Int64?) {
    guard let offset, offset >= 0 else { return }
    nextOffset = max(nextOffset ?? offset, offset)
  }

  private func tell(_ code: rd_kafka_resp_err_t, at offset: Int64) throws(KafkaError) {
    switch code {
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC,
      RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      isUnknown = true
    default: break
    }
    var failure = KafkaError.Failure(.fetch, code)
    failure.topic = partition.topic
    failure.text = "\(partition.topic)/\(partition.partition) at offset \(offset): \(failure.text)"
    let error = KafkaError.failed(failure)
    guard error.disposition != .exit else { throw error }
    handle.callbacks.tell(
      Notice(level: .warning, label: error.label, text: failure.text, error: error))
  }
}
