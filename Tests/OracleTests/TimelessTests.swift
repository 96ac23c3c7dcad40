import Lab
import Testing

@testable import Histories
@testable import Oracle

@Suite("Records without a timestamp") struct TimelessTests {
  /// Which topics have no timestamps, and how many of a hundred of their records.
  struct Gap: Sendable, CustomStringConvertible {
    var topics: Set<OracleRecord.Topic>
    var percent: Int

    static let all: [Gap] = [
      Gap(topics: [.receipts], percent: 100), Gap(topics: [.messages], percent: 100),
      Gap(topics: [.deletes], percent: 100), Gap(topics: [.receipts, .deletes], percent: 100),
      Gap(topics: [.messages, .receipts, .deletes], percent: 100),
      Gap(topics: [.messages, .receipts, .deletes], percent: 30),
    ]

    var description: String { "\(topics.map(\.rawValue).sorted()) \(percent) %" }
  }

  /// A workload, applied as it was written, some timestamps taken away.
  private static func traffic(_ gap: Gap, seed: UInt64) throws -> Traffic {
    let options = WorkloadCase.options(.dirty)
    var random = HistoryRandom(seed: seed)
    let written = Traffic.workload(seed, options, count: 600).map { record in
      var record = record
      if gap.topics.contains(record.topic), random.chance(gap.percent) {
        record.timestamp = nil
      }
      return record
    }
    return try Traffic(written, options: ["maxGroupMembers": "12"], pause: 400_000) { _ in written }
  }

  @Test(arguments: Gap.all)
  func `what was applied live is right, whatever a merge makes of it`(_ gap: Gap) throws {
    for seed in History.seeds(3) {
      let traffic = try Self.traffic(gap, seed: seed)
      let verdict = try traffic.verdict(.any)
      #expect(verdict.faults == [], "seed \(seed)")
      #expect(verdict[.announced] > 50)
    }
  }

  @Test(arguments: Gap.all)
  func `and an announcement that is lost or doubled is a fault`(_ gap: Gap) throws {
    let traffic = try Self.traffic(gap, seed: 1)
    let outputs = PlantedFault.Outputs(traffic.outputs)
    let oracle = try traffic.oracle(.any)
    let announcements = outputs.events("messagesReadByAll", "messagesDeliveredToAll")
    var (found, judged) = (0, 0)
    for place in announcements.enumerated().filter({ $0.offset % 20 == 7 }).map(\.element) {
      judged += 1
      let again = Traffic.verdict(oracle, on: outputs.repeating(place))
      #expect(again[.doubled] > 0)
      if Traffic.verdict(oracle, on: outputs.without([place]))[.missing] > 0 { found += 1 }
    }
    // A delete may explain a lost one, as ever, and so may a record without any time.
    #expect(judged > 2 && found > 0)
  }

  /// Receipts without times among messages an hour apart.
  private static let steps = [
    "1 roster A B", "2 from A", "B reads 2", "3 from A ts=+3600 sent=+3600", "B reads 3 at=+3600",
    "9 from A ts=+7200 sent=+7200", "B reads 77 at=+7200", "4 from A ts=+9000 sent=+9000",
    "tick +9001",
  ]

  private static func scripted(_ steps: [String]) throws -> (live: ScriptedTraffic, ScriptedTraffic)
  {
    var live = try ScriptedTraffic([:], steps)
    live.changeTimestamps(of: { $0.topic == .receipts })
    var merged = live
    let isReceipt: (ScriptedTraffic.Entry) -> Bool = { entry in
      guard case .record(let record, _) = entry else { return false }
      return record.input.topic == .receipts
    }
    merged.entries = live.entries.filter(isReceipt) + live.entries.filter { !isReceipt($0) }
    return (live, merged)
  }

  @Test("of two deletes that their original decides, the one without a timestamp may be first")
  func twinDeletes() throws {
    var traffic = try ScriptedTraffic(
      [:], ["1 roster A B", "A deletes 9 original=A", "A deletes 9 at=+1 original=A", "tick +400"])
    traffic.changeTimestamps(of: { $0.offset == 1 })
    let outputs = PlantedFault.Outputs(try traffic.outputs())
    #expect(outputs.events("messageDeleted").count == 1)
    #expect(try traffic.verdict(.any, on: outputs.records).faults == [])
    let lost = outputs.without(outputs.topic(.actions))
    #expect(try traffic.verdict(.any, on: lost)[.missing] > 0)
  }

  @Test func `what the topics say of a message agrees, also where no record has any time`() throws {
    let (_, merged) = try Self.scripted(
      ["1 roster A B", "2 from A", "B reads 2 at=none", "3 from A", "A deletes 3", "tick +9"])
    let outputs = PlantedFault.Outputs(try merged.outputs())
    #expect(try merged.verdict(.any, on: outputs.records).faults == [])
    let said = ["messagesReadByAll", "messagesDeliveredToAll", "messageDeleted"].map {
      outputs.events($0)
    }
    #expect(said.allSatisfy { $0.count == 1 })
    for places in said + [outputs.topic(.actions), Array(outputs.lastStatuses.suffix(1))] {
      let lost = outputs.without(places)
      #expect(try merged.verdict(.any, on: lost)[.missing] > 0, "\(places)")
    }
  }

  @Test(arguments: [4000, 299_000, 301_000])
  func `what is given up before its grace is over is a fault`(waited: Int64) throws {
    let (_, merged) = try Self.scripted(Self.steps)
    let rejections = try merged.outputs().filter { $0.topic == .rejected }
    let outputs = try merged.outputs().map { output in
      var output = output
      let since = output.headers.first { $0.name == "source.timestamp" }.flatMap { Int64($0.value) }
      output.timestamp = since.map { $0 + waited }
      return output
    }
    let verdict = try merged.verdict(.any, on: outputs)
    #expect(rejections.count > 1)
    #expect(verdict[.badRejections] == (waited < 298_000 ? rejections.count : 0), "\(verdict)")
  }

  @Test func `a worker that is there and one that comes later are both right`() throws {
    let (live, merged) = try Self.scripted(Self.steps)
    let outputs = try live.outputs()
    let verdict = try merged.verdict(.any, on: outputs)
    #expect(verdict.faults == [])
    #expect(verdict[.announced] == 4 && verdict[.expected] == 4)
    // What it could not apply within the grace it has rejected: only so it may be missing.
    let late = try merged.outputs()
    #expect(PlantedFault.Outputs(late).events("messagesReadByAll").count == 1)
    let judged = try merged.verdict(.any, on: late)
    #expect(judged.faults == [])
    #expect(judged.exceptions[.noTimestamp] ?? 0 > 0)
    let silent = late.filter { $0.topic != .rejected }
    #expect(try merged.verdict(.any, on: silent)[.missing] > 0)
  }
}
