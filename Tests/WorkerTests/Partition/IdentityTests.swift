import Core
import Lab
import Testing
import Wire

@testable import Worker

/// Whose a state is, and whether it is whole.
@Suite("The identity of a partition") struct IdentityPartitionTests {
  let pool = Pool()

  private func traffic(_ ids: ClosedRange<Int64>) throws {
    if ids.lowerBound == 2 { pool.roster("AB") }
    for id in ids {
      pool.message(id)
      pool.read(upTo: id, by: "B")
    }
    try pool.settle()
  }

  private func announced(_ ids: ClosedRange<Int64>) -> [String] {
    ids.flatMap { ["delivered g1 \($0) A", "read g1 \($0) A"] }
  }

  private func record() throws -> PartitionRecord {
    let found = pool.broker.committedRecords(.state).last { $0.key == [0] }
    return try #require(try PartitionRecord(key: found?.key?.span, value: found?.value?.span))
  }

  @Test("Another group is refused, and both are named") func anotherGroupRefusedBoth() throws {
    pool.start("w")
    try traffic(2...3)
    pool.start("x", group: "other")
    let end = #expect(throws: WorkerFailure.self) { try pool.settle() }
    #expect(end?.label == "group_differs")
    #expect(end?.detail.contains("group rollcall, this worker is of group other") == true)
    pool.crash("x")
    try traffic(4...4)
    #expect(try pool.announcements == announced(2...4))
  }

  @Test("Of two groups that begin at the same time one goes on") func twoGroupsBeginSame() throws {
    for (first, second) in [("a", "b"), ("b", "a")] {
      let pool = Pool()
      pool.start(first, group: first == "a" ? nil : "other")
      pool.start(second, group: second == "a" ? nil : "other")
      pool.roster("AB")
      pool.message(2)
      pool.read(upTo: 2, by: "B")
      let end = #expect(throws: WorkerFailure.self) { try pool.settle() }
      #expect(end?.label == "group_differs")
      // Steps are done in the order of the names, and so are commits.
      pool.crash("b")
      try pool.settle()
      #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
    }
  }

  @Test("Who loses the race stays out when it comes again") func whoLosesRaceStays() throws {
    pool.start("a")
    pool.start("b", group: "other")
    let end = #expect(throws: WorkerFailure.self) { try pool.settle() }
    #expect(end?.label == "group_differs")
    pool.crash("a")
    pool.crash("b")
    pool.broker.expireMember("b", group: "other")
    // The last claim in the changelog is the loser's.
    #expect(try record().group == "other")
    pool.start("b2", group: "other")
    let again = #expect(throws: WorkerFailure.self) { try pool.settle() }
    #expect(again?.label == "group_differs")
    pool.crash("b2")
    pool.broker.expireMember("a")
    pool.start("a2")
    try traffic(2...3)
    #expect(try pool.announcements == announced(2...3))
    #expect(try record().group == "rollcall")
  }

  @Test("A group moves its state to another one, which goes on with it")
  func groupMovesStateAnother() throws {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    pool.start("x", group: "other") { $0.takesOverGroup = "rollcall" }
    try traffic(4...5)
    #expect(pool.takenOver == [StateMove(partition: 0, from: "rollcall")])
    #expect(pool.vainTakeovers == [])
    #expect(try pool.announcements == announced(2...5))
    #expect(try record().group == "other")
    #expect(try !record().isClaim)
    pool.start("w")
    let end = #expect(throws: WorkerFailure.self) { try pool.settle() }
    #expect(end?.detail.contains("group other, this worker is of group rollcall") == true)
  }

  @Test("A takeover of which nothing is left is told once") func takeoverWhichNothingLeft() throws {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    pool.start("w") { $0.takesOverGroup = "former" }
    try traffic(4...5)
    #expect(pool.takenOver == [])
    #expect(pool.vainTakeovers == ["former"])
  }

