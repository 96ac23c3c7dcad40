import Testing

@testable import Oracle
@testable import Scenarios

@Suite("Timestamps that are not the clock's") struct AheadTests {
  private static let now = (ScenarioScript.start + 1000) * 1000
  /// 2100.
  private static let far = "4102444800"

  /// A message, in the year 2100 by its timestamp, that is applied two seconds later by the clock.
  private static let future = [
    "1 roster A B", "2 from A", "clock=+4", "3 from A ts=\(far)", "B reads 2", "B reads 3",
    "clock=+9", "4 from A", "B reads 4",
  ]

  @Test func `a record dated 2100 ends nothing where no clock was as far`() throws {
    let traffic = try ScriptedTraffic([:], Self.future)
    let outputs = try traffic.outputs()
    let verdict = try traffic.verdict(.any, on: outputs, latestClock: Self.now)
    #expect(verdict.faults == [])
    #expect(verdict[.expected] == 6 && verdict[.announced] == 6)
    #expect(verdict[.reordered] == 0 && verdict.exceptions == [:])
    #expect(try traffic.verdict(.merged, on: outputs).faults == [])
  }

  @Test func `and what is wrong beside it is found`() throws {
    let traffic = try ScriptedTraffic([:], Self.future)
    let outputs = PlantedFault.Outputs(try traffic.outputs())
    for place in outputs.events("messagesReadByAll", "messagesDeliveredToAll") {
      let lost = outputs.without([place])
      let verdict = try traffic.verdict(.any, on: lost, latestClock: Self.now)
      #expect(verdict[.missing] > 0)
      let again = outputs.repeating(place)
      #expect(try traffic.verdict(.any, on: again, latestClock: Self.now)[.doubled] > 0)
    }
  }

  @Test
  func `what waited when such a record came may have been given up, and nothing else`() throws {
    // By the clock ten minutes have passed, which no other timestamp tells.
    let steps = [
      "1 roster A B", "2 from A", "B reads 3", "1 roster A B @h", "2 from A @h", "clock=+700",
      "9 from A ts=\(Self.far) @h", "3 from A ts=+7 sent=+7", "B reads 2 @h ts=+8 at=+8",
      "tick +700",
    ]
    let traffic = try ScriptedTraffic([:], steps)
    let outputs = try traffic.outputs()
    let verdict = try traffic.verdict(.any, on: outputs, latestClock: Self.now)
    #expect(verdict.faults == [])
    #expect(verdict.exceptions[.timestampAhead] ?? 0 > 0)
    // In the other group nothing waited.
    let parsed = PlantedFault.Outputs(outputs)
    let others = parsed.events("messagesReadByAll").filter {
      parsed.values[$0]["conversationId"] == "group_h"
    }
    let lost = parsed.without(others)
    #expect(try traffic.verdict(.any, on: lost, latestClock: Self.now)[.missing] > 0)
    // Who knows the clock grants nothing.
    #expect(try traffic.verdict(.merged, on: outputs).faults == [])
  }

  @Test func `what came behind such a record may have waited longer`() throws {
    // For the worker the receipt came at +700, for its timestamp at +3.
    let steps = [
      "1 roster A B", "clock=+700", "9 from A ts=\(Self.far)", "B reads 2 ts=+3",
      "A receives 9 ts=+400", "2 from A ts=+401 sent=+401", "tick +701",
    ]
    let traffic = try ScriptedTraffic([:], steps)
    let outputs = try traffic.outputs()
    let verdict = try traffic.verdict(.any, on: outputs, latestClock: Self.now)
    #expect(verdict.faults == [])
    #expect(PlantedFault.Outputs(outputs).events("messagesReadByAll").count == 1)
  }

  @Test("a first record without a timestamp has begun stream time at a clock that nobody knows")
  func begunByClock() throws {
    // The clock is a day ahead of what follows, of which nothing is closed as early as it tells.
    let steps = [
      "clock=+86400", "1 roster A B", "1 roster A B @h", "2 from A @h ts=+2 sent=+2",
      "B reads 2 @h ts=+3 at=+3", "3 from A @h ts=+4 sent=+4", "tick +86401",
    ]
    var traffic = try ScriptedTraffic(["trackingWindow": "1h"], steps)
    traffic.changeTimestamps(of: { $0.offset == 0 })
    let outputs = try traffic.outputs()
    #expect(PlantedFault.Outputs(outputs).events("messagesReadByAll").count == 1)
    let verdict = try traffic.verdict(.any, on: outputs, latestClock: Self.now + 90_000_000)
    #expect(verdict.faults == [])
    #expect(verdict.exceptions[.timestampAhead] ?? 0 > 0)
    #expect(try traffic.verdict(.merged, on: outputs).faults == [])
    let silent = outputs.filter { $0.topic != .events }
    let judged = try traffic.verdict(.any, on: silent, latestClock: Self.now + 90_000_000)
    #expect(judged[.missing] > 0)
  }

  /// Two messages, a record from the year 2100 behind them, and eight days.
  private static let eightDays = [
    "1 roster A B C D", "2 from A", "clock=+4", "3 from A ts=\(far)", "B reads 2", "C receives 3",
    "clock=+700000", "tick +700000",
  ]

  @Test("when outputs were written tells that nothing had ended, so that it explains nothing")
  func outputTimes() throws {
    let traffic = try ScriptedTraffic([:], Self.eightDays)
    let end = (ScenarioScript.start + 700_000) * 1000
    let right = PlantedFault.Outputs(try traffic.outputs())
    let dated = { (records: [OracleRecord]) in
      PlantedFault.Outputs(records).records.map { record in
        var record = record
        let isLate = JSON.parsed(record.value)?["reason"] == "EXPIRED"
        record.timestamp = isLate ? end : Self.now
        return record
      }
    }
    for outputs in [right.records, dated(right.records)] {
      #expect(try traffic.verdict(.any, on: outputs, latestClock: end).faults == [])
    }
    for place in right.lastStatuses {
      let value = right.values[place]
      let nobody = value.adding("readCount", 0).adding("unreadCount", 3)
        .adding("deliveredCount", 0).adding("undeliveredCount", 3)
      let wrong = right.replacing(place, nobody)
      let blind = try traffic.verdict(.any, on: wrong, latestClock: end)
      #expect(blind.faults == [] && blind.exceptions[.timestampAhead] ?? 0 > 0)
      let verdict = try traffic.verdict(.any, on: dated(wrong), latestClock: end)
      #expect(verdict[.badCounts] > 0)
      let lost = dated(right.without([place]))
      let judged = try traffic.verdict(.any, on: lost, latestClock: end)
      #expect(judged[.wrong] + judged[.missing] > 0)
    }
  }

  @Test(arguments: [true, false])
  func `timestamps that are ten minutes behind, or missing, are as good`(isMissing: Bool) throws {
    let steps = [
      "1 roster A B", "2 from A", "B reads 2", "B reads 3", "3 from A", "B reads 4", "tick +6",
    ]
    var traffic = try ScriptedTraffic([:], steps)
    traffic.changeTimestamps(to: { isMissing ? nil : $0.map { $0 - 600_000 } })
    let outputs = try traffic.outputs()
    for order in [OracleOrder.merged, .any] {
      let verdict = try traffic.verdict(order, on: outputs, latestClock: Self.now)
      #expect(verdict.faults == [], "\(order)")
      #expect(verdict[.announced] == 4)
    }
  }
}
