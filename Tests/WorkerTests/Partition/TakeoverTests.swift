import Core
import Testing
import Wire

@testable import Lab
@testable import Worker

@Suite struct TakeoverTests {
  let pool = Pool(partitionCount: 2)

  @Test func `A fresh group begins at the first offset there is`() throws {
    for id in 2...9 { pool.message(Int64(id)) }
    pool.broker.truncate(.messages, before: 3)
    pool.start("w")
    try pool.settle()
    #expect(pool.broker.committedPosition(0)?.offsets == [8, 0, 0])
    #expect(pool.broker.committedPosition(1)?.offsets == [0, 0, 0], "as a number, at once")
    #expect(pool.broker.committedRecords(.status).count == 5)
  }

  /// A worker's position is another one when it starts again.
  private func restart(_ change: (inout CommittedPosition) -> Void) throws {
    try pool.passingWorker()
    var position = try #require(pool.broker.committedPosition())
    change(&position)
    pool.broker.setCommitted(position)
    pool.start("w")
  }

  @Test(arguments: [true, false])
  func `Offsets that Kafka has forgotten, all or some, come from the changelog`(isAll: Bool) throws
  {
    try restart { $0.offsets = [isAll ? nil : $0.offsets[.messages], nil, nil] }
    for partition in 0..<2 where isAll {
      pool.broker.setCommitted(nil, partition: Int32(partition))
    }
    try pool.traffic(4...4)
    #expect(try pool.announcements == Pool.announced(2...4))
    #expect(pool.broker.committedPosition()?.offsets == [4, 3, 0])
  }

  @Test func `An offset that differs stops the partition and no other`() throws {
    try restart { $0.offsets[.receipts] = 1 }
    pool.message(2, in: "g2", partition: 1)
    try pool.traffic(4...4)
    #expect(pool.faults == [.offsetsDiffer(.receipts, committed: 1, changelog: 2)])
    #expect(pool.broker.committedPosition(0)?.offsets == [3, 1, 0])
    #expect(pool.broker.committedPosition(1)?.offsets == [1, 0, 0])
  }

  @Test func `A partition that is restored or stopped tells where it stands`() throws {
    try restart { $0.offsets[.receipts] = 1 }
    let worker = try #require(pool.workers["w"])
    for _ in 0..<100 where worker.status.restores.isEmpty { try pool.step("w") }
    #expect(worker.status.restores.isEmpty == false)
    let expected = [
      WorkerStatus.Position(lane: Lane(.messages, 0), offset: 3, end: 3),
      WorkerStatus.Position(lane: Lane(.receipts, 0), offset: 1, end: 2),
      WorkerStatus.Position(lane: Lane(.deletes, 0), offset: 0, end: 0),
    ]
    #expect(worker.status.positions.filter { $0.lane.partition == 0 } == expected)
    try pool.settle()
    #expect(worker.status.stopped.map(\.partition) == [0])
    #expect(worker.status.positions.filter { $0.lane.partition == 0 } == expected)
    #expect(worker.status.positions.count == 6)
  }

  @Test(arguments: [
    (Topic.state, PartitionFault.offsetWithoutState(.messages, committed: 3)),
    (.messages, .beyondEnd(.messages, offset: 3, end: 0)),
  ])
  func `A changelog, or a topic, that was made anew stops the partition`(
    _ topic: Topic, fault: PartitionFault
  ) throws {
    try pool.passingWorker()
    pool.broker.recreate(topic)
    pool.start("w")
    try pool.settle()
    #expect(pool.faults == [fault])
  }

  @Test func `Records deleted unread stop the partition`() throws {
    try pool.passingWorker()
    for id in 4...9 { pool.message(Int64(id)) }
    pool.broker.truncate(.messages, before: 5)
    pool.start("w")
    try pool.settle()
    #expect(pool.faults == [.belowStart(.messages, offset: 3, start: 5)])
  }

  @Test func `A note of another transaction stops the partition`() throws {
    var metadata = ""
    try restart { position in
      metadata = position.metadata
      position.metadata = "99 somebody"
    }
    try pool.settle()
    #expect(pool.faults == [.versionsDiffer(committed: "99 somebody", changelog: metadata)])
  }

  @Test func `A changelog without its tail is told as older than the offsets`() throws {
    try pool.traffic(2...3, by: "w")
    let older = try #require(pool.broker.committedPosition()).metadata
    let tail = pool.broker.committedRecords(.state).count
    try pool.traffic(4...4)
    pool.stop("w")
    let newer = try #require(pool.broker.committedPosition()).metadata
    let kept = pool.broker.committedRecords(.state).prefix(tail)
    pool.broker.recreate(.state)
    for record in kept {
      pool.broker.append(.state, key: record.key, value: record.value, timestamp: pool.now)
    }
    pool.start("w")
    try pool.settle()
    // "Forget the offsets" would have it announce again what the lost tail speaks of.
    #expect(pool.faults == [.versionsDiffer(committed: newer, changelog: older)])
  }

  @Test func `State of a later version stops the partition`() throws {
    pool.broker.append(.state, key: [0], value: [250, 1], timestamp: pool.now)
    pool.start("w")
    try pool.settle()
    #expect(pool.faults == [.unreadableState("state_version")])
  }

  @Test func `Changed threads end the worker`() throws {
    try pool.passingWorker()
    pool.rules.threads = .separate
    pool.start("w")
    pool.settleUntilFailure("threads_changed", "--threads inline")
  }

  @Test func `Another number of partitions ends the worker`() throws {
    let record = PartitionRecord(
      version: 1, writer: "w", nextOffsets: [0, 0, 0], streamTime: nil, nextTicket: 0,
      threads: .inline, partitionCount: 12)
    try pool.write(record)
    pool.start("w")
    pool.settleUntilFailure("partition_count_changed", "12 partitions, now they have 2")
  }

  /// The state after a history is the same whether its changelog is whole or compacted, and the
  /// same as that of a worker that never stopped.
  @Test func `The whole and the compacted log restore the same`() throws {
    var outcomes: [[[UInt8]?]] = []
    for variant in ["live", "whole", "compacted"] {
      let pool = Pool()
      pool.start("w")
      pool.roster("ABCD")
      for id in 2..<60 {
        pool.message(Int64(id), from: id % 3 == 0 ? "B" : "A")
        if id % 2 == 0 { pool.read(upTo: Int64(id), by: "C") }
        if id % 5 == 0 { pool.read(upTo: Int64(id - 1), by: "D") }
        if id % 7 == 0 { pool.read(upTo: Int64(id + 100), by: "B") }
        try pool.settle()
      }
      if variant == "compacted" { pool.broker.compactState(partition: 0) }
      if variant != "live" {
        pool.crash("w")
        pool.broker.expireMember("w")
        pool.start("w2")
        try pool.settle()
      }
      pool.now = Instant(milliseconds: 1_771_587_000_000)
      let before = pool.broker.committedRecords(.events).count
      for uid in "ABCD" { pool.read(upTo: 59, by: String(uid)) }
      for id in 100..<110 { pool.message(Int64(id)) }
      try pool.settle()
      outcomes.append(pool.broker.committedRecords(.events).dropFirst(before).map(\.value))
    }
    #expect(outcomes[0].count > 10)
    // Compared before they are expected: the bytes would fill the screen.
    let isSame = [outcomes[1] == outcomes[0], outcomes[2] == outcomes[0]]
    #expect(isSame == [true, true])
  }
}
