import Kafka

/// How far a consumer group is behind the ends of the partitions that it reads. One thread uses it.
struct GroupLag {
  private let partitions: [TopicPartition]
  private let consumer: Consumer
  private let ends: PartitionEnds
  /// Where the partitions reached when they were held; those of the others are asked for.
  private var held: [TopicPartition: Range<Int64>] = [:]

  init(_ clients: Settings, _ partitions: [TopicPartition]) throws(KafkaError) {
    self.partitions = partitions
    consumer = try Consumer(clients, notify: Console.notify)
    ends = try PartitionEnds(clients, notify: Console.notify)
  }

  /// Has it count to where each partition ends now: what is written from now on is left out.
  ///
  /// - Parameter timeout: how long one partition may take.
  mutating func holdEnds(within timeout: Duration) throws(KafkaError) {
    for partition in partitions { held[partition] = try ends.bounds(partition, within: timeout) }
  }

  /// How many records the group has not applied of each partition.
  ///
  /// - Throws: `timedOut` also while an open transaction keeps the group's offsets back.
  func lagRecords(within timeout: Duration) throws(KafkaError) -> [TopicPartition: Int64] {
    let limit = ContinuousClock.now + timeout
    var lag: [TopicPartition: Int64] = [:]
    for position in try consumer.committed(partitions, within: timeout) {
      let lane = position.partition
      let left = max(.milliseconds(1), ContinuousClock.now.duration(to: limit))
      let bounds: Range<Int64>
      if let end = held[lane] { bounds = end } else { bounds = try ends.bounds(lane, within: left) }
      lag[lane] = Self.records(after: position.offset, in: bounds)
    }
    return lag
  }

  /// How many records of a partition lie behind what is committed; without that, all of them.
  static func records(after offset: Int64?, in bounds: Range<Int64>) -> Int64 {
    max(0, bounds.upperBound - max(bounds.lowerBound, offset ?? 0))
  }

  /// The lag of all partitions together.
  func total(within timeout: Duration) throws(KafkaError) -> Int64 {
    try lagRecords(within: timeout).values.reduce(0, +)
  }

  /// Lets some time pass in which the client is served.
  func pause(_ duration: Duration) throws(KafkaError) {
    _ = try consumer.wait(for: [], timeout: duration)
  }

  /// Ends the client.
  func close() { consumer.close(within: .seconds(5)) }
}
