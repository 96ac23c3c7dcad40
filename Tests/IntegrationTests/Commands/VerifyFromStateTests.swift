import BrokerSupport
import Core
import Foundation
import Kafka
import Testing
import Worker

@testable import rollcall

extension Integration {
  @Suite struct VerifyFromStateTests {
    private static let grace = VerifyTests.grace
    private static let load = VerifyTests.load + ["--bad", "2%", "--forged", "1%"]

    @Test("A pool whose first records are gone is right from its state on, beside its workers")
    func beside() throws {
      let stage = try Stage(Broker.shared(), partitions: 2)
      defer { #expect(throws: Never.self) { try stage.strike() } }
      // One transaction follows the other, and the moment to begin with lies between two.
      let options = Self.grace + ["--commit-interval", "20ms"]
      let workers = try ["a", "b"].map {
        try WorkerProcess(stage, instance: $0, options, isStatic: true)
      }
      let first = try stage.run(
        Self.load + ["--records", "1500", "--group", stage.group, "--drain", "60s"])
      #expect(first.code == 0, "\(first.errors)")
      try stage.forgetBeginning()
      let whole = try Verdict(stage, Self.grace)
      #expect(whole.code == ExitCode.noInput && whole.text.contains("--from-state"), "\(whole)")

      let output = stage.folder.appending(path: "load")
      let load = try ChildProcess(
        Self.load + stage.options + ["--rate", "300", "--duration", "20s"], output: output,
        errors: output)
      try eventually("it writes") {
        try String(contentsOf: output, encoding: .utf8).contains("records/s")
      }
      // The moment to begin with is found under the load.
      let verdict = try Following(stage, Self.grace + ["--wait", "60s"])
      try verdict.begins()
      try workers[0].kill()
      try workers[0].restart()
      #expect(try load.end(within: .seconds(60)) == 0)
      let report = try verdict.end()
      for worker in workers { #expect(try worker.terminate() == 0) }
      #expect(report.code == ExitCode.done, "\(report.text)")
      #expect(report.counts["notApplied"] == 0 && report.counts["announced"] ?? 0 > 50, "\(report)")
      #expect(report.counts["announced"] == report.counts["expected"])
    }

    @Test func `A fault behind the state is found, and named`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      defer { #expect(throws: Never.self) { try stage.strike() } }
      let worker = try WorkerProcess(stage, instance: "a", Self.grace)
      // What is open when the first part ends is completed in the second.
      let traffic = stage.traffic(records: 1200)
      try stage.play(traffic.prefix(traffic.count / 2))
      let before = try PoolCopy(stage)
      try stage.play(traffic.dropFirst(traffic.count / 2))
      #expect(try Verdict(stage, Self.grace + ["--wait", "60s"]).code == 0)
      #expect(try worker.terminate() == 0)
      let after = try PoolCopy(stage)

      let right = try verdict(before, after)
      #expect(right.code == 0 && right.counts["announced"] ?? 0 > 20, "\(right)")
      for (counter, topic, change) in Self.faults {
        var copy = after
        try copy.change(topic, change)
        let report = try verdict(before, copy)
        #expect(report.code == ExitCode.failed, "\(counter): \(report)")
        #expect(report.counts[counter] ?? 0 > 0, "\(counter): \(report)")
      }
    }

    /// What is changed of the last record where it is possible, and where verify counts it.
    private static let faults: [(String, Topic, @Sendable (StoredRecord) -> [StoredRecord]?)] = [
      ("missing", .events, { $0.text.contains("ReadByAll") ? [] : nil }),
      ("doubled", .events, { $0.text.contains("ReadByAll") ? [$0, $0] : nil }),
      (
        "badCounts", .status,
        { record in
          var record = record
          record.value = Array(
            record.text.replacing("\"readCount\":", with: "\"readCount\":9").utf8)
          return [record]
        }
      ),
      (
        "stateFaults", .state,
        { record in
          guard record.key?.first == 3, record.value != nil else { return nil }
          var end = record
          end.value = nil
          return [record, end]
        }
      ),
    ]

    /// The verdict on a pool that has what `after` has, and had what `before` has in the beginning.
    private func verdict(_ before: PoolCopy, _ after: PoolCopy) throws -> Verdict {
      let copy = try before.write()
      defer { #expect(throws: Never.self) { try copy.strike() } }
      let following = try Following(copy, Self.grace)
      try following.begins()
      try after.write(behind: before, to: copy)
      return try following.end()
    }
  }
}

/// A `rollcall verify --from-state` that goes on until it is told to judge.
private final class Following {
  private let output: URL
  private let errors: URL
  private let process: ChildProcess

  init(_ stage: Stage, _ options: [String]) throws {
    output = stage.folder.appending(path: "verdict.json")
    errors = stage.folder.appending(path: "verdict.text")
    process = try ChildProcess(
      ["verify", "--json", "--from-state", "--for", "10m", "--group", stage.group] + stage.options
        + options, output: output, errors: errors)
  }

  /// Waits until it has the state to begin with.
  func begins() throws {
    try eventually("it follows the pool", within: .seconds(60)) {
      if try text().contains("follows the pool") { return true }
      guard process.isRunning else { throw Missed(description: try text()) }
      return false
    }
  }

  /// Has it judge.
  func end() throws -> Verdict {
    process.send(SIGINT)
    let code = try process.end(within: .seconds(120))
    return try Verdict(code: code, json: String(contentsOf: output, encoding: .utf8), text: text())
  }

  private func text() throws -> String { try String(contentsOf: errors, encoding: .utf8) }
}

extension Stage {
  /// Deletes the first records of all topics but the state, as retention does.
  fileprivate func forgetBeginning() throws {
    let ends = try PartitionEnds(clients("ends"), notify: { _ in })
    let topics = Topic.allCases.filter { $0 != .state }
    let positions = try partitions(of: topics).compactMap { partition -> Position? in
      let end = try ends.bounds(partition, within: .seconds(30)).upperBound
      return end > 1 ? Position(partition, offset: end / 2) : nil
    }
    try Admin(clients("retention"), notify: { _ in }).deleteRecords(positions)
  }
}
