import Core
import Testing

@testable import Lab
@testable import Worker

/// What a running worker does when its topics are not what they were at the start.
@Suite struct TopicWatchTests {
  @Test(arguments: Topic.allCases)
  func `More partitions end the worker, which names each topic with its count`(topic: Topic) throws
  {
    let pool = Pool(partitionCount: 2)
    try pool.idleWorker()
    pool.broker.changedCounts[topic] = 3
    let failure = try #require(throws: WorkerFailure.self) { try pool.pass(61_000) }
    #expect(failure.label == "partition_count_changed")
    for other in Topic.allCases {
      #expect(failure.detail.contains("\(other) has \(other == topic ? 3 : 2)"))
    }
  }

  @Test func `An assignment is looked at before anything of it is applied`() throws {
    let pool = Pool()
    try pool.idleWorker()
    pool.broker.changedCounts[.receipts] = 2
    pool.message(2)
    pool.read(upTo: 2, by: "B")
    pool.start("v")
    #expect(throws: WorkerFailure.self) {
      for _ in 0..<20 { try pool.step("v"); try pool.step("w") }
    }
    #expect(try pool.announcements.count <= 2)
    #expect(pool.now.millisecondsSince(Instant(milliseconds: 1_771_586_000_000)) < 60_000)
  }

  @Test("Partitions that were not there at the start are refused, though no broker counts them")
  func unknownPartition() throws {
    let pool = Pool(partitionCount: 2)
    // As the group sees it, and this worker does not.
    pool.start("w", partitionCount: 1)
    for topic in Topic.allCases { pool.broker.changedCounts[topic] = 1 }
    pool.message(2, partition: 1)
    let failure = try #require(throws: WorkerFailure.self) { try pool.pass(1000) }
    #expect(failure.label == "partition_count_changed")
    #expect(failure.detail.contains("partition 1"))
    #expect(pool.broker.committedPosition(1) == nil)
  }

  @Test(arguments: [Topic.events, .state, .receipts])
  func `A deleted topic is told at once and each minute, and the work goes on when it is back`(
    topic: Topic
  ) throws {
    let pool = Pool()
    try pool.idleWorker()
    pool.broker.changedCounts[topic] = .some(nil)
    try pool.pass(66_000)
    #expect(pool.missing == [topic])
    pool.message(2)
    pool.read(upTo: 2, by: "B")
    try pool.pass(60_000)
    #expect(pool.missing == [topic, topic])
    #expect(try pool.announcements == [])
    pool.broker.changedCounts[topic] = nil
    try pool.settle()
    #expect(try pool.announcements == ["delivered g1 2 A", "read g1 2 A"])
    #expect(pool.occurrences.contains { $0.1 == .topicsFound })
    #expect(pool.failures == [])
  }

  @Test func `What is missing for one look only is a broker that has just been started`() throws {
    let pool = Pool()
    try pool.idleWorker()
    let before = pool.restoredRecords
    for moment in 0..<700 {
      pool.broker.changedCounts[.state] = moment % 601 < 600 ? nil : .some(nil)
      try pool.pass(100)
    }
    try pool.settle()
    #expect(pool.missing == [])
    #expect(pool.restoredRecords == before)
  }

  @Test("Records that are deleted unread under a running worker stop their partition, no other")
  func gap() throws {
    let pool = Pool(partitionCount: 2)
    let log = pool.start("w")
    for partition in 0..<2 { pool.roster("AB", partition: Int32(partition)) }
    try pool.settle()
    for partition in 0..<2 {
      for id in 2..<5 { pool.message(Int64(id), partition: Int32(partition)) }
    }
    pool.broker.truncate(.messages, partition: 0, before: 3)
    // As librdkafka says it, of the lane that is fetched first.
    log.failures[.fetch] = [LogFailure(.retake, label: "auto_offset_reset", detail: "simulated")]
    try pool.settle()
    #expect(pool.faults == [.belowStart(.messages, offset: 1, start: 3)])
    for partition in 0..<2 { pool.read(upTo: 4, by: "B", partition: Int32(partition)) }
    try pool.settle()
    #expect(try pool.announcements.count == 6)
    #expect(pool.failures == [])
  }
}

extension Pool {
  fileprivate var missing: [Topic] {
    occurrences.flatMap { _, occurrence -> [Topic] in
      guard case .topicsMissing(let topics) = occurrence else { return [] }
      return topics.map(\.topic)
    }
  }
}
