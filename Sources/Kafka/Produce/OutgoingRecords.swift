import CKafka

/// Records side by side in memory that does not move, to be sent many at a time.
@safe package final class OutgoingRecords {
  @unsafe private struct Entry {
    var bytes: UnsafeMutableRawPointer
    var keyCount: Int32
    var valueCount: Int32
    var topic: Int32
    var partition: Int32
  }

  private var entries: [Entry] = unsafe []
  private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
  /// The block that is being filled, and how far.
  private var block = 0
  private var used = 0

  /// So large that a system gives the memory whole, and rarely.
  private static let blockBytes = 8 << 20

  /// No records.
  package init() {}

  deinit {
    for index in unsafe blocks.indices { unsafe blocks[index].deallocate() }
  }

  /// The number of records.
  package var count: Int { unsafe entries.count }

  /// Adds a record, whose bytes are copied.
  ///
  /// - Parameter topic: an index into the topics that it is sent with.
  package func append(topic: Int, partition: Int32, key: Span<UInt8>, value: Span<UInt8>) {
    // At least one byte: what is empty has an address all the same.
    let bytes = unsafe reserve(key.count + value.count + 1)
    unsafe key.withUnsafeBytes { key in
      guard let start = key.baseAddress else { return }
      unsafe bytes.copyMemory(from: start, byteCount: key.count)
    }
    unsafe value.withUnsafeBytes { value in
      guard let start = value.baseAddress else { return }
      unsafe (bytes + key.count).copyMemory(from: start, byteCount: value.count)
    }
    let entry = unsafe Entry(
      bytes: bytes, keyCount: Int32(key.count), valueCount: Int32(value.count),
      topic: Int32(topic), partition: partition)
    unsafe entries.append(entry)
  }

  /// Forgets the records and keeps the memory. Not while a client still reads from it.
  package func removeAll() {
    unsafe entries.removeAll(keepingCapacity: true)
    block = 0
    used = 0
  }

  /// Calls `body` with the topic of each record of a range, and the record in the library's form.
  func forEach(in range: Range<Int>, _ body: (Int, rd_kafka_message_t) -> Void) {
    for index in range {
      let entry = unsafe entries[index]
      var message = unsafe rd_kafka_message_t()
      unsafe message.partition = entry.partition
      unsafe message.key = entry.bytes
      unsafe message.key_len = Int(entry.keyCount)
      unsafe message.payload = entry.bytes + Int(entry.keyCount)
      unsafe message.len = Int(entry.valueCount)
      unsafe body(Int(entry.topic), message)
    }
  }

  private var blockCount: Int { unsafe blocks.count }

  private func reserve(_ count: Int) -> UnsafeMutableRawPointer {
    while block < blockCount, (unsafe blocks[block].count) < used + count {
      block += 1
      used = 0
    }
    if block == blockCount {
      unsafe blocks.append(.allocate(byteCount: max(count, Self.blockBytes), alignment: 16))
    }
    guard let start = unsafe blocks[block].baseAddress else {
      preconditionFailure("a block is not empty")
    }
    defer { used += count }
    return unsafe start + used
  }
}
