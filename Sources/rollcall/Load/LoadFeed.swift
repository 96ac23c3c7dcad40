import Kafka
import Lab
import Ops

/// The thread of `rollcall load` that writes: at a pace or as fast as it goes, made as it goes or
/// beforehand.
struct LoadFeed {
  /// Why the writing ended.
  enum End: String {
    case records, duration, signal
  }

  private let settings: LoadSettings
  private let producer: PlainProducer
  private let sender: BatchSender
  private let stop: StopRequest
  private var workload: Workload
  private var batch = LoadBatch()

  /// The most records that are handed over at a time: enough to cost nothing each, and few enough
  /// that a signal is heard soon.
  private static let batchRecords = 4096
  /// How often a paced feed looks at the clock.
  private static let tick = Duration.milliseconds(10)
  /// How long the broker may take for what is on its way in the end.
  static let flushTimeout = Duration.seconds(25)

  init(
    _ settings: LoadSettings, _ producer: PlainProducer, topics: [TopicHandle],
    partitionCount: Int32,
    stop: StopRequest
  ) {
    self.settings = settings
    self.producer = producer
    sender = BatchSender(producer, topics: topics, partitionCount: partitionCount)
    self.stop = stop
    workload = Workload(
      seed: UInt64(settings.seed), options: settings.mix, partitionCount: partitionCount)
  }

  /// Makes beforehand what is to be made beforehand.
  mutating func prepare() {
    guard settings.isPrepared else { return }
    while batch.count < settings.records, !stop.isRequested {
      batch.append(min(Self.batchRecords, settings.records - batch.count), of: &workload)
    }
    workload.end()
    batch.append(.max, of: &workload)
  }

  /// Writes until a bound is met or the process is asked to end, then waits until all is there.
  mutating func run(_ meter: LoadMeter) throws(KafkaError) -> End {
    let start = ContinuousClock.now
    var written = 0
    var end: End?
    while end == nil {
      end = reachedBound(written, since: start)
      let due = end == nil ? count(due: written, since: start) : .max
      if end != nil { workload.end() }
      guard due > 0 else {
        Pause.until(.now + Self.tick)
        continue
      }
      written += try write(from: written, atMost: due, meter)
    }
    defer { meter.noteWritingEnded() }
    try producer.flush(within: Self.flushTimeout)
    return end ?? .records
  }

  private func reachedBound(_ written: Int, since start: ContinuousClock.Instant) -> End? {
    if stop.isRequested { return .signal }
    let bound = settings.isPrepared ? batch.count : settings.records
    if bound > 0, written >= bound { return .records }
    let passed = ContinuousClock.now - start
    if settings.duration > 0, passed >= .milliseconds(settings.duration) { return .duration }
    return nil
  }

  /// How many records are to be written now.
  private func count(due written: Int, since start: ContinuousClock.Instant) -> Int {
    var due = Self.batchRecords
    if settings.rate > 0 {
      let passed = (ContinuousClock.now - start) / .seconds(1)
      due = min(due, Int(passed * Double(settings.rate)) - written)
    }
    return settings.records > 0 && !settings.isPrepared
      ? min(due, settings.records - written) : due
  }

  /// Hands records over.
  ///
  /// - Returns: how many.
  private mutating func write(
    from written: Int, atMost count: Int, _ meter: LoadMeter
  ) throws(KafkaError) -> Int {
    if settings.isPrepared {
      // Asked to end: what is not written yet is left.
      guard count < .max else { return 0 }
      return try send(written..<min(batch.count, written + count), copying: false, meter)
    }
    batch.removeAll()
    batch.append(count, of: &workload)
    return try send(0..<batch.count, copying: true, meter)
  }

  private func send(
    _ range: Range<Int>, copying: Bool, _ meter: LoadMeter
  ) throws(KafkaError) -> Int {
    // Before the records can be applied, and so announced.
    meter.noteWritten(batch.slice(range))
    sender.take(batch.outgoing, range, copying: copying)
    // A broker that is away is waited for; a signal ends that.
    while !(try sender.send(within: .milliseconds(200))) {
      if stop.isRequested { break }
    }
    return range.count
  }
}
