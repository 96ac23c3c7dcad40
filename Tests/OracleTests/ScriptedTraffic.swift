import Core

@testable import Oracle
@testable import Scenarios

/// The traffic of a few steps, as scenarios have them, and what a worker that does as the model
/// does makes of it.
struct ScriptedTraffic {
  /// What is applied, with the worker's clock where it matters, in milliseconds.
  enum Entry {
    case record(ModelRecord, clock: Int64)
    case tick(Int64)
  }

  var options: [String: String]
  var entries: [Entry] = []

  /// - Parameter steps: a step a second. One that begins with a brace is a line of `replay`; a
  ///   `clock=+5` before a step is the worker's clock from then on, else it is ahead of all.
  init(_ options: [String: String] = [:], _ steps: [String]) throws {
    self.options = options
    let decoder = try Model(options).decoder
    var clock = Int64.max
    var number: Int64 = 0
    for (second, step) in steps.enumerated() {
      if step.hasPrefix("clock=+"), let seconds = Int64(step.dropFirst(7)) {
        clock = (ScenarioScript.start + seconds) * 1000
        continue
      }
      let lines =
        step.hasPrefix("{")
        ? [Bytes(step)] : try ScenarioScript.lines(step, at: Int64(second))
      for line in lines {
        let node = try JSONText(line.bytes).root
        if let time = node["tick"]?.int {
          entries.append(.tick(time))
        } else {
          entries.append(.record(try decoder.record(node, number: number), clock: clock))
          number += 1
        }
      }
    }
  }

  /// Gives the records for which it is so other timestamps, or none.
  mutating func changeTimestamps(
    of isMeant: (ModelInput) -> Bool = { _ in true },
    to timestamp: (Int64?) -> Int64? = { _ in nil }
  ) {
    entries = entries.map { entry in
      guard case .record(let record, let clock) = entry, isMeant(record.input) else { return entry }
      var input = record.input
      input.timestamp = timestamp(input.timestamp)
      return .record(ModelRecord(input: input, content: record.content), clock: clock)
    }
  }

  /// What the worker writes.
  func outputs() throws -> [OracleRecord] {
    var model = try Model(options)
    var written: [OracleRecord] = []
    for entry in entries {
      let outputs =
        switch entry {
        case .tick(let time): model.tick(to: time)
        case .record(let record, let clock): model.apply(record, clock: clock)
        }
      for output in outputs { written.append(OracleRecord(WrittenRecord(output))) }
    }
    return PlantedFault.renumbered(written)
  }

  /// What an oracle says of outputs that is told the inputs, and the ticks if it knows the order.
  func verdict(
    _ order: OracleOrder, on outputs: [OracleRecord], latestClock: Int64? = nil
  ) throws -> OracleVerdict {
    var oracle = try Oracle(options: options, partition: 0, order: order, latestClock: latestClock)
    var end: Int64?
    for entry in entries {
      switch entry {
      case .record(let record, let clock):
        let known = order == .merged || latestClock == nil ? clock : nil
        oracle.apply(OracleRecord(record.input), clock: known)
      case .tick(let time):
        end = time
        if order == .merged { oracle.tick(to: time) }
      }
    }
    if order == .any, let end { oracle.tick(to: end) }
    return Traffic.verdict(oracle, on: PlantedFault.renumbered(outputs))
  }
}

extension OracleRecord {
  init(_ written: WrittenRecord) {
    let headers = (written.headers ?? [:]).sorted { $0.key < $1.key }
      .map { (name: $0.key, value: $0.value) }
    self.init(
      topic: Topic(rawValue: written.topic) ?? .events, partition: 0, offset: 0,
      key: written.key?.bytes,
      value: written.raw?.bytes ?? written.value.map { Array($0.description.utf8) },
      headers: headers.isEmpty ? [] : headers + [(name: "error.message", value: "why")])
  }

  init(_ input: ModelInput) {
    self.init(
      topic: Topic(rawValue: input.topic.rawValue) ?? .messages, partition: 0,
      offset: input.offset, timestamp: input.timestamp, key: input.key, value: input.value)
  }
}
