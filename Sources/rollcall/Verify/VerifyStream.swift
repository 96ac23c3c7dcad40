import Kafka

/// Stretches of some partitions as one stream of records, in the order of their timestamps, ties in
/// the order of the stretches: as a worker merges its inputs.
///
/// It holds only what was fetched; a stretch that is ahead of the others is left alone.
final class VerifyStream {
  /// A record, lent until the next one is asked for.
  struct Record {
    /// Which of the stretches it is of.
    let stretch: Int
    let batch: Batch
    let index: Int
  }

  private struct Stretch {
    let lane: TopicPartition
    let queue: PartitionQueue
    let batch = Batch()
    /// The next record in hand.
    var index = 0
    /// Where the reading began, and where it ends.
    let start: Int64
    var end: Int64
    var headTime = Int64.min

    var hasRecord: Bool { index < batch.count && batch.offset(index) < end }
    var isFinished: Bool { !hasRecord && max(start, queue.nextOffset ?? start) >= end }
  }

  private let consumer: Consumer
  private let progress: VerifyProgress
  private let latestClock: Int64
  private var stretches: [Stretch] = []
  /// Whose record was given out last.
  private var lent: Int?

  /// How long a record that must be there may take to come: longer than a transaction that was left
  /// open by a worker that died.
  private static let patience = Duration.seconds(60)

  /// Begins to read. Another stream of this consumer ends with that.
  ///
  /// - Parameter latestClock: a time in milliseconds that no worker's clock had passed.
  init(
    _ consumer: Consumer, _ wanted: [(lane: TopicPartition, range: Range<Int64>)],
    _ progress: VerifyProgress, latestClock: Int64 = .max
  ) throws(KafkaError) {
    self.latestClock = latestClock
    self.consumer = consumer
    self.progress = progress
    let queues = try consumer.assign(wanted.map { ($0.lane, $0.range.lowerBound) })
    stretches = zip(wanted, queues).map { wanted, queue in
      Stretch(
        lane: wanted.lane, queue: queue, start: wanted.range.lowerBound,
        end: wanted.range.upperBound)
    }
  }

  /// Has the first stretch reach further.
  func extend(to end: Int64) { stretches[0].end = max(stretches[0].end, end) }

  /// The next record; nil when all stretches are read.
  func next() throws(VerifyFailure) -> Record? {
    if let lent {
      stretches[lent].index += 1
      self.lent = nil
      noteHead(of: lent)
    }
    var next: Int?
    for index in stretches.indices {
      guard try fill(index) else { continue }
      if let best = next, stretches[best].headTime <= stretches[index].headTime { continue }
      next = index
    }
    guard let next else { return nil }
    lent = next
    progress.advance()
    return Record(stretch: next, batch: stretches[next].batch, index: stretches[next].index)
  }

  /// Waits until a stretch has a record in hand.
  ///
  /// - Returns: false when it has none any more.
  private func fill(_ index: Int) throws(VerifyFailure) -> Bool {
    var limit: ContinuousClock.Instant?
    while !stretches[index].hasRecord {
      let stretch = stretches[index]
      if stretch.isFinished { return false }
      if limit == nil { limit = .now + Self.patience }
      if let limit, ContinuousClock.now >= limit {
        let place = stretch.queue.nextOffset ?? stretch.start
        throw .unsettled(
          "\(stretch.lane.topic)/\(stretch.lane.partition) cannot be read on from offset \(place): "
            + "a transaction there is open")
      }
      try VerifyFailure.calling { () throws(KafkaError) in
        try stretch.queue.read(into: stretch.batch)
        guard stretch.batch.count == 0 else { return }
        _ = try consumer.wait(for: [stretch.queue], timeout: .milliseconds(100))
      }
      stretches[index].index = 0
      noteHead(of: index)
      progress.tellIfDue()
    }
    return true
  }

  private func noteHead(of index: Int) {
    guard stretches[index].hasRecord else { return }
    let stretch = stretches[index]
    // What has no timestamp, or one that was ahead of every clock, is as new as what lies before
    // it: a worker does not let it wait.
    guard let time = stretch.batch.timestampMilliseconds(stretch.index), time <= latestClock else {
      return
    }
    stretches[index].headTime = time
  }
}
