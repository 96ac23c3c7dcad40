import Testing

@testable import Oracle
@testable import Scenarios

/// Where timestamps are out of order by as much as the grace, the order between the topics decides
/// what waits and what is given up.
@Suite("Timestamps without order") struct DisorderTests {
  /// A history in the order in which a worker that was there has applied it.
  struct History: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [String]
    /// The step without which no timestamp is out of order.
    var disorder: String
    var announced: Int
  }

  private static let options = ["grace": "5s"]

  static let histories = [
    // Merged by timestamp the receipt is the first record of all, and seventeen seconds pass.
    History(
      testDescription: "a receipt that a worker has kept",
      steps: [
        "1 roster A B ts=+20", "B reads 2 ts=+3 at=+3", "2 from A ts=+22 sent=+22",
        "A receives 2 ts=+23", "A receives 2 ts=+4", "tick +40",
      ], disorder: "A receives 2 ts=+4", announced: 2),
    // Merged by timestamp the delete has no message that it could wait for.
    History(
      testDescription: "a delete that a worker has kept",
      steps: [
        "1 roster A B ts=+20", "A deletes 2 ts=+3 at=+3", "2 from A ts=+22 sent=+22",
        "A receives 2 ts=+23", "A receives 2 ts=+4", "B reads 2 ts=+24", "tick +40",
      ], disorder: "A receives 2 ts=+4", announced: 0),
    // Merged by timestamp the message comes before a receipt has used the other one's grace up.
    History(
      testDescription: "a receipt that a worker has given up",
      steps: [
        "1 roster A B ts=+9", "B reads 2 ts=+10 at=+10", "A receives 9 ts=+16",
        "2 from A ts=+12 sent=+12", "3 from A ts=+8 sent=+8", "tick +40",
      ], disorder: "3 from A ts=+8 sent=+8", announced: 0),
  ]

  @Test(arguments: histories)
  func `a worker that was there and one that came later are both right`(_ history: History) throws {
    let live = try ScriptedTraffic(Self.options, history.steps)
    let merged = live.merged()
    let verdict = try merged.verdict(.any, on: try live.outputs())
    #expect(verdict.faults == [])
    #expect(verdict[.announced] == history.announced)
    #expect(verdict.exceptions[.disorder] ?? 0 > 0)
    let late = try merged.verdict(.any, on: try merged.outputs())
    #expect(late.faults == [] && late.exceptions == [:])
  }

  @Test(arguments: histories)
  func `where all timestamps are in order, nothing is explained by them`(_ history: History) throws
  {
    let live = try ScriptedTraffic(Self.options, history.steps.filter { $0 != history.disorder })
    #expect(try !live.merged().verdict(.any, on: try live.outputs()).isRight)
  }

  @Test(arguments: [0, 1])
  func `what was kept for longer than any order explains is a fault`(_ number: Int) throws {
    let steps = Self.histories[number].steps.map { step in
      step.hasPrefix("2 from A") ? "2 from A ts=+60 sent=+60" : step
    }
    var kept = try ScriptedTraffic(["grace": "1h"], steps)
    let outputs = try kept.outputs()
    kept.options = Self.options
    #expect(try !kept.merged().verdict(.any, on: outputs).isRight)
  }

  @Test
  func `and so is what outputs tell to have been kept, or given up, against the time`() throws {
    func judge(_ history: History, at second: Int64) throws -> OracleVerdict {
      let live = try ScriptedTraffic(Self.options, history.steps)
      let outputs = try live.outputs().map { output in
        var output = output
        output.timestamp = (ScenarioScript.start + second) * 1000
        return output
      }
      return try live.merged().verdict(.any, on: outputs)
    }
    // The receipt was applied, and the next one of its topic told, before the message was there.
    #expect(try judge(Self.histories[0], at: 25).isRight)
    #expect(try !judge(Self.histories[0], at: 12).isRight)
    // It was given up two seconds after its time.
    #expect(try judge(Self.histories[2], at: 17).isRight)
    #expect(try !judge(Self.histories[2], at: 12).isRight)
  }

  @Test(arguments: histories)
  func `what is lost beside it is found`(_ history: History) throws {
    let beside = ["1 roster A B @h", "2 from A @h", "B reads 2 @h"]
    let live = try ScriptedTraffic(Self.options, beside + history.steps)
    let outputs = PlantedFault.Outputs(try live.outputs())
    let merged = live.merged()
    #expect(try merged.verdict(.any, on: outputs.records).faults == [])
    let announcements = outputs.events("messagesReadByAll", "messagesDeliveredToAll")
    for place in announcements where outputs.values[place]["conversationId"] == "group_h" {
      #expect(try merged.verdict(.any, on: outputs.without([place]))[.missing] > 0)
      #expect(try merged.verdict(.any, on: outputs.repeating(place))[.doubled] > 0)
    }
  }
}

extension ScriptedTraffic {
  /// The same records, each topic in its order, merged by timestamp as who comes later does it.
  fileprivate func merged() -> ScriptedTraffic {
    var merged = self
    merged.entries = []
    var topics = ModelRecord.Topic.allCases.map { topic in
      entries.filter { $0.record?.input.topic == topic }[...]
    }
    while let next = topics.indices.filter({ !topics[$0].isEmpty }).min(by: {
      topics[$0].first?.record?.input.timestamp ?? 0
        < topics[$1].first?.record?.input.timestamp ?? 0
    }) {
      merged.entries.append(topics[next].removeFirst())
    }
    merged.entries += entries.filter { $0.record == nil }
    return merged
  }
}

extension ScriptedTraffic.Entry {
  fileprivate var record: ModelRecord? {
    if case .record(let record, _) = self { record } else { nil }
  }
}
