import Core
import Testing

@testable import Lab
@testable import Worker

@Suite struct RebalanceTests {
  /// Four partitions with a group each, on which one message waits for its second reader.
  private func halfRead(_ pool: Pool) {
    for partition in 0..<pool.broker.partitionCount {
      let group = "g\(partition)"
      pool.roster("ABC", in: group, partition: partition)
      pool.message(2, in: group, partition: partition)
      pool.read(upTo: 2, by: "B", in: group, partition: partition)
    }
  }

  private func finishReading(_ pool: Pool) {
    for partition in 0..<pool.broker.partitionCount {
      pool.read(upTo: 2, by: "C", in: "g\(partition)", partition: partition)
    }
  }

  private func all(_ pool: Pool) -> [String] {
    (0..<pool.broker.partitionCount).flatMap { ["delivered g\($0) 2 A", "read g\($0) 2 A"] }
  }

  @Test func `What a worker keeps is not restored`() throws {
    let pool = Pool(partitionCount: 4)
    pool.start("a")
    halfRead(pool)
    try pool.settle()
    pool.start("b")
    try pool.settle()
    #expect(pool.restoredRecords["a"] == 0)
    #expect(pool.restoredRecords["b"] ?? 0 > 0)
    #expect(pool.occurrences.contains { $0.0 == "a" && $0.1 == .taken([0, 1], kept: [0, 1]) })
    #expect(pool.occurrences.contains { $0.0 == "b" && $0.1 == .taken([2, 3], kept: []) })
    finishReading(pool)
    try pool.settle()
    #expect(try pool.announcements == all(pool))

    // What was given away and comes back is not what it was.
    pool.stop("b")
    try pool.settle()
    #expect(
      pool.occurrences.contains { $0.0 == "a" && $0.1 == .taken([0, 1, 2, 3], kept: [0, 1]) })
    #expect(pool.restoredRecords["a"] ?? 0 > 0)
    #expect(try pool.announcements == all(pool))
  }

  @Test func `A machine is dropped after a foreign version`() throws {
    let pool = Pool()
    pool.start("a")
    halfRead(pool)
    try pool.settle()
    // a is thrown out without knowing it, b moves the partition on, and is gone again.
    pool.broker.expireMember("a")
    pool.start("b")
    finishReading(pool)
    for _ in 0..<40 {
      pool.now = pool.now.advanced(byMilliseconds: 10)
      try pool.step("b")
    }
    #expect(try pool.announcements == all(pool))
    pool.stop("b")
    try pool.settle()
    #expect(pool.occurrences.contains { $0.0 == "a" && $0.1 == .taken([0], kept: []) })
    pool.message(3, in: "g0")
    pool.read(upTo: 3, by: "B", in: "g0")
    pool.read(upTo: 3, by: "C", in: "g0")
    try pool.settle()
    #expect(try pool.announcements == all(pool) + ["delivered g0 3 A", "read g0 3 A"])
  }

  @Test func `A worker that is thrown out inside a transaction commits nothing`() throws {
    let pool = Pool()
    pool.start("a")
    halfRead(pool)
    try pool.settle()
    finishReading(pool)
    // Applied and produced by a, not yet committed.
    try pool.step("a")
    try pool.step("a")
    pool.broker.expireMember("a")
    pool.start("b")
    try pool.settle()
    #expect(try pool.announcements == all(pool))
    #expect(pool.occurrences.contains { $0.0 == "a" && $0.1 == .givenUp([0], lost: true) })
  }

  @Test func `Who takes over waits for the pending transaction`() throws {
    let pool = Pool()
    let log = pool.start("a")
    halfRead(pool)
    try pool.settle()
    finishReading(pool)
    try pool.step("a")
    try pool.step("a")
    // a dies in the middle of its commit: its offsets are sent, the end is not.
    let position = CommittedPosition(partition: 0, offsets: [2, 2, 0], metadata: "9 a")
    try log.addOffsets([position])
    pool.crash("a")
    pool.broker.expireMember("a")
    pool.start("b")
    try pool.settle()
    #expect(!pool.occurrences.contains { $0.0 == "b" && $0.1 == .taken([0], kept: []) })
    pool.broker.expireTransaction(of: "a")
    try pool.settle()
    #expect(pool.occurrences.contains { $0.0 == "b" && $0.1 == .taken([0], kept: []) })
    #expect(try pool.announcements == all(pool))
  }

  @Test func `A rebalance in the middle of a restore does not begin it anew`() throws {
    let pool = Pool(partitionCount: 2)
    pool.start("a")
    for id in 2..<400 { pool.message(Int64(id)) }
    try pool.settle()
    pool.stop("a")
    pool.broker.fetchLimit = 10
    let total = [0, 1].map { pool.broker.committedRecords(.state, partition: $0).count }
      .reduce(0, +)
    pool.start("b")
    for _ in 0..<20 { try pool.step("b") }
    #expect(1..<total ~= pool.restoredRecords["b"] ?? 0)
    pool.start("c")
    try pool.settle()
    #expect(pool.restoredRecords["b"] == total)
  }

  @Test func `A worker without partitions waits`() throws {
    let pool = Pool()
    pool.start("a")
    pool.start("b")
    halfRead(pool)
    finishReading(pool)
    try pool.settle()
    #expect(try pool.announcements == all(pool))
    pool.stop("a")
    pool.message(3, in: "g0")
    try pool.settle()
    #expect(pool.broker.committedPosition()?.offsets == [3, 2, 0])
  }
}
