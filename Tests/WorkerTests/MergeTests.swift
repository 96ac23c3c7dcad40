import Core
import Testing

@testable import Lab
@testable import Worker

@Suite struct MergeTests {
  /// Four hours of one conversation: a message every half minute, read by both others soon after.
  private func traffic(_ pool: Pool, from start: Instant, afterEach: () throws -> Void) rethrows {
    pool.roster("ABC")
    for number in 0..<480 {
      let sent = start.advanced(byMilliseconds: Int64(number) * 30_000)
      let id = Int64(number + 2)
      pool.message(id, from: ["A", "B", "C"][number % 3], at: sent)
      for (place, uid) in ["A", "B", "C"].enumerated() {
        pool.read(upTo: id, by: uid, at: sent.advanced(byMilliseconds: Int64(place + 1) * 1000))
      }
      try afterEach()
    }
  }

  @Test func `A backlog gives what live traffic gives`() throws {
    let live = Pool()
    live.start("w")
    try live.settle()
    let start = live.now
    try traffic(live, from: start) {
      live.now = live.now.advanced(byMilliseconds: 30_000)
      for _ in 0..<3 { try live.step("w") }
    }
    try live.settle()

    let backlog = Pool()
    // Small fetches, so that one topic could run far ahead of another.
    backlog.broker.fetchLimit = 50
    traffic(backlog, from: start) {}
    backlog.now = start.advanced(byMilliseconds: 4 * 3_600_000)
    backlog.start("w")
    try backlog.settle()

    #expect(live.rejectedCodes() == [])
    #expect(backlog.rejectedCodes() == [])
    let announced = try live.announcements
    #expect(announced.count == 2 * 480)
    #expect(try backlog.announcements == announced)
  }

  /// One lane after another as it comes: what the merging is for.
  @Test func `Nothing is applied while a lane that may be behind has nothing in hand`() throws {
    let pool = Pool()
    let partition = Partition<MemoryLog>(
      number: 0, rules: Rules(), log: MemoryLog(pool.broker, name: "w"),
      skips: [[], [], []], phase: .running)
    #expect(partition.nextLane(clock: pool.now) == nil)
  }

  @Test func `Ties go to messages, then receipts, then deletes`() throws {
    let pool = Pool()
    pool.start("w")
    try pool.settle()
    // Written the other way round, at one timestamp: the receipt would have to wait.
    pool.write(
      .deletes, "g1", 0,
      #"{"messageId":2,"receiverId":"g1","receiverType":"group","deletedBy":{"uid":"A"}}"#)
    pool.read(upTo: 2, by: "B")
    pool.roster("AB")
    pool.message(2)
    try pool.settle()
    let causes = try pool.events().compactMap { $0["cause"] as? String }
    #expect(causes == ["receipt", "receipt"])
  }

  @Test func `A timestamp ahead of the clock holds nothing up`() throws {
    let pool = Pool()
    pool.start("w")
    pool.roster("AB")
    pool.message(2, at: pool.now.advanced(byMilliseconds: 500 * 365 * 86_400_000))
    for _ in 0..<5 {
      pool.read(upTo: 2, by: "B")
      try pool.settle()
    }
    #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
    #expect(pool.rejectedCodes() == [])
    // Stream time stayed at the clock: nothing falls due before its time.
    pool.read(upTo: 9, by: "B")
    try pool.settle()
    #expect(pool.rejectedCodes() == [])
  }

  @Test func `A lane that is ahead is not fetched`() throws {
    let pool = Pool()
    pool.broker.fetchLimit = 10
    let log = pool.start("w")
    try pool.settle()
    let hour = Int64(3_600_000)
    for id in 2..<200 { pool.message(Int64(id)) }
    pool.now = pool.now.advanced(byMilliseconds: hour)
    for _ in 0..<30 { pool.read(upTo: 2, by: "B") }
    let before = log.fetched.count
    try pool.step("w")
    try pool.step("w")
    let fetched = log.fetched[before...]
    #expect(fetched.filter { $0.topic == .receipts }.count == 1)
    #expect(fetched.filter { $0.topic == .messages }.count == 2)
    try pool.settle()
    #expect(pool.broker.committedPosition()?.offsets == [198, 30, 0])
  }
}
