import CKafka
import Glibc

/// One partition of a topic, by name.
package struct TopicPartition: Hashable, Sendable {
  /// The topic's name.
  package var topic: String
  /// The partition's number.
  package var partition: Int32

  /// Names a partition.
  package init(_ topic: String, _ partition: Int32) {
    self.topic = topic
    self.partition = partition
  }

  /// The entries of one of the library's lists.
  static func all(of list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?) -> [Self] {
    guard let list = unsafe list, let elements = unsafe list.pointee.elems else { return [] }
    return (0..<Int(unsafe list.pointee.cnt)).map { index in
      unsafe TopicPartition(String(cString: elements[index].topic), elements[index].partition)
    }
  }
}

/// An offset of a partition, with the text that lies beside it where the offset is a group's.
package struct Position: Equatable, Sendable {
  /// The partition.
  package var partition: TopicPartition
  /// The offset of the next record; nil where there is none.
  package var offset: Int64?
  /// The text beside the offset; empty where there is none.
  package var metadata: String

  /// A position in a partition.
  package init(_ partition: TopicPartition, offset: Int64?, metadata: String = "") {
    self.partition = partition
    self.offset = offset
    self.metadata = metadata
  }
}

/// Owns one of the library's lists of partitions.
@safe struct PartitionList: ~Copyable {
  let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

  /// `absent` stands for the offset of a position that has none.
  init(_ positions: [Position], absent: Int32 = RD_KAFKA_OFFSET_INVALID) {
    guard let list = unsafe rd_kafka_topic_partition_list_new(Int32(clamping: positions.count))
    else { preconditionFailure("librdkafka ends the process itself when memory is out") }
    unsafe self.pointer = list
    for position in positions { add(position, absent: Int64(absent)) }
  }

  deinit { unsafe rd_kafka_topic_partition_list_destroy(pointer) }

  private func add(_ position: Position, absent: Int64) {
    let partition = position.partition
    guard
      let entry = unsafe rd_kafka_topic_partition_list_add(
        pointer, partition.topic, partition.partition)
    else { preconditionFailure("librdkafka ends the process itself when memory is out") }
    unsafe entry.pointee.offset = position.offset ?? absent
    guard !position.metadata.isEmpty else { return }
    // The list frees it with the C library's `free`.
    unsafe entry.pointee.metadata = UnsafeMutableRawPointer(strdup(position.metadata))
    unsafe entry.pointee.metadata_size = position.metadata.utf8.count
  }

  /// The entries; throws the first error that the library put beside one.
  func positions(of call: KafkaError.Call) throws(KafkaError) -> [Position] {
    try unsafe Self.positions(in: pointer, of: call)
  }

  /// The entries of a list that somebody else owns.
  static func positions(
    in list: UnsafePointer<rd_kafka_topic_partition_list_t>, of call: KafkaError.Call
  ) throws(KafkaError) -> [Position] {
    guard let elements = unsafe list.pointee.elems else { return [] }
    var positions: [Position] = []
    for index in 0..<Int(unsafe list.pointee.cnt) {
      let entry = unsafe elements[index]
      guard unsafe entry.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
        var failure = unsafe KafkaError.Failure(call, entry.err)
        failure.topic = unsafe String(cString: entry.topic)
        throw .failed(failure)
      }
      let offset = unsafe entry.offset
      let metadata = unsafe UnsafeRawBufferPointer(
        start: entry.metadata, count: entry.metadata == nil ? 0 : entry.metadata_size)
      positions.append(
        Position(
          unsafe TopicPartition(String(cString: entry.topic), entry.partition),
          offset: offset >= 0 ? offset : nil,
          metadata: unsafe String(decoding: metadata, as: UTF8.self)))
    }
    return positions
  }
}
