import Core
import Testing
import Wire

@testable import Lab
@testable import Worker

/// Whose a state is, and whether it is whole.
@Suite("The identity of a partition") struct IdentityPartitionTests {
  let pool = Pool()

  @Test func `Another group is refused, and both are named`() throws {
    try pool.traffic(2...3, by: "w")
    pool.start("x", group: "other")
    pool.settleUntilFailure("group_differs", "group rollcall, this worker is of group other")
    pool.crash("x")
    try pool.traffic(4...4)
    #expect(try pool.announcements == Pool.announced(2...4))
  }

  @Test func `Of two groups that begin at the same time one goes on`() throws {
    for (first, second) in [("a", "b"), ("b", "a")] {
      let pool = Pool()
      pool.start(first, group: first == "a" ? nil : "other")
      pool.start(second, group: second == "a" ? nil : "other")
      pool.roster("AB")
      pool.message(2)
      pool.read(upTo: 2, by: "B")
      pool.settleUntilFailure("group_differs")
      // Steps are done in the order of the names, and so are commits.
      pool.crash("b")
      try pool.settle()
      #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
    }
  }

  @Test func `Who loses the race stays out when it comes again`() throws {
    pool.start("a")
    pool.start("b", group: "other")
    pool.settleUntilFailure("group_differs")
    pool.crash("a")
    pool.crash("b")
    pool.broker.expireMember("b", group: "other")
    // The last claim in the changelog is the loser's.
    #expect(try pool.partitionRecord().group == "other")
    pool.start("b2", group: "other")
    pool.settleUntilFailure("group_differs")
    pool.crash("b2")
    pool.broker.expireMember("a")
    pool.start("a2")
    try pool.traffic(2...3)
    #expect(try pool.announcements == Pool.announced(2...3))
    #expect(try pool.partitionRecord().group == "rollcall")
  }

  @Test func `A group moves its state to another one, which goes on with it`() throws {
    try pool.passingWorker()
    pool.start("x", group: "other") { $0.takesOverGroup = "rollcall" }
    try pool.traffic(4...5)
    #expect(pool.takenOver == [StateMove(partition: 0, from: "rollcall")])
    #expect(pool.vainTakeovers == [])
    #expect(try pool.announcements == Pool.announced(2...5))
    #expect(try pool.partitionRecord().group == "other")
    #expect(try !pool.partitionRecord().isClaim)
    pool.start("w")
    let end = #expect(throws: WorkerFailure.self) { try pool.settle() }
    #expect(end?.detail.contains("group other, this worker is of group rollcall") == true)
  }

  @Test func `A takeover of which nothing is left is told once`() throws {
    try pool.passingWorker()
    pool.start("w") { $0.takesOverGroup = "former" }
    try pool.traffic(4...5)
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
    try pool.write(first) { [1] + $0.dropFirst().dropLast(11) }
  }

  @Test func `State of 0.1.0 is not for a group that has committed nothing of it`() throws {
    try pool.passingWorker()
    try becomeFirstVersion(try pool.partitionRecord())
    pool.start("x", group: "other")
    pool.settleUntilFailure("group_differs", "names no group")
    pool.crash("x")
    #expect(try pool.partitionRecord().group == nil)
    // Whose offsets Kafka has forgotten says himself that it is his.
    pool.start("y", group: "third") { $0.takesOverGroup = "rollcall" }
    try pool.traffic(4...4)
    #expect(pool.takenOver == [StateMove(partition: 0, from: "rollcall")])
    #expect(try pool.announcements == Pool.announced(2...4))
    #expect(try pool.partitionRecord().group == "third")
  }

  @Test func `State of 0.1.0 gets its group with the first transaction`() throws {
    try pool.passingWorker()
    let known = try pool.partitionRecord()
    try becomeFirstVersion(known)
    #expect(try pool.partitionRecord().rules == nil)
    #expect(try pool.partitionRecord().nextOffsets == known.nextOffsets)
    try pool.traffic(4...4, by: "w")
    #expect(try pool.announcements == Pool.announced(2...4))
    #expect(try pool.partitionRecord().group == "rollcall")
    #expect(try pool.partitionRecord().rules == Rules())
    #expect(try pool.partitionRecord().rulesSince == known.nextOffsets[.messages])
    #expect(try pool.partitionRecord().tally?.total ?? 0 > known.tally?.total ?? 0)
  }

  @Test func `A changelog without its head stops the partition, with both numbers`() throws {
    try pool.passingWorker()
    let written = try #require(try pool.partitionRecord().tally)
    let last = try #require(pool.broker.committedRecords(.state).last)
    pool.broker.truncate(.state, before: last.offset)
    pool.start("w")
    try pool.settle()
    #expect(pool.faults == [.stateIncomplete(written: written, found: StateTally())])
  }

  @Test("A piece of state that somebody else ends under a running worker is missed within a minute")
  func whoEndsPiece() throws {
    try pool.traffic(2...3, by: "w")
    let piece = try #require(pool.broker.committedRecords(.state).first { $0.key != [0] })
    pool.broker.append(.state, key: piece.key, value: nil, timestamp: pool.now)
    pool.now = pool.now.advanced(byMilliseconds: 60_000)
    try pool.traffic(4...4)
    guard case .stateIncomplete? = pool.faults.first else {
      Issue.record("\(pool.faults)")
      return
    }
  }

  @Test func `Who writes into the changelog of a running worker is seen within a minute`() throws {
    try pool.traffic(2...3, by: "w")
    var stranger = try pool.partitionRecord()
    for id in 4...6 {
      // Another writer of the same group is the group's to see.
      stranger.writer = "stranger"
      if id == 6 { stranger.group = "other" }
      try pool.write(stranger)
      pool.now = pool.now.advanced(byMilliseconds: 60_000)
      guard id == 6 else {
        try pool.traffic(Int64(id)...Int64(id))
        continue
      }
      let end = #expect(throws: WorkerFailure.self) { try pool.traffic(6...6) }
      #expect(end?.label == "group_differs")
      #expect(end?.detail.contains("group other (stranger)") == true)
    }
    #expect(try pool.announcements == Pool.announced(2...6))
  }

  @Test func `Rules that have changed are told once, with what they hold from`() throws {
    try pool.passingWorker()
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
    #expect(try pool.partitionRecord().rulesSince == 3)
  }
}
