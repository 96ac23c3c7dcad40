import Kafka

/// Reads committed records of some partitions outside of any group.
final class TopicReader {
  /// Where the reading begins.
  enum Start {
    case beginning
    /// Only what is written from now on.
    case end
    /// An offset that lies within each partition.
    case offset(Int64)
    /// A number of offsets before the end, or the beginning.
    case tail(Int64)
  }

  private let consumer: Consumer
  private let ends: PartitionEnds
  private let batch = Batch()
  private var queues: [PartitionQueue] = []
  /// Where each partition ended when the reading began, open transactions included.
  private var targets: [TopicPartition: Int64] = [:]

  /// How long the broker may take to say where a partition ends.
  private static let boundsTimeout = Duration.seconds(10)

  /// Begins to read these partitions.
  init(
    _ settings: Settings, _ partitions: [TopicPartition], from start: Start = .beginning,
    notify: @escaping Notify
  ) throws(KafkaError) {
    consumer = try Consumer(settings, notify: notify)
    ends = try PartitionEnds(settings, notify: notify)
    var positions: [(partition: TopicPartition, offset: Int64)] = []
    for partition in partitions {
      let bounds = try ends.bounds(partition, within: Self.boundsTimeout)
      positions.append((partition, start.offset(in: bounds)))
      targets[partition] = bounds.upperBound
    }
    queues = try consumer.assign(positions)
  }

  /// Whether all that was there when the reading began is read.
  var isAtEnd: Bool {
    queues.allSatisfy { queue in
      guard let target = targets[queue.partition], target > 0 else { return true }
      return (queue.nextOffset ?? 0) >= target
    }
  }

  /// Waits for records, at most `timeout`, and lends those that came: partition, key and value.
  func poll(
    _ timeout: Duration, _ body: (TopicPartition, Span<UInt8>?, Span<UInt8>?) -> Void
  ) throws(KafkaError) {
    try pollBatches(timeout) { partition, batch in
      for index in 0..<batch.count {
        batch.withRecord(index) { key, value in body(partition, key, value) }
      }
    }
  }

  /// Waits for records, at most `timeout`, and lends those that came with all that belongs to them.
  func pollBatches(
    _ timeout: Duration, _ body: (TopicPartition, Batch) -> Void
  ) throws(KafkaError) {
    _ = try consumer.wait(for: queues, timeout: timeout)
    for queue in queues {
      try queue.read(into: batch)
      body(queue.partition, batch)
    }
    batch.removeAll()
  }

  /// Reads to the end as it was when the reading began.
  ///
  /// - Returns: whether it came there in time.
  func readToEnd(
    within timeout: Duration, _ body: (TopicPartition, Span<UInt8>?, Span<UInt8>?) -> Void
  ) throws(KafkaError) -> Bool {
    let limit = ContinuousClock.now + timeout
    while !isAtEnd {
      guard ContinuousClock.now < limit else { return false }
      try poll(.milliseconds(100), body)
    }
    return true
  }

  /// Gives the partitions back.
  func close() { consumer.close(within: .seconds(5)) }
}

extension TopicReader.Start {
  /// Where it is in a partition.
  fileprivate func offset(in bounds: Range<Int64>) -> Int64 {
    switch self {
    case .beginning: bounds.lowerBound
    case .end: bounds.upperBound
    case .offset(let offset): offset
    case .tail(let count): max(bounds.lowerBound, bounds.upperBound - count)
    }
  }
}

extension Settings {
  /// Of a client that stands beside the workers: it reads, asks and changes, and joins no group.
  ///
  /// - Parameter defaults: what holds where the user sets nothing else.
  static func beside(
    _ connection: Connection, group: String, purpose: String, defaults: [Property] = []
  ) throws(KafkaError) -> Settings {
    try Settings(
      Identity(
        bootstrapServers: connection.bootstrapServers, group: group,
        transactionalId: "\(group)-\(purpose)", groupInstanceId: nil,
        clientId: "rollcall-\(purpose)"), properties: defaults + connection.properties)
  }
}
