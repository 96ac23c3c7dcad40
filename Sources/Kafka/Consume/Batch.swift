import CKafka

/// Holds the records of one read of one partition's queue, and lends them.
@safe package final class Batch {
  private let messages: UnsafeMutablePointer<UnsafeMutablePointer<rd_kafka_message_t>?>
  private let capacity: Int
  /// Records point into their client's memory, so they keep it.
  private var owner: Handle?

  /// The number of records.
  package private(set) var count = 0
  /// Whether all that can be given out is read after these records: to the last stable offset,
  /// which an open transaction holds below the partition's end.
  package private(set) var reachedEnd = false
  /// Where the partition goes on after these records: passes offsets that are never given out, such
  /// as those of control records. Nil while it is not known.
  package private(set) var nextOffset: Int64?
  /// The partition's high watermark, what is behind open transactions included, as the broker said
  /// last. Asked for only where all that can be given out is read; nil elsewhere.
  package private(set) var endOffset: Int64?

  /// An empty batch that takes up to `capacity` records, at least 1, at a time.
  package init(capacity: Int = 1024) {
    precondition(capacity > 0, "a batch takes at least one record")
    self.capacity = capacity
    unsafe messages = .allocate(capacity: capacity)
  }

  deinit {
    removeAll()
    unsafe messages.deallocate()
  }

  /// Gives the records back, and knows nothing of the partition any more.
  package func removeAll() {
    note(reachedEnd: false, nextOffset: nil, endOffset: nil)
    for index in 0..<count { unsafe rd_kafka_message_destroy(messages[index]) }
    count = 0
    owner = nil
  }

  /// Takes what the queue has ready, up to the capacity, in place of the former records.
  ///
  /// - Returns: the errors that lay between the records, each with its offset.
  func fill(
    from queue: OpaquePointer, of handle: Handle
  ) throws(KafkaError) -> [(error: rd_kafka_resp_err_t, offset: Int64, recordsBefore: Int)] {
    removeAll()
    let taken = unsafe rd_kafka_consume_batch_queue(queue, 0, messages, capacity)
    guard taken >= 0 else { throw handle.error(.fetch, rd_kafka_last_error()) }
    var errors: [(rd_kafka_resp_err_t, Int64, Int)] = []
    for index in 0..<min(taken, capacity) {
      guard let message = unsafe messages[index] else { continue }
      if unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR {
        unsafe messages[count] = message
        count += 1
      } else {
        unsafe errors.append((message.pointee.err, message.pointee.offset, count))
        unsafe rd_kafka_message_destroy(message)
      }
    }
    owner = count > 0 ? handle : nil
    return errors
  }

  /// Notes how far the partition was read.
  func note(reachedEnd: Bool, nextOffset: Int64?, endOffset: Int64?) {
    self.reachedEnd = reachedEnd
    self.nextOffset = nextOffset
    self.endOffset = endOffset
  }

  /// The offset of a record.
  package func offset(_ index: Int) -> Int64 {
    unsafe message(index).pointee.offset
  }

  /// When a record was written, in milliseconds of Unix time as its producer or broker says; nil
  /// where it does not.
  package func timestampMilliseconds(_ index: Int) -> Int64? {
    var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
    let timestamp = unsafe rd_kafka_message_timestamp(message(index), &type)
    return type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || timestamp == -1 ? nil : timestamp
  }

  /// Lends key and value of a record; nil where it has none.
  package func withRecord<R>(_ index: Int, _ body: (Span<UInt8>?, Span<UInt8>?) -> R) -> R {
    let message = unsafe message(index).pointee
    let key = unsafe UnsafeRawBufferPointer(start: message.key, count: message.key_len)
    let value = unsafe UnsafeRawBufferPointer(start: message.payload, count: message.len)
    return unsafe key.withMemoryRebound(to: UInt8.self) { key in
      unsafe value.withMemoryRebound(to: UInt8.self) { value in
        let hasKey = unsafe key.baseAddress != nil
        let hasValue = unsafe value.baseAddress != nil
        switch (hasKey, hasValue) {
        case (true, true): return unsafe body(key.span, value.span)
        case (true, false): return unsafe body(key.span, nil)
        case (false, true): return unsafe body(nil, value.span)
        case (false, false): return body(nil, nil)
        }
      }
    }
  }

  /// Copies key and value of a record; nil where it has none.
  package func bytes(of index: Int) -> (key: [UInt8]?, value: [UInt8]?) {
    let message = unsafe message(index).pointee
    func bytes(_ start: UnsafeMutableRawPointer?, _ count: Int) -> [UInt8]? {
      unsafe start.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: count)) }
    }
    return unsafe (bytes(message.key, message.key_len), bytes(message.payload, message.len))
  }

  /// The value of a record's last header of a name; nil where it has none.
  package func header(_ name: String, of index: Int) -> [UInt8]? {
    var headers: OpaquePointer?
    var value: UnsafeRawPointer?
    var size = 0
    guard
      unsafe rd_kafka_message_headers(message(index), &headers) == RD_KAFKA_RESP_ERR_NO_ERROR,
      unsafe rd_kafka_header_get_last(headers, name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR
    else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : size))
  }

  private func message(_ index: Int) -> UnsafeMutablePointer<rd_kafka_message_t> {
    precondition(0 <= index && index < count, "no such record")
    guard let message = unsafe messages[index] else {
      preconditionFailure("the first `count` places hold records")
    }
    return unsafe message
  }
}
