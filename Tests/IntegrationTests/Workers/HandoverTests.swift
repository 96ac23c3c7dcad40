import BrokerSupport
import Core
import Testing

extension Integration {
  @Suite struct RebalanceTests {
    @Test func `A worker restores nothing that it keeps when another one comes and goes`() throws {
      let stage = try Stage(Broker.shared(), partitions: 6)
      let traffic = stage.traffic(records: 4500)
      let third = traffic.count / 3
      let stays = try WorkerProcess(stage, instance: "stays")
      try stage.play(traffic[..<third])
      let comes = try WorkerProcess(stage, instance: "comes")
      // Both work while they share.
      try comes.awaitLine("partition restored", after: 2)
      try stage.play(traffic[third..<(2 * third)])
      try stage.end([comes], stillInGroup: 1)
      try stage.play(traffic[(2 * third)...])
      try eventually("all partitions are back") {
        try stays.lines("partitions taken").last?.numbers("partitions").count == 6
      }
      try stage.end([stays])

      let taken = try stays.lines("partitions taken").map { line in
        (now: Set(line.numbers("partitions")), kept: Set(line.numbers("kept")))
      }
      try #require(taken.count >= 3)
      for (before, after) in zip(taken, taken.dropFirst()) {
        #expect(after.kept == before.now.intersection(after.now))
      }
      let restored = try stays.lines("partition restored").flatMap { $0.numbers("partition") }
      let gained = taken.reduce(0) { $0 + $1.now.subtracting($1.kept).count }
      #expect(restored.count == gained)
      #expect(restored.count == 9, "six at the start, and the three that the other one had")
      try Verdict(stage).expectRight(announced: 100)
      try stage.strike()
    }
  }

  /// `ROLLCALL_LONG` measures how long a successor needs for a hundred thousand.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct TakeoverTests {
    private static let messages = Wish.isLong ? 100_000 : 2000
    private static let members = 50

    @Test
    func `The open messages of a killed worker are taken over, and the time is told`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let first = try WorkerProcess(stage, instance: "1", WorkerProcess.shortTimeouts)
      try stage.play(Self.openMessages, within: .seconds(300))
      let second = try WorkerProcess(stage, instance: "2", WorkerProcess.shortTimeouts)
      try first.awaitLine("partitions taken", after: 1)

      let owner = try [first, second].first {
        try $0.lines("partitions taken").last?.numbers("partitions") == [0]
      }
      let dying = try #require(owner)
      let heir = dying === first ? second : first
      let restoredBefore = try heir.lines("partition restored").count
      let start = ContinuousClock.now
      try dying.kill()
      try heir.awaitLine("partition restored", after: restoredBefore, within: .seconds(120))
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      let line = try #require(try heir.lines("partition restored").last)
      try stage.play([Self.lastReceipt])
      try stage.end([heir])
      try Verdict(stage).expectRight(announced: 0)
      tell(
        """
        takeover: \(Self.messages) open messages, \(line.numbers("records")) changelog records \
        folded in \(line.numbers("milliseconds")) ms, \(seconds) s after the kill
        """)
      try stage.strike()
    }

    private static var openMessages: [TimedRecord] {
      let members = (1...members).map { #"{"uid":"u\#($0)"}"# }.joined(separator: ",")
      let roster = """
        {"id":1,"category":"action","type":"groupMember","action":"roster",\
        "actionBy":{"uid":"u1"},"actionOn":[\(members)],"receiverId":"big",\
        "receiverType":"group","sentAt":1735689600}
        """
      let records = (2...Int64(messages + 1)).map { id in
        """
        {"id":\(id),"sender":{"uid":"u\(1 + id % 50)"},"receiverId":"big",\
        "receiverType":"group","category":"message","type":"text","sentAt":1735689601}
        """
      }
      return ([roster] + records).map { TimedRecord(.messages, key: "group_big", $0) }
    }

    /// Of one member of fifty: it completes nothing, but covers all.
    private static var lastReceipt: TimedRecord {
      let value = """
        {"receiptType":"read","messageId":\(messages + 1),"sender":{"uid":"u1"},\
        "receiverId":"big","receiverType":"group","readAt":1735689700}
        """
      return TimedRecord(.receipts, key: "group_big", value)
    }
  }
}