  /// Has the changelog end with what Rollcall 0.1.0 would have written.
  private func becomeFirstVersion(_ known: PartitionRecord) throws {
    // Version 1 is what version 2 has without what may be absent: flags and eleven empty fields.
    let first = PartitionRecord(
      version: known.version, writer: known.writer, nextOffsets: known.nextOffsets,
      streamTime: known.streamTime, nextTicket: known.nextTicket, threads: known.threads,
      partitionCount: known.partitionCount)
    var records = EncodedRecords()
    StateCodec.encode(first, into: &records)
    let value = try #require(records.records[0].value)
    let bytes = [1] + records.bytes[value].dropFirst().dropLast(11)
    pool.broker.append(.state, key: [0], value: bytes, timestamp: pool.now)
  }

  @Test("State of 0.1.0 is not for a group that has committed nothing of it") func state010() throws
  {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    try becomeFirstVersion(try record())
    pool.start("x", group: "other")
    let end = #expect(throws: WorkerFailure.self) { try pool.settle() }
    #expect(end?.label == "group_differs")
    #expect(end?.detail.contains("names no group") == true)
    pool.crash("x")
    #expect(try record().group == nil)
    // Whose offsets Kafka has forgotten says himself that it is his.
    pool.start("y", group: "third") { $0.takesOverGroup = "rollcall" }
    try traffic(4...4)
    #expect(pool.takenOver == [StateMove(partition: 0, from: "rollcall")])
    #expect(try pool.announcements == announced(2...4))
    #expect(try record().group == "third")
  }

  @Test("State of 0.1.0 gets its group with the first transaction") func state010Gets() throws {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    let known = try record()
    try becomeFirstVersion(known)
    #expect(try record().rules == nil)
    #expect(try record().nextOffsets == known.nextOffsets)
    pool.start("w")
    try traffic(4...4)
    #expect(try pool.announcements == announced(2...4))
    #expect(try record().group == "rollcall")
    #expect(try record().rules == Rules())
    #expect(try record().rulesSince == known.nextOffsets[0])
    #expect(try record().tally?.total ?? 0 > known.tally?.total ?? 0)
  }

  @Test("A changelog without its head stops the partition, with both numbers")
  func changelogWithoutHeadStops() throws {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    let written = try #require(try record().tally)
    let last = try #require(pool.broker.committedRecords(.state).last)
    pool.broker.truncate(.state, before: last.offset)
    pool.start("w")
    try pool.settle()
    #expect(pool.faults == [.stateIncomplete(written: written, found: StateTally())])
  }

  @Test("Who writes into the changelog of a running worker is seen within a minute")
  func whoWritesIntoChangelog() throws {
    pool.start("w")
    try traffic(2...3)
    var stranger = try record()
    for id in 4...6 {
      // Another writer of the same group is the group's to see.
      stranger.writer = "stranger"
      if id == 6 { stranger.group = "other" }
      var records = EncodedRecords()
      StateCodec.encode(stranger, into: &records)
      let value = try #require(records.records[0].value)
      pool.broker.append(
        .state, key: [0], value: Array(records.bytes[value]), timestamp: pool.now)
      pool.now = pool.now.advanced(byMilliseconds: 60_000)
      guard id == 6 else {
        try traffic(Int64(id)...Int64(id))
        continue
      }
      let end = #expect(throws: WorkerFailure.self) { try traffic(6...6) }
      #expect(end?.label == "group_differs")
      #expect(end?.detail.contains("group other (stranger)") == true)
    }
    #expect(try pool.announcements == announced(2...6))
  }

  @Test("Rules that have changed are told once, with what they hold from")
  func rulesHaveChangedTold() throws {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    let former = pool.rules
    pool.rules.leavers = .hold
    for _ in 0..<2 {
      pool.start("w")
      try pool.settle()
      pool.message(pool.now.milliseconds)
      try pool.settle()
      pool.stop("w")
    }
    let changes = pool.occurrences.filter {
      if case .rulesChanged = $0.1 { true } else { false }
    }
    #expect(changes.map(\.1) == [.rulesChanged(0, from: former, to: pool.rules, since: 3)])
    #expect(try record().rulesSince == 3)
  }
}

