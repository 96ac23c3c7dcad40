import Testing

@testable import Oracle
@testable import Scenarios

/// A fault in the outputs of a few steps.
struct ScriptedFault: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var options: [String: String] = [:]
  var steps: [String]
  /// The counter that must tell of it.
  var counter: OracleVerdict.Counter
  /// Spoils right outputs.
  var spoil: @Sendable (PlantedFault.Outputs) throws -> [OracleRecord]

  init(
    _ description: String, options: [String: String] = [:], _ steps: [String],
    _ counter: OracleVerdict.Counter,
    _ spoil: @escaping @Sendable (PlantedFault.Outputs) throws -> [OracleRecord]
  ) {
    testDescription = description
    self.options = options
    self.steps = steps
    self.counter = counter
    self.spoil = spoil
  }
}

@Suite("Planted faults of a few steps") struct ScriptedFaultTests {
  @Test(arguments: ScriptedFault.all)
  func `each is found, whatever is known of the order`(_ fault: ScriptedFault) throws {
    let traffic = try ScriptedTraffic(fault.options, fault.steps)
    let right = try traffic.outputs()
    let wrong = try fault.spoil(PlantedFault.Outputs(right))
    for order in [OracleOrder.merged, .any] {
      #expect(try traffic.verdict(order, on: right).faults == [], "\(order)")
      let verdict = try traffic.verdict(order, on: wrong)
      #expect(verdict[fault.counter] > 0, "\(order): \(verdict.examples)")
    }
  }
}

extension ScriptedFault {
  static let all = deletes + beginnings + times + records

  private static let waitingDelete = [
    "1 roster A B", "3 from A", "B reads 3", "A deletes 2", "2 from A",
  ]

  private static let deletes = [
    ScriptedFault(
      "the record that brings a message announces it behind its delete", waitingDelete,
      .disordered
    ) { outputs in
      let deleted = try #require(outputs.events("messageDeleted").first)
      let announced = try announcements(of: 2, like: outputs)
      return Array(outputs.records[...deleted]) + announced + outputs.records[(deleted + 1)...]
    },
    ScriptedFault("an announcement comes long after the delete", waitingDelete, .disordered) {
      outputs in
      outputs.records + (try announcements(of: 2, like: outputs))
    },
    ScriptedFault(
      "a delete that its original decides has no status",
      ["1 roster A B", "A deletes 7 original=A", "tick +400"], .missing
    ) { outputs in outputs.without(outputs.topic(.status)) },
    ScriptedFault(
      "a delete that its original decides counts somebody",
      ["1 roster A B", "A deletes 7 original=A", "tick +400"], .badCounts
    ) { outputs in
      let place = try #require(outputs.topic(.status).last)
      let value = outputs.values[place].adding("unreadCount", 1).adding("totalCount", 1)
        .adding("undeliveredCount", 1)
      return outputs.replacing(place, value)
    },
    ScriptedFault(
      "a delete of what expired waits in vain", options: ["trackingWindow": "100s"],
      ["1 roster A B", "2 from A", "tick +102", "A deletes 2 at=+103 original=A"], .missing
    ) { outputs in
      outputs.without(
        outputs.events("messageDeleted") + outputs.topic(.actions)
          + outputs.lastStatuses.filter { outputs.values[$0]["deletedBy"] != nil })
    },
  ]

  /// The record that deletes it is the one that has it expire, so that nobody tells of that.
  private static let expiring = [
    "1 roster A B", "2 from A", "3 from A", "B reads 2", "A deletes 2 ts=+200 at=+200 original=A",
  ]
  /// A message that was deleted expires in silence.
  private static let silent = [
    "1 from A with B", "B reads 1 with A", "A deletes 1 original=A with B",
    "2 from A ts=+200 sent=+200 with B", "A deletes 1 ts=+201 at=+201 original=A with B",
    "tick +600",
  ]

