import Core
import Lab
import Testing

@testable import Histories
@testable import Oracle

@Suite("Inputs that were applied in another order") struct OrderTests {
  @Test(arguments: History.seeds(30))
  func `any order of the topics is right`(_ seed: UInt64) {
    let failure = HistoryGenerator.historyFreeOfOrder(seed).failure { try Self.fault(of: $0) }
    #expect(failure == nil)
  }

  /// What the oracle does not take, in some order of the topics; nil where it takes all.
  private static func fault(of history: History) throws -> String? {
    let records = try Traffic.records(of: history)
    let merged = try Traffic(records, options: history.options, pause: 400 * 86_400_000)
    let oracle = try merged.oracle(.any)
    let verdict = Traffic.verdict(oracle, on: merged.outputs)
    if let first = verdict.faults.first { return first }
    if verdict[.reordered] > 0 || verdict.exceptions != [:] { return "explained away" }
    var random = HistoryRandom(seed: ~history.seed)
    for turn in 0..<5 {
      let traffic = try Traffic(
        records, options: history.options, pause: 400 * 86_400_000
      ) { inputs in
        interleaved(inputs, turn, &random)
      }
      let verdict = Traffic.verdict(oracle, on: traffic.outputs)
      if !verdict.isRight { return "order \(turn): \(verdict.faults)" }
      if verdict[.outputs] != traffic.outputs.count { return "order \(turn): not all was judged" }
    }
    return nil
  }

  @Test(arguments: WorkloadCase.all)
  func `a workload is right in any order of the topics`(_ workload: WorkloadCase) throws {
    let oracle = try workload.traffic().oracle(.any)
    var random = HistoryRandom(seed: workload.seed)
    for turn in 0..<4 {
      let traffic = try workload.traffic { inputs in Self.interleaved(inputs, turn, &random) }
      let verdict = Traffic.verdict(oracle, on: traffic.outputs)
      #expect(verdict.faults == [], "order \(turn)")
    }
  }

  @Test
  func `What waits in the end may have been given up by a worker whose clock is behind`() throws {
    var options = WorkloadOptions(.dirty)
    options.maxGroupMembers = 30
    options.forged = Share(percent: 20)
    let traffic = try Traffic(
      Traffic.workload(3, options, count: 3000), options: ["maxGroupMembers": "30"],
      pause: Rules().grace - 20, clockLag: 50)
    let verdict = try traffic.verdict(.any)
    #expect(verdict.faults == [])
    #expect(verdict[.reordered] > 0)
    // Who knows in which order they were applied has to know the clock, too.
    #expect(try traffic.verdict(.merged).faults.contains { $0.contains("rejected") })
  }

  /// The inputs with each topic in its own order.
  static func interleaved(
    _ inputs: [OracleRecord], _ turn: Int, _ random: inout HistoryRandom
  ) -> [OracleRecord] {
    let topics = [OracleRecord.Topic.messages, .receipts, .deletes].map { topic in
      inputs.filter { $0.topic == topic }
    }
    return random.interleaved(topics, turn)
  }
}
