package import Core

/// Records of a workload side by side in one piece of memory.
package struct WorkloadArena: Sendable {
  /// Where a record lies.
  package struct Place: Sendable {
    /// The topic it is written to.
    package var topic: InputTopic
    /// The partition it is written to.
    package var partition: Int32
    /// Its key in `bytes`.
    package var key: Range<Int>
    /// Its value in `bytes`.
    package var value: Range<Int>
    /// When it was made.
    package var time: Instant
    /// Whether it was given out before.
    package var isRepeat: Bool
  }

  /// Keys and values.
  package internal(set) var bytes: [UInt8] = []
  /// The records, in their order.
  package private(set) var places: [Place] = []

  /// No records.
  package init() {}

  /// The number of records.
  package var count: Int { places.count }

  /// A record of its own.
  package subscript(index: Int) -> WorkloadRecord {
    let place = places[index]
    return WorkloadRecord(
      topic: place.topic, partition: place.partition, key: Array(bytes[place.key]),
      value: Array(bytes[place.value]), time: place.time)
  }

  /// Forgets the records and keeps the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }

  /// Adds the record whose key and value are the last of the bytes.
  mutating func append(topic: InputTopic, partition: Int32, key: Range<Int>, time: Instant) {
    places.append(
      Place(
        topic: topic, partition: partition, key: key, value: key.upperBound..<bytes.count,
        time: time, isRepeat: false))
  }

  /// Adds a copy of a record.
  mutating func append(_ record: WorkloadRecord, isRepeat: Bool) {
    let start = bytes.count
    bytes.append(contentsOf: record.key)
    bytes.append(contentsOf: record.value)
    let end = start + record.key.count
    append(topic: record.topic, partition: record.partition, key: start..<end, time: record.time)
    places[places.count - 1].isRepeat = isRepeat
  }

  /// Takes the last record out.
  mutating func removeLast() -> WorkloadRecord {
    let record = self[count - 1]
    bytes.removeSubrange(places.removeLast().key.lowerBound...)
    return record
  }
}
