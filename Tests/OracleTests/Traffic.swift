import Core
import Lab
import Wire
import Worker

@testable import Histories
@testable import Oracle
@testable import Scenarios

/// One partition's traffic: its inputs, and the outputs that the engine makes of them.
struct Traffic: Sendable {
  var options: [String: String]
  /// Merged by timestamp.
  var inputs: [OracleRecord]
  var outputs: [OracleRecord]
  /// Stream time in the end.
  var end: Int64

  static let partition: Int32 = 3

  /// What the engine makes of inputs.
  ///
  /// - Parameters:
  ///   - pause: how long nothing more comes in the end, in milliseconds.
  ///   - clockLag: by how much the engine's clock is behind the timestamps, in milliseconds.
  ///   - order: gives the inputs the order in which they are applied.
  init(
    _ inputs: [OracleRecord], options: [String: String], pause: Int64, clockLag: Int64? = nil,
    order: ([OracleRecord]) -> [OracleRecord] = { $0 }
  ) throws {
    self.options = options
    self.inputs = Self.merged(inputs)
    let (end, overflow) = (inputs.compactMap(\.timestamp).max() ?? 0)
      .addingReportingOverflow(pause)
    self.end = overflow ? .max : end
    let rules = try ReplayEngine.rules(options)
    // A first record without a timestamp is as new as the clock.
    let start = inputs.lazy.compactMap(\.timestamp).first.map { Instant(milliseconds: $0) }
    var run = TrafficRun(rules, clockLag: clockLag, start: start)
    for input in order(self.inputs) { run.apply(input) }
    run.tick(to: self.end)
    outputs = run.outputs
  }

  /// The verdict on the outputs.
  func verdict(_ order: OracleOrder, shares: Int = 1) throws -> OracleVerdict {
    var verdict = OracleVerdict()
    for share in 0..<shares {
      verdict += Self.verdict(try oracle(order, share: share, of: shares), on: outputs)
    }
    return verdict
  }

  /// An oracle that knows the inputs.
  func oracle(_ order: OracleOrder, share: Int = 0, of shares: Int = 1) throws -> Oracle {
    var oracle = try Oracle(
      options: options, partition: Self.partition, share: share, of: shares, order: order)
    for input in inputs { oracle.apply(input) }
    oracle.tick(to: end)
    return oracle
  }

  /// What an oracle that knows the inputs says of outputs.
  static func verdict(_ oracle: Oracle, on outputs: [OracleRecord]) -> OracleVerdict {
    var oracle = oracle
    for output in outputs { oracle.check(output) }
    return oracle.finish()
  }

  /// The inputs as a worker merges them.
  private static func merged(_ inputs: [OracleRecord]) -> [OracleRecord] {
    let topics = [OracleRecord.Topic.messages, .receipts, .deletes].map { topic in
      inputs.filter { $0.topic == topic }
    }
    var heads = topics.map { $0[...] }
    var merged: [OracleRecord] = []
    while let next = heads.indices.filter({ !heads[$0].isEmpty }).min(by: { a, b in
      (heads[a].first?.timestamp ?? .min) < (heads[b].first?.timestamp ?? .min)
    }) {
      merged.append(heads[next].removeFirst())
    }
    return merged
  }
}

/// The engine over one partition.
struct TrafficRun: ~Copyable {
  private(set) var machine: Machine
  private var engine: Engine
  private(set) var outputs: [OracleRecord] = []
  private var offsets: [OracleRecord.Topic: Int64] = [:]

  private let clockLag: Int64?
  private let start: Instant?

  init(_ rules: Rules, clockLag: Int64?, start: Instant? = nil) {
    self.clockLag = clockLag
    self.start = start
    machine = Machine(partition: Traffic.partition, rules: rules)
    engine = Engine(rules: rules)
  }

  mutating func apply(_ input: OracleRecord) {
    let topics: [OracleRecord.Topic: InputTopic] = [.receipts: .receipts, .deletes: .deletes]
    let source = Coordinates(
      topic: topics[input.topic] ?? .messages, partition: Traffic.partition, offset: input.offset,
      timestamp: input.timestamp.map { Instant(milliseconds: $0) })
    var clock = clockLag.flatMap { lag in source.timestamp?.advanced(byMilliseconds: -lag) }
    if source.timestamp == nil, machine.streamTime == nil { clock = start }
    engine.apply(
      source, key: input.key?.span, value: input.value?.span, to: &machine,
      clock: clock ?? .distantFuture)
    note()
  }

  mutating func tick(to time: Int64) {
    _ = engine.tick(&machine, to: Instant(milliseconds: time))
    note()
  }

  private mutating func note() {
    let records = engine.records
    for record in records.records {
      let topic = OracleRecord.Topic(rawValue: "\(record.topic)") ?? .messages
      let headers = records.headers[record.headers].map { header in
        (name: "\(header.name)", value: String(decoding: header.value, as: UTF8.self))
      }
      outputs.append(
        OracleRecord(
          topic: topic, partition: Traffic.partition, offset: offsets[topic, default: 0],
          key: record.key.map { Array(records.bytes[$0]) },
          value: record.value.map { Array(records.bytes[$0]) }, headers: headers))
      offsets[topic, default: 0] += 2
    }
  }
}

extension Traffic {
  /// The records of a workload that a seed gives.
  static func workload(_ seed: UInt64, _ options: WorkloadOptions, count: Int) -> [OracleRecord] {
    var workload = Workload(seed: seed, options: options, partitionCount: 1)
    var records: [OracleRecord] = []
    var offsets: [Int64] = [0, 0, 0]
    func add(_ record: WorkloadRecord) {
      let topics: [OracleRecord.Topic] = [.messages, .receipts, .deletes]
      let topic = Int(record.topic.rawValue)
      records.append(
        OracleRecord(
          topic: topics[topic], partition: partition, offset: offsets[topic],
          timestamp: record.time.milliseconds, key: record.key, value: record.value))
      offsets[topic] += 1
    }
    while records.count < count, let record = workload.next() { add(record) }
    workload.end()
    while let record = workload.next() { add(record) }
    return records
  }

  /// The records of a history, its ticks left out.
  static func records(of history: History) throws -> [OracleRecord] {
    let decoder = try Model(history.options).decoder
    var records: [OracleRecord] = []
    var offsets: [String: Int64] = [:]
    var now = ScenarioScript.start * 1000
    for line in history.lines {
      let node = try JSONText(line.text.bytes).root
      guard node["tick"] == nil else { continue }
      let record = try decoder.record(node, number: 0).input
      let name = record.topic.rawValue
      now = record.timestamp ?? now
      records.append(
        OracleRecord(
          topic: OracleRecord.Topic(rawValue: name) ?? .messages, partition: partition,
          offset: offsets[name, default: 0], timestamp: now, key: record.key, value: record.value))
      offsets[name, default: 0] += 3
    }
    return records
  }
}
