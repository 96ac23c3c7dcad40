import BrokerSupport
import Core
import Kafka
import Testing
import Wire

@testable import Worker
@testable import rollcall

@Suite(.enabled(if: Broker.isAvailable, "no broker: run ops/setup or set KAFKA_HOME"))
struct KafkaLogTests {
  @Test("Records, positions and the note beside them go through the log and come back as one")
  func roundTrip() throws {
    let bench = try LogBench()
    let log = try bench.log()
    #expect(try bench.assignment(of: log) == [0, 1])
    let absent = CommittedPosition(partition: 0, offsets: [nil, nil, nil], metadata: "")
    #expect(try log.committed([0]) == [absent])
    #expect(try log.bounds(Lane(.receipts, 0)) == 0..<0)

    try log.assign([(Lane(.events, 0), 0), (Lane(.state, 0), 0)])
    let header = RecordHeader(name: "error.code", value: [1])
    try log.produce(.events, partition: 0, key: [7].span, value: [8].span, headers: [])
    try log.produce(.rejected, partition: 0, key: nil, value: [9].span, headers: [header])
    let position = CommittedPosition(partition: 0, offsets: [3, 1, nil], metadata: "1 a")
    try log.commit([position])

    let batch = log.makeBatch()
    try eventually("the record") {
      _ = try log.poll(wanted: [Lane(.events, 0)], timeout: .milliseconds(100))
      try log.fetch(Lane(.events, 0), into: batch)
      return batch.count == 1
    }
    #expect(batch.offset(0) == 0)
    #expect(batch.timestamp(0) != nil)
    let value: UInt8? = batch.withRecord(0) { $1?[0] }
    #expect(value == 8)
    #expect(try log.committed([0, 1]).map(\.offsets) == [[3, 1, nil], [nil, nil, nil]])
    #expect(try log.committed([0])[0].metadata == "1 a")
    log.close()
  }

  @Test func `The lag of lanes that are not read is asked for`() throws {
    let bench = try LogBench()
    let log = try bench.log()
    for _ in 0..<3 {
      try log.produce(.events, partition: 0, key: nil, value: [1].span, headers: [])
    }
    try log.commit([])
    // Three records and the mark of their transaction; of a lane that is read nothing is known yet.
    let stopped = WorkerStatus.Position(lane: Lane(.events, 0), offset: 1, end: 1)
    let read = WorkerStatus.Position(lane: Lane(.events, 0), offset: 1, end: nil)
    let gone = WorkerStatus.Position(lane: Lane(.events, 99), offset: 2, end: 9)
    // A commit is answered before its mark is in the topic.
    try eventually("three records behind") { log.lag([stopped, read], pinned: []) == 3 }
    #expect(log.lag([gone], pinned: []) == 7)
    log.close()
  }

  @Test func `An aborted transaction leaves neither records nor positions`() throws {
    let bench = try LogBench()
    let log = try bench.log()
    _ = try bench.assignment(of: log)
    try log.produce(.events, partition: 1, key: nil, value: [1].span, headers: [])
    try log.abort()
    try log.produce(.events, partition: 1, key: nil, value: [2].span, headers: [])
    try log.commit([])
    try log.assign([(Lane(.events, 1), 0)])
    let batch = log.makeBatch()
    var values: [UInt8?] = []
    try eventually("the end") {
      _ = try log.poll(wanted: [Lane(.events, 1)], timeout: .milliseconds(100))
      try log.fetch(Lane(.events, 1), into: batch)
      for index in 0..<batch.count { values.append(batch.withRecord(index) { $1?[0] }) }
      return batch.reachedEnd && !values.isEmpty
    }
    #expect(values == [2])
    #expect(try log.committed([1])[0].offsets == [nil, nil, nil])
    log.close()
  }

  @Test func `A log whose transactional id was taken has to rebuild, and then goes on`() throws {
    let bench = try LogBench()
    let first = try bench.log()
    _ = try bench.assignment(of: first)
    try first.produce(.events, partition: 0, key: nil, value: [1].span, headers: [])
    let second = try bench.log()
    let failure = #expect(throws: LogFailure.self) { try first.commit([]) }
    #expect(failure?.disposition == .rebuild)
    #expect(failure?.label == "fenced")
    second.close()
    try first.rebuild()
    try first.produce(.events, partition: 0, key: nil, value: [2].span, headers: [])
    try first.commit([])
    first.close()
  }

  @Test func `A lane that is not assigned is not read in silence`() throws {
    let bench = try LogBench()
    let log = try bench.log()
    let batch = log.makeBatch()
    let failure = #expect(throws: LogFailure.self) {
      try log.fetch(Lane(.messages, 0), into: batch)
    }
    #expect(failure?.label == "not_assigned")
    log.close()
  }
}

/// Topics and a group of one test's own, with two partitions.
private struct LogBench {
  private let settings: Settings
  private let names: TopicNames

  init() throws {
    let prefix = Broker.name("log") + "."
    settings = try Settings(
      .init(
        bootstrapServers: Broker.shared().bootstrapServers, group: prefix,
        transactionalId: "\(prefix)a", groupInstanceId: nil, clientId: "test"))
    let names = TopicNames(prefix: prefix)
    self.names = names
    try Admin(settings, notify: { _ in }).create(
      Topic.allCases.map {
        .init(name: names[$0], partitions: 2, replicationFactor: 1)
      })
  }

  func log() throws -> KafkaLog { try KafkaLog(settings, names: names, notify: { _ in }) }

  /// Waits for the partitions that the group gives to the log's member.
  func assignment(of log: KafkaLog) throws -> [Int32] {
    var assigned: [Int32] = []
    try eventually("an assignment") {
      guard case .assigned(let partitions) = try log.poll(wanted: [], timeout: .milliseconds(100))
      else { return false }
      assigned = partitions
      return true
    }
    try log.assign([])
    return assigned
  }
}
