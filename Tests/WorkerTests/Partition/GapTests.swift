import Core
import Testing
import Wire

@testable import Lab
@testable import Worker

/// Inputs that have lost records, or are others than they were.
@Suite("Gaps of the inputs") struct GapsInputsTests {
  let pool = Pool()

  private var gaps: [Gap] {
    pool.occurrences.compactMap { if case .gap(_, let gap) = $0.1 { gap } else { nil } }
  }

  @Test
  func `A topic that was made anew and filled past the position stops the partition`() throws {
    try pool.passingWorker()
    let applied = AppliedRecord(offset: 1, timestamp: pool.broker.time(of: .receipts, 1))
    pool.broker.recreate(.receipts)
    for id in 4...9 { pool.read(upTo: Int64(id), by: "B") }
    pool.start("w")
    try pool.settle()
    let found = pool.broker.time(of: .receipts, 1)
    #expect(pool.faults == [.madeAnew(.receipts, applied: applied, found: found)])
  }

  @Test(arguments: [Topic.messages, .receipts, .deletes])
  func `A topic that is made anew while its worker is stopped within its session is noticed`(
    topic: Topic
  ) throws {
    try pool.traffic(2...3, by: "w")
    pool.broker.append(.deletes, key: nil, value: nil, timestamp: pool.now)
    try pool.settle()
    let end = try #require(pool.broker.committedRecords(topic).last).offset + 1
    let applied = AppliedRecord(offset: end - 1, timestamp: pool.broker.time(of: topic, end - 1))
    // Nobody tells the worker anything: time passes between two of its steps.
    pool.broker.recreate(topic)
    pool.now = pool.now.advanced(byMilliseconds: 5000)
    for _ in 0..<end + 3 { pool.broker.append(topic, key: nil, value: nil, timestamp: pool.now) }
    try pool.settle()
    let found = pool.broker.time(of: topic, end - 1)
    #expect(pool.faults == [.madeAnew(topic, applied: applied, found: found)])
  }

  /// Lets more time pass than lies between two looks at the inputs, without any pause.
  private func waitForLook() throws {
    let end = pool.now.advanced(byMilliseconds: 11_000)
    while pool.now < end { try pool.settle() }
  }

  /// Makes an input anew and fills it past the position, all between two steps of a worker at work.
  private func replace(_ topic: Topic) throws -> PartitionFault {
    let end = try #require(pool.broker.committedRecords(topic).last).offset + 1
    let applied = AppliedRecord(offset: end - 1, timestamp: pool.broker.time(of: topic, end - 1))
    try waitForLook()
    pool.broker.recreate(topic)
    for _ in 0..<end + 3 { pool.broker.append(topic, key: nil, value: nil, timestamp: pool.now) }
    try pool.settle()
    // What it has applied since is not to be taken for what shows which topic it is.
    pool.broker.append(topic, key: nil, value: nil, timestamp: pool.now)
    #expect(pool.faults == [])
    let found = pool.broker.time(of: topic, end - 1)
    return .madeAnew(topic, applied: applied, found: found)
  }

  @Test(arguments: [Topic.messages, .receipts, .deletes])
  func `A topic that is made anew and filled within a moment under a running worker is noticed`(
    topic: Topic
  ) throws {
    try pool.traffic(2...3, by: "w")
    pool.broker.append(.deletes, key: nil, value: nil, timestamp: pool.now)
    try pool.settle()
    let fault = try replace(topic)
    try waitForLook()
    #expect(pool.faults == [fault])
    // The next worker knows it as well.
    pool.stop("w")
    pool.start("x")
    try pool.settle()
    #expect(pool.faults == [fault, fault])
  }

  @Test(arguments: [true, false])
  func `Who takes a partition before that is noticed notices it`(isEndedWell: Bool) throws {
    pool.start("w")
    try pool.traffic(2...3)
    pool.broker.append(.deletes, key: nil, value: nil, timestamp: pool.now)
    try pool.settle()
    let fault = try replace(.deletes)
    try pool.settle()
    if isEndedWell {
      pool.stop("w")
    } else {
      pool.crash("w")
      pool.broker.expireMember("w")
    }
    pool.start("x")
    try pool.settle()
    #expect(pool.faults == [fault])
  }

  @Test func `With --gaps continue such a topic is read from its beginning`() throws {
    pool.start("w") { $0.gaps = .continue }
    try pool.traffic(2...3)
    pool.broker.append(.deletes, key: nil, value: nil, timestamp: pool.now)
    try pool.settle()
    _ = try replace(.deletes)
    let passed = pool.rejections
    try waitForLook()
    #expect(gaps == [Gap(topic: .deletes, position: 5, resumed: 0, lostRecords: 0)])
    // All five records of the new topic, of which four had come behind the position.
    #expect(pool.rejections.values.reduce(0, +) - passed.values.reduce(0, +) == 6)
    #expect(pool.faults == [])
  }

