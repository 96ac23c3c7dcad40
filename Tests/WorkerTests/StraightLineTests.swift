import Core
import Testing

@testable import Lab
@testable import Worker

@Suite struct StraightLineTests {
  let pool = Pool()

  @Test func `Records of three topics become announcements and committed positions`() throws {
    pool.start("w")
    pool.roster("ABC")
    pool.message(2)
    pool.read(upTo: 2, by: "B")
    try pool.settle()
    #expect(try pool.announcements == [])

    pool.read(upTo: 2, by: "C")
    try pool.settle()
    #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
    let position = try #require(pool.broker.committedPosition())
    #expect(position.offsets == [2, 2, 0])
    // A transaction for the claim, and one for each of the two settlings.
    #expect(position.metadata == "3 w/0")
    #expect(pool.broker.committedRecords(.status).count == 2)
    #expect(pool.rejectedCodes() == [])
  }

  @Test func `An idle worker commits nothing`() throws {
    try pool.idleWorker()
    let end = pool.broker.committedRecords(.state).count
    pool.now = pool.now.advanced(byMilliseconds: 3_600_000)
    try pool.settle()
    #expect(pool.broker.committedRecords(.state).count == end)
  }

  @Test func `The committed position passes control records`() throws {
    pool.start("w")
    let value = #"{"id":1,"category":"action","receiverId":"g1","receiverType":"group","sentAt":1}"#
    pool.broker.appendInTransaction(
      .messages, key: Array("group_g1".utf8), value: Array(value.utf8), timestamp: pool.now)
    try pool.settle()
    #expect(pool.broker.committedPosition()?.offsets == [2, 0, 0])
  }

  @Test func `A record that an operator names is rejected unread`() throws {
    pool.skips = [.init(topic: .receipts, partition: 0, offset: 1)]
    pool.start("w")
    pool.roster("ABC")
    pool.message(2)
    pool.read(upTo: 2, by: "B")
    pool.read(upTo: 2, by: "C")
    try pool.settle()
    #expect(try pool.announcements == [])
    let rejected = try #require(pool.broker.committedRecords(.rejected).first)
    #expect(rejected.headers["error.code"] == "ERR_SKIPPED")
    #expect(rejected.headers["source.topic"] == "chat.receipts")
    #expect(rejected.headers["source.offset"] == "1")
    #expect(rejected.key == Array("group_g1".utf8))
  }

  @Test func `What waits in vain is rejected by the clock alone`() throws {
    pool.start("w")
    pool.roster("AB")
    pool.read(upTo: 5, by: "B")
    try pool.settle()
    #expect(pool.rejectedCodes() == [])

    pool.now = pool.now.advanced(byMilliseconds: pool.rules.grace - 60_000)
    try pool.settle()
    #expect(pool.rejectedCodes() == [], "not before its time")

    pool.now = pool.now.advanced(byMilliseconds: 60_000)
    try pool.settle()
    #expect(pool.rejectedCodes() == ["ERR_MESSAGE_NOT_FOUND"])
    #expect(pool.rejections == [.messageNotFound: 1])
  }

  @Test func `More than a tick holds falls due in several`() throws {
    pool.rules.maxWaitingPerConversation = 30_000
    pool.start("w")
    pool.roster("AB")
    for id in 0..<11_000 { pool.read(upTo: Int64(1000 + id), by: "B") }
    try pool.settle()
    pool.now = pool.now.advanced(byMilliseconds: pool.rules.grace)
    try pool.settle()
    #expect(pool.rejectedCodes().count == 11_000)
    #expect(pool.ticks == 2)
  }

  @Test func `Any bytes are rejected and nothing stops`() throws {
    var random = SplitMix64(seed: 1)
    pool.start("w")
    pool.roster("ABC")
    pool.message(2)
    for _ in 0..<2000 {
      let topic = Topic.allCases[Int.random(in: 0..<3, using: &random)]
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
      pool.broker.append(topic, key: bytes, value: bytes, timestamp: pool.now)
    }
    pool.broker.append(.deletes, key: nil, value: nil, timestamp: nil)
    pool.read(upTo: 2, by: "B")
    pool.read(upTo: 2, by: "C")
    try pool.settle()
    #expect(pool.rejectedCodes().count == 2001)
    #expect(pool.rejections.values.reduce(0, +) == 2001)
    #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
  }

  @Test func `An output that no topic takes leaves a rejection in its place`() throws {
    pool.start("w", maxOutputBytes: 600)
    pool.roster("AB")
    pool.message(2)
    let padding = String(repeating: "x", count: 500)
    pool.write(
      .receipts, "g1", 0,
      #"""
      {"receiptType":"read","messageId":2,"sender":{"uid":"B"},"receiverId":"g1",\#
      "receiverType":"group","readAt":1771586000,"padding":"\#(padding)"}
      """#
    )
    try pool.settle()
    #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
    #expect(pool.rejectedCodes() == ["ERR_RECORD_TOO_LARGE"])
    let rejected = try #require(pool.broker.committedRecords(.rejected).first)
    #expect(rejected.value == nil)
    #expect(rejected.headers["source.topic"] == "chat.receipts")
    #expect(rejected.headers["source.offset"] == "0")
  }

  @Test func `A topic whose keys lie elsewhere is doubted once`() throws {
    let pool = Pool(partitionCount: 64)
    pool.start("w")
    // Under 64 partitions neither way puts all of these on partition 5.
    for group in 0..<20 { pool.message(2, in: "g\(group)", partition: 5) }
    try pool.settle()
    let doubts = pool.occurrences.compactMap {
      if case .partitionerDoubt(let topic, let likely) = $0.1 { (topic, likely) } else { nil }
    }
    #expect(doubts.count == 1)
    #expect(doubts.first?.0 == .messages)
    #expect(doubts.first?.1 == nil)
  }
}
