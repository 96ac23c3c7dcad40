import Core
import Worker

/// What a seed draws before it begins.
struct SimulationPlan {
  static let sessionTimeout: Int64 = 3000

  let rules: Rules
  /// The traffic.
  let mix: WorkloadOptions
  /// Records wait in vain and messages expire while others come.
  let isShort: Bool
  var limits: TransactionLimits
  /// Brokers look only now and then for transactions whose time is over: some end before their
  /// worker is given up, some after.
  var transactionTimeout: Int64
  var fetchLimit: Int
  var restoreLimit: Int
  /// The most records that come in a round.
  var pace: Int
  /// An output is too large for its topic.
  var isNarrow: Bool
  /// The records' timestamps are their makers', not the broker's.
  var hasOwnTimes: Bool
  /// How far the timestamps of messages, receipts and deletes lie behind, in milliseconds.
  private var lags: PerInput<Int64> = [0, 0, 0]
  /// How many records in a hundred have no timestamp, of messages, receipts and deletes.
  private var timeless: PerInput<Int> = [0, 0, 0]
  /// Some records are dated far ahead.
  var isAhead = false
  /// How keys choose partitions; nil: in a way that is no client's default.
  private var partitioner: Partitioner?
  private let partitions: Int32
  /// How often each fault happens in this seed, in 10,000.
  private let ratios: [SimulationFault: Int]

  init(_ options: SimulationOptions, using random: inout SplitMix64) {
    partitions = options.partitions
    rules = SimulationMix.rules(using: &random)
    isShort = rules.trackingWindow < SimulationMix.longWindow
    mix = SimulationMix.options(rules, using: &random)
    limits = TransactionLimits(interval: Int64.random(in: 1...400, using: &random))
    limits.inputRecords = Int.random(in: 1...200, using: &random)
    transactionTimeout = Int64.random(in: 1000...12_000, using: &random)
    fetchLimit = Int.random(in: 1...80, using: &random)
    restoreLimit = Int.random(in: 1...Int.random(in: 1...300, using: &random), using: &random)
    pace = Int.random(in: 1...6, using: &random)
    hasOwnTimes = Bool.random(using: &random)
    if Int.random(in: 0..<4, using: &random) == 0 {
      let lag = Int64.random(in: 1...1_200_000, using: &random)
      lags = [lag, lag, lag]
      if Bool.random(using: &random) {
        for topic in InputTopic.allCases {
          lags[topic] += Int64.random(in: 0...900_000, using: &random)
        }
      }
    }
    if Int.random(in: 0..<6, using: &random) == 0 {
      for topic in InputTopic.allCases {
        timeless[topic] = [0, 0, 50, 100].randomElement(using: &random) ?? 0
      }
    }
    isAhead = Int.random(in: 0..<6, using: &random) == 0
    // What is too large must not have to wait for what comes late, or by its timestamp lies behind,
    // or has expired, and is none of what the oracle counts as waiting.
    isNarrow =
      !hasOwnTimes && !timeless.contains { $0 > 0 } && !isAhead && !isShort && !rules.isTight
      && Bool.random(using: &random) && Set(lags).count == 1
    partitioner = [.murmur2, .crc32, nil].randomElement(using: &random) ?? nil
    var ratios: [SimulationFault: Int] = [:]
    for fault in SimulationFault.allCases {
      let usual = options.ratios[fault] ?? 0
      let isOff =
        Int.random(in: 0..<4, using: &random) == 0
        // A worker that goes on with an old clock applies records before their time.
        || isShort && fault == .pause
      ratios[fault] = isOff ? 0 : Int.random(in: 0...(2 * usual), using: &random)
    }
    self.ratios = ratios
  }

  func ratio(_ fault: SimulationFault) -> Int { ratios[fault] ?? 0 }

  /// Whether some records have no timestamp.
  var isTimeless: Bool { timeless.contains { $0 > 0 } }

  /// Draws the timestamp of a record that is written now.
  func timestamp(
    of topic: InputTopic, at now: Instant, using random: inout SplitMix64
  ) -> Instant? {
    if isTimeless, Int.random(in: 0..<100, using: &random) < timeless[topic] { return nil }
    if isAhead, Int.random(in: 0..<30, using: &random) == 0 {
      return now.advanced(byMilliseconds: Int64.random(in: 1...(1 << 41), using: &random))
    }
    let age = hasOwnTimes ? Int64.random(in: 0...2000, using: &random) : 0
    return now.advanced(byMilliseconds: -(lags[topic] + age))
  }

  func partition(of key: [UInt8]) -> Int32 {
    if let partitioner { return partitioner.partition(of: key.span, count: partitions) }
    return Int32(key.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % Int(partitions))
  }

  /// How a worker of this seed is configured.
  func configuration(writer: String) -> WorkerConfiguration {
    var configuration = WorkerConfiguration(
      rules: rules, partitionCount: partitions, writer: writer, limits: limits)
    if isNarrow { configuration.maxOutputBytes = SimulationOddities.narrowOutputBytes }
    configuration.skips = [skip]
    return configuration
  }

  /// The record that an operator has skipped.
  var skip: WorkerConfiguration.Skip {
    let record = SimulationOddities.skipped
    return .init(topic: record.topic, partition: partition(of: record.key ?? []), offset: 0)
  }
}