/// Inputs that have lost records, or are others than they were.
@Suite("Gaps of the inputs") struct GapsInputsTests {
  let pool = Pool()

  private func traffic(_ ids: ClosedRange<Int64>) throws {
    if ids.lowerBound == 2 { pool.roster("AB") }
    for id in ids {
      pool.message(id)
      pool.read(upTo: id, by: "B")
    }
    try pool.settle()
  }

  private var gaps: [Gap] {
    pool.occurrences.compactMap { if case .gap(_, let gap) = $0.1 { gap } else { nil } }
  }

  @Test("A topic that was made anew and filled past the position stops the partition")
  func topicMadeAnewFilled() throws {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    let applied = AppliedRecord(offset: 1, timestamp: pool.broker.time(of: .receipts, 1))
    pool.broker.recreate(.receipts)
    for id in 4...9 { pool.read(upTo: Int64(id), by: "B") }
    pool.start("w")
    try pool.settle()
    let found = pool.broker.time(of: .receipts, 1)
    #expect(pool.faults == [.madeAnew(.receipts, applied: applied, found: found)])
  }

  @Test(
    "A topic that is made anew while its worker is stopped within its session is noticed",
    arguments: [LogTopic.messages, .receipts, .deletes])
  func topicMadeAnewWhile(
    topic: LogTopic
  ) throws {
    pool.start("w")
    try traffic(2...3)
    pool.broker.append(.deletes, key: nil, value: nil, timestamp: pool.now)
    try pool.settle()
    let end = try #require(pool.broker.committedRecords(topic).last).offset + 1
    let applied = AppliedRecord(offset: end - 1, timestamp: pool.broker.time(of: topic, end - 1))
    // Nobody tells the worker anything: time passes between two of its steps.
    pool.broker.recreate(topic)
    pool.now = pool.now.advanced(byMilliseconds: 5000)
    pool.broker.clock = pool.now
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
  private func replace(_ topic: LogTopic) throws -> PartitionFault {
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

  @Test(
    "A topic that is made anew and filled within a moment under a running worker is noticed",
    arguments: [LogTopic.messages, .receipts, .deletes])
  func topicMadeAnewUnderWork(topic: LogTopic) throws {
    pool.start("w")
    try traffic(2...3)
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

  @Test("With --gaps continue such a topic is read from its beginning")
  func topicMadeAnewUnderWorkPassed() throws {
    pool.start("w") { $0.gaps = .continue }
    try traffic(2...3)
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

  @Test("Inputs that go on as they are show their records again to nobody")
  func inputsThatGoOn() throws {
    let log = pool.start("w")
    try traffic(2...3)
    let assignments = log.assignments
    for id in Int64(4)...9 {
      // Retention takes what the last look knew.
      pool.broker.truncate(.messages, before: id - 2)
      // A record that is dated back, or far ahead, is found again where it lay.
      pool.read(upTo: id - 1, by: "B", at: pool.now.advanced(byMilliseconds: -60_000))
      pool.read(upTo: id - 1, by: "B", at: pool.now.advanced(byMilliseconds: 1 << 40))
      try traffic(id...id)
      try waitForLook()
    }
    #expect(pool.faults == [])
    #expect(pool.restoredRecords["w"] == 0)
    #expect(log.assignments == assignments)
  }

  @Test("A pause in which nothing is made anew changes nothing") func pauseWhichNothingMade() throws
  {
    pool.start("w")
    try traffic(2...3)
    for id in Int64(4)...9 {
      pool.now = pool.now.advanced(byMilliseconds: 5000)
      pool.broker.clock = pool.now
      pool.message(id)
      pool.read(upTo: id, by: "B")
      // What the topics have lost by age meanwhile is no gap.
      if id == 6 { pool.broker.truncate(.messages, before: 4) }
      try pool.settle()
    }
    #expect(pool.faults == [])
    #expect(
      try pool.announcements
        == (2...9).flatMap { ["delivered g1 \($0) A", "read g1 \($0) A"] })
    #expect(pool.restoredRecords["w"] == 0)
  }

  @Test("A changelog that loses its head under a running worker stops its partition")
  func changelogCutUnderWork() throws {
    pool.start("w")
    try traffic(2...9)
    pool.broker.truncate(.state, before: 4)
    pool.now = pool.now.advanced(byMilliseconds: 60_000)
    try traffic(10...10)
    guard case .stateIncomplete? = pool.faults.first else {
      Issue.record("\(pool.faults)")
      return
    }
  }

  @Test("A changelog that is made anew under a running worker is noticed within a minute")
  func changelogMadeAnewUnder()
    throws
  {
    pool.start("w")
    try traffic(2...9)
    pool.broker.recreate(.state)
    pool.now = pool.now.advanced(byMilliseconds: 60_000)
    try traffic(10...10)
    #expect(pool.faults.count == 1)
    guard case .stateIncomplete? = pool.faults.first else {
      Issue.record("\(pool.faults)")
      return
    }
  }

  @Test("With --gaps continue it goes on at the new topic's beginning") func gapsContinueGoesNew()
    throws
  {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    for topic in [LogTopic.messages, .receipts] { pool.broker.recreate(topic) }
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
    #expect(
      try pool.announcements
        == (2...9).flatMap { ["delivered g1 \($0) A", "read g1 \($0) A"] })
    pool.stop("w")
    pool.start("w")
    try traffic(10...10)
    #expect(pool.faults == [])
    #expect(try pool.announcements.suffix(2) == ["delivered g1 10 A", "read g1 10 A"])
  }

  @Test("Records deleted unread are counted, and the state is kept")
  func recordsDeletedUnreadCounted() throws {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    for id in 4...9 { pool.message(Int64(id)) }
    pool.broker.truncate(.messages, before: 5)
    pool.start("w") { $0.gaps = .continue }
    try traffic(10...10)
    #expect(gaps == [Gap(topic: .messages, position: 3, resumed: 5, lostRecords: 2)])
    #expect(try pool.announcements.last == "read g1 10 A")
    let found = pool.broker.committedRecords(.state).last { $0.key == [0] }
    let record = try PartitionRecord(key: found?.key?.span, value: found?.value?.span)
    #expect(record?.lostRecords == [2, 0, 0])
    #expect(record?.gaps == [1, 0, 0])
  }

  @Test("Control records behind the last one applied are no gap") func controlRecordsBehindLast()
    throws
  {
    pool.start("w")
    try traffic(2...3)
    let value = #"{"id":4,"category":"action","receiverId":"g1","receiverType":"group","sentAt":1}"#
    pool.broker.appendInTransaction(
      .messages, key: Array("group_g1".utf8), value: Array(value.utf8), timestamp: pool.now)
    try pool.settle()
    pool.stop("w")
    pool.start("w")
    try traffic(5...5)
    #expect(pool.faults == [])
    #expect(try pool.announcements.suffix(2) == ["delivered g1 5 A", "read g1 5 A"])
  }

  @Test("The last record applied may be gone") func lastRecordAppliedMay() throws {
    pool.start("w")
    try traffic(2...3)
    pool.stop("w")
    pool.broker.truncate(.messages, before: 3)
    pool.broker.truncate(.receipts, before: 2)
    pool.start("w")
    try traffic(4...4)
    #expect(pool.faults == [])
    #expect(try pool.announcements.suffix(2) == ["delivered g1 4 A", "read g1 4 A"])
  }
}

extension MemoryBroker {
  /// The timestamp of a record.
  fileprivate func time(of topic: LogTopic, _ offset: Int64) -> Instant? {
    committedRecords(topic).first { $0.offset == offset }?.timestamp
  }
}
