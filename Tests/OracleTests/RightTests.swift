import Lab
import Testing

@testable import Histories
@testable import Oracle

@Suite("Outputs that are right") struct RightTests {
  @Test(arguments: History.seeds(25))
  func `a history merged by timestamp is right, to the letter`(_ seed: UInt64) {
    let failure = HistoryGenerator.history(seed).failure { history in
      let traffic = try Traffic(
        Traffic.records(of: history), options: history.options, pause: 400_000)
      return try traffic.verdict(.merged).fault
    }
    #expect(failure == nil)
  }

  @Test(arguments: WorkloadCase.all)
  func `a workload is right, and nothing is explained away`(_ workload: WorkloadCase) throws {
    let traffic = try workload.traffic()
    for order in [OracleOrder.merged, .any] {
      let verdict = try traffic.verdict(order)
      #expect(verdict.faults == [])
      #expect(verdict[.announced] == verdict[.expected])
      #expect(verdict[.expected] > 50)
      #expect(verdict[.outputs] == traffic.outputs.count)
      #expect(verdict[.reordered] == 0)
      #expect(verdict.exceptions == [:])
    }
  }

  @Test func `the shares of the conversations add up to all of them`() throws {
    let traffic = try WorkloadCase(preset: .dirty, seed: 1).traffic()
    let whole = try traffic.verdict(.merged)
    let parts = try traffic.verdict(.merged, shares: 3)
    #expect(parts.faults == [])
    #expect(parts.counts == whole.counts)
    #expect(parts.rejections == whole.rejections)
  }
}

/// A workload of a seed, small enough for the model.
struct WorkloadCase: Sendable, CustomStringConvertible {
  var preset: WorkloadPreset
  var seed: UInt64
  var count = 600

  static let dirty = History.seeds(3).map { WorkloadCase(preset: .dirty, seed: $0) }
  static let all = dirty + History.seeds(3).map { WorkloadCase(preset: .small, seed: $0) }

  var description: String { "\(preset) \(seed)" }

  /// Few conversations, and few members.
  static func options(_ preset: WorkloadPreset) -> WorkloadOptions {
    var options = WorkloadOptions(preset)
    options.maxGroupMembers = 12
    options.groups = 8
    options.largestGroup = 12
    options.pairs = 3
    return options
  }

  func traffic(order: ([OracleRecord]) -> [OracleRecord] = { $0 }) throws -> Traffic {
    var options = Self.options(preset)
    options.busy = 6
    options.burst = 3
    options.lateRecords = 30
    options.silent = Share(percent: 0)
    options.oversized = Share(percent: 0.05)
    return try Traffic(
      Traffic.workload(seed, options, count: count),
      options: ["maxGroupMembers": "12", "grace": "1d"],
      pause: 90_000_000, order: order)
  }
}

extension OracleVerdict {
  /// The first faults; none where all is right.
  var faults: [String] { isRight ? [] : Array(examples.prefix(3)) }

  /// What is wrong, or announced and not expected or the other way round; nil where all is right.
  var fault: String? {
    if !isRight { return faults.joined(separator: "\n") }
    let (announced, expected) = (self[.announced], self[.expected])
    return announced == expected ? nil : "\(announced) announced, \(expected) expected"
  }
}
