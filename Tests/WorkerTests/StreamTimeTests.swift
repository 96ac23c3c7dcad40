import Core
import Testing

@testable import Lab
@testable import Worker

/// How stream time goes on where nothing is applied, and when it stands still.
@Suite struct StreamTimeTests {
  private static let minute = Int64(60_000)

  /// A pool whose receipts wait for so long, with a worker that has nothing to do.
  private func idlePool(grace: Int64 = 5 * minute) throws -> Pool {
    let pool = Pool()
    pool.rules.grace = grace
    try pool.idleWorker()
    return pool
  }

  @Test(
    "A message in a transaction that lasts longer than the grace is announced, however it is read",
    arguments: [true, false])
  func openTransaction(isWorking: Bool) throws {
    let pool = try idlePool()
    if !isWorking { pool.stop("w") }
    pool.message(2, in: "g1", upstream: "backend")
    pool.message(3)
    pool.read(upTo: 2, by: "B")
    pool.read(upTo: 3, by: "B")
    if !isWorking { pool.start("w") }
    try pool.pass(30 * Self.minute)
    #expect(try pool.announcements == [])
    #expect(pool.ticks == 0)
    let pinned = try #require(pool.workers["w"]).pinned
    #expect(pinned.map(\.lane) == [Lane(.messages, 0)])
    #expect(pinned.map(\.stableOffset) == [1])
    #expect(pinned.map(\.endOffset) == [3])

    pool.broker.endUpstream("backend", well: true)
    try pool.settle()
    #expect(pool.rejectedCodes() == [])
    #expect(
      try pool.announcements == [
        "delivered g1 2 A", "read g1 2 A", "delivered g1 3 A", "read g1 3 A",
      ])
    #expect(try #require(pool.workers["w"]).pinned == [])
  }

  @Test func `A transaction that lasts is told once, after ten seconds, and its end`() throws {
    let pool = try idlePool()
    pool.message(2, in: "g1", upstream: "backend")
    let begunAt = pool.now
    try pool.pass(9_000)
    #expect(pool.pins == [])
    try pool.pass(60_000)
    // Rebalances and restores in between do not make it another one.
    pool.broker.expireMember("w")
    try pool.pass(120_000)
    let pin = try #require(pool.pins.first)
    #expect(pool.pins.count == 1)
    #expect(pin.lane == Lane(.messages, 0))
    #expect(pin.stableOffset == 1)
    #expect(pin.endOffset == 2)
    #expect(pin.since.millisecondsSince(begunAt) < 1000)
    pool.broker.endUpstream("backend", well: false)
    try pool.settle()
    #expect(pool.ends.count == 1)
    #expect(pool.pins.count == 1)
  }

  /// What waits for a message that is written again after its transaction was aborted.
  @Test
  func `The grace stands still while a lane is held back, also where nothing comes of it`() throws {
    let pool = try idlePool()
    let madeAt = pool.now
    pool.read(upTo: 2, by: "B")
    try pool.pass(Self.minute)
    pool.broker.appendUpstream("backend", .deletes, key: nil, value: nil, timestamp: pool.now)
    try pool.pass(20 * Self.minute)
    pool.broker.endUpstream("backend", well: false)
    try pool.pass(3 * Self.minute)
    #expect(pool.rejectedCodes() == [])
    // As its backend made it, and not as a broker's clock would have it.
    pool.message(2, at: madeAt)
    try pool.settle()
    #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
  }

  @Test func `A restart while a lane is held back counts none of that as passed`() throws {
    let pool = try idlePool()
    pool.read(upTo: 2, by: "B")
    try pool.pass(Self.minute)
    pool.message(7, in: "g1", upstream: "backend")
    for _ in 0..<4 {
      try pool.pass(5 * Self.minute)
      pool.crash("w")
      pool.broker.expireMember("w")
      pool.start("w")
    }
    try pool.pass(Self.minute)
    pool.broker.endUpstream("backend", well: false)
    try pool.pass(3 * Self.minute)
    #expect(pool.rejectedCodes() == [])
    try pool.pass(2 * Self.minute)
    #expect(pool.rejectedCodes() == ["ERR_MESSAGE_NOT_FOUND"])
  }

  @Test(arguments: [600_000, nil])
  func `Timestamps that lie behind, or are absent, use up no grace`(lag: Int64?) throws {
    let pool = Pool()
    pool.start("w")
    let time = { lag.map { pool.now.advanced(byMilliseconds: -$0) } }
    pool.roster("AB", at: .some(time()))
    pool.read(upTo: 2, by: "B", at: .some(time()))
    try pool.settle()
    try pool.pass(4 * Self.minute)
    #expect(pool.rejectedCodes() == [])
    pool.message(2, at: .some(time()))
    try pool.settle()
    #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
    pool.read(upTo: 3, by: "B", at: .some(time()))
    try pool.settle()
    try pool.pass(4 * Self.minute)
    #expect(pool.rejectedCodes() == [])
    try pool.pass(2 * Self.minute)
    #expect(pool.rejectedCodes() == ["ERR_MESSAGE_NOT_FOUND"])
  }

  /// What has kept a partition idle.
  enum Idleness: CaseIterable { case nothing, restart, heldBack }

  @Test(arguments: Idleness.allCases, [600_000, nil])
  func `What comes to an idle partition waits for the whole grace, however old its timestamp is`(
    _ idleness: Idleness, lag: Int64?
  ) throws {
    let pool = try idlePool()
    try pool.pass(10 * Self.minute)
    if idleness == .heldBack {
      pool.broker.appendUpstream("backend", .deletes, key: nil, value: nil, timestamp: pool.now)
      try pool.pass(Self.minute)
      pool.broker.endUpstream("backend", well: false)
    }
    if idleness == .restart {
      pool.crash("w")
      pool.broker.expireMember("w")
      pool.start("v")
      // It looks for the ends of the inputs before the receipt is there.
      for _ in 0..<2 { try pool.step("v") }
    }
    let time = lag.map { pool.now.advanced(byMilliseconds: -$0) }
    pool.read(upTo: 2, by: "B", at: .some(time))
    pool.read(upTo: 2, by: "C", at: .some(time))
    try pool.settle()
    // Records of now, which take stream time with them.
    pool.roster("ABC", in: "g2")
    try pool.pass(3 * Self.minute)
    pool.message(2, in: "g2")
    try pool.settle()
    #expect(pool.rejectedCodes() == [])
    pool.message(2)
    try pool.settle()
    #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
    try pool.pass(3 * Self.minute)
    #expect(pool.rejectedCodes() == ["ERR_UID_NOT_FOUND"])
  }

  @Test func `A message that comes to an idle partition is tracked for the whole window`() throws {
    let pool = Pool()
    pool.rules.trackingWindow = 10 * Self.minute
    try pool.idleWorker()
    try pool.pass(9 * Self.minute)
    pool.message(2, at: .some(nil))
    try pool.settle()
    pool.message(3)
    try pool.pass(9 * Self.minute)
    pool.read(upTo: 2, by: "B")
    try pool.settle()
    #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
  }

  @Test func `Time passes also where a record without a timestamp comes again and again`() throws {
    let pool = try idlePool(grace: 5000)
    pool.read(upTo: 9, by: "B")
    for _ in 0..<40 {
      pool.read(upTo: 1, by: "B", at: .some(nil))
      try pool.pass(100)
    }
    #expect(pool.rejectedCodes() == [])
    for _ in 0..<20 {
      pool.read(upTo: 1, by: "B", at: .some(nil))
      try pool.pass(100)
    }
    #expect(pool.rejectedCodes() == ["ERR_MESSAGE_NOT_FOUND"])
  }

  @Test func `A first record without a timestamp is as new as the clock`() throws {
    let pool = Pool()
    pool.start("w")
    pool.roster("AB", at: .some(nil))
    pool.message(2, at: .some(nil))
    pool.read(upTo: 3, by: "B", at: .some(nil))
    try pool.settle()
    // What is due since 1970 would be closed, or given up, now.
    pool.message(3)
    pool.read(upTo: 3, by: "B")
    try pool.settle()
    #expect(pool.rejectedCodes() == [])
    #expect(
      try pool.announcements == [
        "delivered g1 2 A", "delivered g1 3 A", "read g1 2 A", "read g1 3 A",
      ])
    try pool.pass(Self.minute)
    #expect(pool.rejectedCodes() == [])
  }

  @Test("The time in which nobody works is time that passes, by the distance that was kept")
  func distanceIsKept() throws {
    let pool = Pool()
    pool.start("w")
    let old = pool.now.advanced(byMilliseconds: -10 * Self.minute)
    pool.roster("AB", at: old)
    pool.read(upTo: 2, by: "B", at: old)
    try pool.settle()
    pool.stop("w")
    pool.now = pool.now.advanced(byMilliseconds: 3 * Self.minute)
    pool.start("v")
    try pool.settle()
    #expect(pool.rejectedCodes() == [])
    pool.stop("v")
    pool.now = pool.now.advanced(byMilliseconds: 3 * Self.minute)
    pool.start("w")
    try pool.settle()
    #expect(pool.rejectedCodes() == ["ERR_MESSAGE_NOT_FOUND"])
  }

  @Test(arguments: [-3_600_000, 86_400_000])
  func `A clock that is set moves no stream time`(jump: Int64) throws {
    let pool = try idlePool()
    pool.read(upTo: 2, by: "B")
    try pool.settle()
    let worker = try #require(pool.workers["w"])
    var uptime: Int64 = 0
    func pass(_ milliseconds: Int64) throws {
      for _ in 0..<(milliseconds / 100) {
        uptime += 100
        pool.now = pool.now.advanced(byMilliseconds: 100)
        pool.note(try worker.step(now: pool.now, uptime: uptime), of: "w")
      }
    }
    try pass(100)
    pool.now = pool.now.advanced(byMilliseconds: jump)
    try pass(4 * Self.minute)
    #expect(pool.rejectedCodes() == [])
    #expect(pool.jumps == [jump])
    try pass(2 * Self.minute)
    #expect(pool.rejectedCodes() == ["ERR_MESSAGE_NOT_FOUND"])
  }
}

extension Pool {
  fileprivate var pins: [PinnedLane] {
    occurrences.compactMap { if case .pinned(let pin) = $0.1 { pin } else { nil } }
  }

  fileprivate var ends: [Lane] {
    occurrences.compactMap { if case .unpinned(let lane, _) = $0.1 { lane } else { nil } }
  }

  fileprivate var jumps: [Int64] {
    occurrences.compactMap { if case .clockSet(let jump) = $0.1 { jump } else { nil } }
  }
}
