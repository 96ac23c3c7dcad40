import BrokerSupport
import Core
import Foundation
import Kafka
import Testing
import Worker

@testable import rollcall

extension Integration {
  @Suite struct VerifyTests {
    /// A short grace, as what waits in vain is waited for.
    static let grace = ["--grace", "2s"]
    static let load = [
      "load", "--preset", "small", "--groups", "12", "--largest-group", "8", "--pairs", "4",
      "--end-to-end", "false",
    ]

    @Test("What a pool does is right, looked at in one share or in many, and beside its workers")
    func right() throws {
      let stage = try Stage(Broker.shared(), partitions: 2)
      defer { #expect(throws: Never.self) { try stage.strike() } }
      let worker = try WorkerProcess(stage, instance: "a", Self.grace)
      let output = stage.folder.appending(path: "load")
      let load = try ChildProcess(
        Self.load + stage.options + ["--rate", "200", "--duration", "6s"], output: output,
        errors: output)
      try eventually("it writes") {
        try String(contentsOf: output, encoding: .utf8).contains("records/s")
      }
      // Whether a moment is found or not: there is no fault.
      let midway = try Verdict(stage, Self.grace)
      #expect([ExitCode.done, ExitCode.undecided].contains(midway.code), "\(midway)")
      #expect(try load.end(within: .seconds(60)) == 0)

      let whole = try Verdict(stage, Self.grace + ["--wait", "60s"])
      #expect(try worker.terminate() == 0)
      whole.expectRight(announced: 100)
      #expect(whole.counts["statePieces"] ?? 0 > 100)
      #expect(whole.text.hasSuffix("PASSED: every announcement came exactly once\n"))
      let shares = try Verdict(stage, Self.grace + ["--share-records", "200"])
      #expect(shares.code == 0 && shares.counts == whole.counts, "\(shares)")
      let parts = try [0, 1].map { try Verdict(stage, Self.grace + ["--partitions", "\($0)"]) }
      let sum = parts.map(\.counts).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
      #expect(sum == whole.counts)
    }

    @Test func `A fault that is planted into what a pool has written is found, and named`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      defer { #expect(throws: Never.self) { try stage.strike() } }
      let worker = try WorkerProcess(stage, instance: "a", Self.grace)
      let load = try stage.run(Self.load + ["--records", "400", "--bad", "5%"])
      #expect(load.code == 0, "\(load.errors)")
      #expect(try Verdict(stage, Self.grace + ["--wait", "60s"]).code == 0)
      #expect(try worker.terminate() == 0)

      let original = try PoolCopy(stage)
      for fault in PlantedInPool.all {
        var copy = original
        try fault.plant(&copy)
        let other = try copy.write()
        defer { #expect(throws: Never.self) { try other.strike() } }
        let report = try Verdict(other, Self.grace)
        #expect(
          report.code == (fault.isFault ? ExitCode.failed : ExitCode.done), "\(fault.counter)")
        #expect(report.counts[fault.counter] ?? 0 > 0, "\(fault.counter): \(report)")
      }
    }

    @Test func `Options that are not the pool's are no fault of the pool`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      defer { #expect(throws: Never.self) { try stage.strike() } }
      let worker = try WorkerProcess(stage, instance: "a", Self.grace)
      let load = try stage.run(
        Self.load + ["--records", "50", "--group", stage.group, "--drain", "60s"])
      #expect(load.code == 0, "\(load.errors)")
      #expect(try worker.terminate() == 0)
      let separate = try Verdict(stage, Self.grace + ["--threads", "separate"])
      #expect(separate.code == ExitCode.configuration, "\(separate)")
      let beyond = try Verdict(stage, Self.grace + ["--partitions", "1"])
      #expect(beyond.code == ExitCode.configuration && beyond.text.contains("no partition 1"))
      // What is written after the last worker has ended is never applied.
      try stage.write([
        TimedRecord(topic: .deletes, partition: 0, key: nil, value: nil, timestamp: 1)
      ])
      let waiting = try Verdict(stage, Self.grace + ["--wait", "500ms"])
      #expect(waiting.code == ExitCode.undecided && waiting.text.contains("not applied 1 records"))
    }
  }
}

/// What is changed of what a pool has left, and where verify counts it.
private struct PlantedInPool: Sendable {
  var counter: String
  var isFault = true
  var plant: @Sendable (inout PoolCopy) throws -> Void

  static let all = [
    PlantedInPool(counter: "missing") { copy in
      try copy.change(.events) { $0.text.contains("ReadByAll") ? [] : nil }
    },
    PlantedInPool(counter: "doubled") { copy in
      try copy.change(.events) { $0.text.contains("ReadByAll") ? [$0, $0] : nil }
    },
    PlantedInPool(counter: "badCounts") { copy in
      try copy.change(.status) { record in
        var record = record
        record.value = Array(record.text.replacing("\"readCount\":", with: "\"readCount\":9").utf8)
        return [record]
      }
    },
    PlantedInPool(counter: "badRejections") { copy in
      try copy.change(.rejected) { _ in [] }
    },
    PlantedInPool(counter: "stateFaults") { copy in
      // A message that the workers have forgotten: kind 3 of the changelog.
      try copy.change(.state) { record in
        guard record.key?.first == 3, record.value != nil else { return nil }
        var end = record
        end.value = nil
        return [record, end]
      }
    },
    PlantedInPool(counter: "notApplied", isFault: false) { copy in
      try copy.change(.receipts) { [$0, $0] }
    },
  ]
}
