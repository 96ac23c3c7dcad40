import Core
import Lab
import Testing

@testable import Worker

/// Random failures, joins, leaves, crashes and lost members: each message is announced once.
@Suite struct ChaosTests {
  private static let messages = 40
  private static let partitions: Int32 = 3

  @Test(arguments: 0..<8)
  func everyMessageIsAnnouncedExactlyOnce(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let pool = Pool(partitionCount: Self.partitions)
    pool.broker.fetchLimit = 7
    pool.limits.inputRecords = 16
    for partition in 0..<Self.partitions {
      pool.roster("ABC", in: "g\(partition)", partition: partition)
    }
    pool.start("w0")
    var next = (0..<Self.partitions).map { _ in Int64(2) }
    while next.contains(where: { $0 < Self.messages + 2 }) {
      for partition in 0..<Self.partitions where next[Int(partition)] < Self.messages + 2 {
        write(next[Int(partition)], partition, to: pool, &random)
        next[Int(partition)] += 1
      }
      disturb(pool, &random)
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        pool.now = pool.now.advanced(byMilliseconds: Int64.random(in: 1...80, using: &random))
        pool.broker.clock = pool.now
        for name in pool.workers.keys.sorted() where Bool.random(using: &random) {
          try pool.step(name)
        }
      }
    }
    for name in ["w0", "w1", "w2"] where pool.workers[name] == nil {
      pool.broker.expireMember(name)
      pool.broker.expireTransaction(of: name)
    }
    if pool.workers.isEmpty { pool.start("w9") }
    for _ in 0..<4 { try pool.settle() }

    var expected: [String] = []
    for partition in 0..<Self.partitions {
      for id in 2..<(Self.messages + 2) {
        expected += ["delivered g\(partition) \(id) A", "read g\(partition) \(id) A"]
      }
    }
    let announced = try pool.announcements
    #expect(announced.sorted() == expected.sorted(), "seed \(seed)")
    for partition in 0..<Self.partitions { #expect(pool.rejectedCodes(partition) == []) }
    #expect(pool.faults == [])
  }

  /// A message and its readers' receipts, some of them before it.
  private func write(
    _ id: Int64, _ partition: Int32, to pool: Pool, _ random: inout SplitMix64
  ) {
    let group = "g\(partition)"
    let isEarly = Bool.random(using: &random)
    if isEarly { pool.read(upTo: id, by: "B", in: group, partition: partition) }
    pool.message(id, in: group, partition: partition)
    if !isEarly { pool.read(upTo: id, by: "B", in: group, partition: partition) }
    pool.read(upTo: id, by: "C", in: group, partition: partition)
  }

  private func disturb(_ pool: Pool, _ random: inout SplitMix64) {
    let name = "w\(Int.random(in: 0..<3, using: &random))"
    let calls: [MemoryLog.Call] = [
      .poll, .fetch, .assign, .committed, .bounds, .produce, .commit, .abort, .rebuild,
    ]
    switch Int.random(in: 0..<10, using: &random) {
    case 0: if pool.workers[name] == nil { pool.start(name) }
    case 1: pool.stop(name)
    case 2:
      pool.crash(name)
      pool.broker.expireMember(name)
    case 3: pool.broker.expireMember(name)
    case 4: pool.broker.expireTransaction(of: name)
    case 5:
      pool.logs[name]?.failureAfterCommit = LogFailure(.rebuild, label: "unknown", detail: "")
    case 6, 7:
      let call = calls[Int.random(in: 0..<calls.count, using: &random)]
      let disposition: LogFailure.Disposition = Bool.random(using: &random) ? .again : .abort
      pool.logs[name]?.failures[call] = [LogFailure(disposition, label: "test", detail: "")]
    default: break
    }
  }
}