  /// Counts fall only where a message begins again.
  private static let beginnings =
    [expiring, silent].flatMap { steps in
      [
        ScriptedFault(
          "counts fall once more than it began again", options: ["trackingWindow": "100s"], steps,
          .badCounts
        ) { outputs in
          let statuses = outputs.topic(.status)
          let read = try #require(statuses.last { outputs.values[$0]["readCount"] == .int(1) })
          let last = try #require(
            statuses.last { outputs.records[$0].key == outputs.records[read].key })
          return outputs.records + [outputs.records[read], outputs.records[last]]
        },
        ScriptedFault(
          "counts fall, and the message did not begin again", steps, .badCounts
        ) { outputs in
          let place = try #require(
            outputs.lastStatuses.last { outputs.values[$0]["deletedBy"] != nil })
          let none = [
            "readCount", "deliveredCount", "totalCount", "unreadCount", "undeliveredCount",
          ]
          return outputs.replacing(
            place, none.reduce(outputs.values[place]) { $0.adding($1, .int(0)) })
        },
      ]
    } + [
      ScriptedFault(
        "an old status comes again in between",
        ["1 roster A B C", "2 from A", "B reads 2", "C reads 2"],
        .badCounts
      ) { outputs in
        let places = outputs.topic(.status)
        return outputs.records + places.suffix(2).map { outputs.records[$0] }
      }
    ]

  private static let times = [
    ScriptedFault(
      "an announcement has a time beyond its record's timestamp",
      ["1 roster A B", "2 from A", "B reads 2 at=+900 ts=+2"], .wrong
    ) { outputs in
      let place = try #require(outputs.events("messagesReadByAll").first)
      let receipt = outputs.values[place]["receipt"]?
        .adding("readAt", .int(ScenarioScript.start + 900))
      return outputs.replacing(place, outputs.values[place].adding("receipt", receipt))
    },
    ScriptedFault(
      "a status has a time beyond its record's timestamp",
      ["2 from A with B", "B reads 2 at=+900 ts=+2 with A"], .wrong
    ) { outputs in
      let place = try #require(outputs.lastStatuses.last)
      let time = JSON.int(ScenarioScript.start + 900)
      return outputs.replacing(place, outputs.values[place].adding("readAt", time))
    },
    ScriptedFault(
      "a response has a time beyond its record's timestamp",
      ["1 roster A B", "2 from A", "B reads [2] at=+900 ts=+2"], .badCounts
    ) { outputs in
      let place = try #require(outputs.events("readReceiptResponse").first)
      let time = JSON.int(ScenarioScript.start + 900)
      return outputs.replacing(place, outputs.values[place].adding("readAt", time))
    },
    ScriptedFault(
      "what came after the end of a membership is unread",
      ["1 roster A B", "2 from A", "3 from A", "4 left B", "5 from A", "B unreads 2"], .badCounts
    ) { outputs in
      let place = try #require(outputs.events("unreadChanged").last)
      return outputs.replacing(place, outputs.values[place].adding("unreadMessageCount", 2))
    },
    ScriptedFault(
      "the clock is taken for stream time, and a receipt is given up",
      ["1 roster A B", "B reads 2 ts=+1", "2 from A", "B reads 2"], .missing
    ) { _ in
      // Timestamps are ten minutes behind the clock, which a tick jumps to.
      try ScriptedTraffic(
        [:], ["1 roster A B", "B reads 2 ts=+1", "tick +601", "2 from A"]
      ).outputs()
    },
  ]

  private static let records = [
    ScriptedFault(
      "an id that is used twice is passed over in silence",
      ["1 roster A B", "2 from A sent=+1", "2 from B sent=+1"], .badRejections
    ) { outputs in outputs.without(outputs.topic(.rejected)) },
    ScriptedFault(
      "an id that comes again with another time is passed over in silence",
      ["1 roster A B", "2 from A", "1 left B"], .badRejections
    ) { outputs in outputs.without(Array(outputs.topic(.rejected).prefix(1))) },
    ScriptedFault(
      "a category that nobody knows takes its id with it",
      [
        "1 roster A B",
        """
        {"topic":"messages","value":{"id":2,"sender":{"uid":"A"},"category":"agentic",\
        "sentAt":1771586001,"receiverId":"g","receiverType":"group"}}
        """, "B reads 2",
      ], .missing
    ) { outputs in outputs.without(outputs.records.indices.filter { _ in true }) },
    ScriptedFault(
      "a rejection has the key that it cannot have", [longKey], .badRejections
    ) { outputs in
      var records = outputs.records
      records[0].key = Array(repeating: UInt8(ascii: "k"), count: 1025)
      return records
    },
    ScriptedFault(
      "a rejection does not say how long its key was", [longKey], .badRejections
    ) { outputs in outputs.replacing(0, header: "source.keyBytes", "7") },
    ScriptedFault(
      "a time in milliseconds is taken for one in seconds",
      ["1 roster A B", "2 from A sent=+999999 ts=+1"], .badRejections
    ) { outputs in outputs.without(outputs.topic(.rejected)) },
    ScriptedFault(
      "the system may not delete", ["1 roster A B", "2 from A", "app_system deletes 2"], .missing
    ) { outputs in outputs.without(outputs.events("messageDeleted")) },
    ScriptedFault(
      "an unread that nobody asked for is told", options: ["unreadEvents": "requested"],
      ["1 roster A B", "2 from A", "B unreads 1", "B reads 2"], .wrong
    ) { outputs in
      let place = try #require(outputs.events("unreadChanged").last)
      let value = outputs.values[place].adding("eventId", "group_g/unreadChanged/r/0/3/1")
      return outputs.records + [outputs.replacing(place, value)[place]]
    },
  ]

  private static let longKey = """
    {"topic":"messages","key":"\(String(repeating: "k", count: 1025))","timestamp":1771586001000,\
    "value":{"id":2}}
    """

  /// The announcements of 3 as those of another message, which was complete when it came.
  private static func announcements(
    of id: Int64, like outputs: PlantedFault.Outputs
  ) throws -> [OracleRecord] {
    try ["deliveredAt", "readAt"].enumerated().map { index, field in
      let name = index == 0 ? "messagesDeliveredToAll" : "messagesReadByAll"
      let place = try #require(outputs.events(name).first)
      let value = outputs.announcing([id], at: place)
      let time = JSON.int(ScenarioScript.start + 4)
      let receipt = value["receipt"]?.adding(Bytes(field).description, time)
      let announcement = value.adding("cause", "message").adding("receipt", receipt)
      return outputs.replacing(place, announcement)[place]
    }
  }
}