  @Test func `A topic that has lost what it is known by shows a record once, and no more`() throws {
    let log = pool.start("w")
    // Dated ahead of all that follow: it is the first that is later than any of them.
    pool.read(upTo: 2, by: "B", at: pool.now.advanced(byMilliseconds: 1 << 40))
    try pool.traffic(2...3)
    try waitForLook()
    pool.broker.truncate(.receipts, before: 1)
    let before = log.assignments
    try waitForLook()
    let after = log.assignments
    #expect(after > before)
    for id in Int64(4)...6 {
      try pool.traffic(id...id)
      try waitForLook()
    }
    #expect(log.assignments == after)
    #expect(pool.faults == [])
  }

  @Test func `Inputs that go on as they are show their records again to nobody`() throws {
    let log = pool.start("w")
    try pool.traffic(2...3)
    let assignments = log.assignments
    for id in Int64(4)...9 {
      // Retention takes what the last look knew.
      pool.broker.truncate(.messages, before: id - 2)
      // A record that is dated back, or far ahead, is found again where it lay.
      pool.read(upTo: id - 1, by: "B", at: pool.now.advanced(byMilliseconds: -60_000))
      pool.read(upTo: id - 1, by: "B", at: pool.now.advanced(byMilliseconds: 1 << 40))
      try pool.traffic(id...id)
      try waitForLook()
    }
    #expect(pool.faults == [])
    #expect(pool.restoredRecords["w"] == 0)
    #expect(log.assignments == assignments)
  }

  @Test func `A pause in which nothing is made anew changes nothing`() throws {
    try pool.traffic(2...3, by: "w")
    for id in Int64(4)...9 {
      pool.now = pool.now.advanced(byMilliseconds: 5000)
      pool.message(id)
      pool.read(upTo: id, by: "B")
      // What the topics have lost by age meanwhile is no gap.
      if id == 6 { pool.broker.truncate(.messages, before: 4) }
      try pool.settle()
    }
    #expect(pool.faults == [])
    #expect(try pool.announcements == Pool.announced(2...9))
    #expect(pool.restoredRecords["w"] == 0)
  }

  @Test(arguments: ["loses its head", "is made anew"])
  func `A changelog that does so under a running worker stops its partition within a minute`(
    what: String
  ) throws {
    try pool.traffic(2...9, by: "w")
    if what == "is made anew" {
      pool.broker.recreate(.state)
    } else {
      pool.broker.truncate(.state, before: 4)
    }
    pool.now = pool.now.advanced(byMilliseconds: 60_000)
    try pool.traffic(10...10)
    #expect(pool.faults.count == 1)
    guard case .stateIncomplete? = pool.faults.first else {
      Issue.record("\(pool.faults)")
      return
    }
  }

  @Test func `With --gaps continue it goes on at the new topic's beginning`() throws {
    try pool.passingWorker()
    for topic in [Topic.messages, .receipts] { pool.broker.recreate(topic) }
    for id in 4...9 {
      pool.message(Int64(id))
      pool.read(upTo: Int64(id), by: "B")
    }
    pool.start("w") { $0.gaps = .continue }
    try pool.settle()
    #expect(gaps.map(\.topic) == [.messages, .receipts])
    #expect(gaps.map(\.position) == [3, 2])
    #expect(gaps.map(\.resumed) == [0, 0])
    // The roster of the old topic still holds: what is new comes after it, whatever its offset.
    #expect(try pool.announcements == Pool.announced(2...9))
    pool.stop("w")
    try pool.traffic(10...10, by: "w")
    #expect(pool.faults == [])
    #expect(try pool.announcements.suffix(2) == ["delivered g1 10 A", "read g1 10 A"])
  }

  @Test func `Records deleted unread are counted, and the state is kept`() throws {
    try pool.passingWorker()
    for id in 4...9 { pool.message(Int64(id)) }
    pool.broker.truncate(.messages, before: 5)
    pool.start("w") { $0.gaps = .continue }
    try pool.traffic(10...10)
    #expect(gaps == [Gap(topic: .messages, position: 3, resumed: 5, lostRecords: 2)])
    #expect(try pool.announcements.last == "read g1 10 A")
    let record = try pool.partitionRecord()
    #expect(record.lostRecords == [2, 0, 0])
    #expect(record.gaps == [1, 0, 0])
  }

  @Test func `Control records behind the last one applied are no gap`() throws {
    try pool.traffic(2...3, by: "w")
    let value = #"{"id":4,"category":"action","receiverId":"g1","receiverType":"group","sentAt":1}"#
    pool.broker.appendInTransaction(
      .messages, key: Array("group_g1".utf8), value: Array(value.utf8), timestamp: pool.now)
    try pool.settle()
    pool.stop("w")
    try pool.traffic(5...5, by: "w")
    #expect(pool.faults == [])
    #expect(try pool.announcements.suffix(2) == ["delivered g1 5 A", "read g1 5 A"])
  }

  @Test func `The last record applied may be gone`() throws {
    try pool.passingWorker()
    pool.broker.truncate(.messages, before: 3)
    pool.broker.truncate(.receipts, before: 2)
    try pool.traffic(4...4, by: "w")
    #expect(pool.faults == [])
    #expect(try pool.announcements.suffix(2) == ["delivered g1 4 A", "read g1 4 A"])
  }
}

extension MemoryBroker {
  /// The timestamp of a record.
  fileprivate func time(of topic: Topic, _ offset: Int64) -> Instant? {
    committedRecords(topic).first { $0.offset == offset }?.timestamp
  }
}
