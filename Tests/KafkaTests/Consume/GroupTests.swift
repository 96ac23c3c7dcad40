import BrokerSupport
import Testing

@testable import Kafka

extension BrokerTests {
  @Suite struct GroupTests {
    @Test func `Committed offsets come back with their metadata, absent ones as nil`() throws {
      let bench = try Workbench(partitions: 2)
      let consumer = try bench.consumer()
      let producer = try bench.producer()
      let first = TopicPartition(bench.input, 0)
      let second = TopicPartition(bench.input, 1)
      #expect(
        try consumer.committed([first, second], within: .seconds(10))
          == [Position(first, offset: nil), Position(second, offset: nil)])
      let position = Position(first, offset: 42, metadata: "7 worker-ä 1771586990")
      try producer.commit([position], of: consumer)
      #expect(
        try consumer.committed([first, second], within: .seconds(10))
          == [position, Position(second, offset: nil)])
    }

    @Test("Two members share the partitions and read every record in order, through the joining")
    func rebalance() throws {
      let bench = try Workbench(partitions: 4)
      let producer = try bench.producer()
      let perPartition = 3000
      for partition in 0..<Int32(4) {
        try bench.produce(
          (0..<perPartition).map { "\($0)" }, to: bench.input, partition: partition, by: producer)
      }
      try producer.commit([], of: bench.consumer())

      let log = SharedLog()
      let first = try Member(bench, log)
      try wait(for: "the first member's partitions") { try first.turn() == 4 }
      try wait(for: "a few records") {
        _ = try first.turn()
        return log.total > 100
      }
      let second = try Member(bench, log)
      try wait(for: "an even share") {
        let share = (try first.turn(), try second.turn())
        return share == (2, 2)
      }
      try wait(for: "all records") {
        _ = (try first.turn(), try second.turn())
        return log.total == 4 * perPartition
      }
      for partition in 0..<Int32(4) {
        #expect(log.values[partition] == (0..<perPartition).map { "\($0)" })
      }
      second.consumer.close(within: .seconds(5))
      try wait(for: "the partitions of the one that left") { try first.turn() == 4 }
      first.consumer.close(within: .seconds(5))
      #expect(first.consumer.handle.isClosed)
    }

    @Test
    func `A member that is closed leaves the group, also before it ever got a partition`() throws {
      let bench = try Workbench()
      let consumer = try bench.consumer()
      try consumer.subscribe([bench.input])
      consumer.close(within: .seconds(10))
      #expect(consumer.handle.isClosed)
    }

    @Test(.enabled(if: Broker.isKafka, "noida-db knows no sessions"), arguments: [true, false])
    func `A static member that leaves is gone at once, one that is closed stays for its session`(
      isLeaving: Bool
    ) throws {
      let bench = try Workbench(partitions: 2)
      let member = try Member(bench, SharedLog(), instance: "static")
      try wait(for: "the partitions") { try member.turn() == 2 }
      if isLeaving { member.consumer.leave(within: .seconds(5)) }
      member.consumer.close(within: .seconds(5))
      #expect(member.consumer.handle.isClosed)
      #expect(try bench.admin().memberCount(of: bench.group) == (isLeaving ? 0 : 1))
    }

    @Test("A new assignment begins at its offsets, and what was fetched for the old one is dropped")
    func reassign() throws {
      let bench = try Workbench()
      let producer = try bench.producer()
      try bench.commit((0..<10).map { "\($0)" }, to: bench.input, by: producer)
      let consumer = try bench.consumer()
      let partition = TopicPartition(bench.input, 0)
      let batch = Batch()
      // The first ones follow one another before the client knows the topic at all.
      for start in [0, 7, 0, 9, 3, 10, 0, 5] {
        var queue = try consumer.assign([(partition, 0)])[0]
        if start == 3 {
          try wait(for: "records of the old assignment") {
            _ = try consumer.wait(for: [queue], timeout: .milliseconds(100))
            return !queue.isEmpty
          }
        }
        let former = queue
        queue = try consumer.assign([(partition, Int64(start))])[0]
        var values: [String] = []
        try wait(for: "the end") {
          _ = try consumer.wait(for: [queue], timeout: .milliseconds(100))
          try former.read(into: batch)
          #expect(batch.count == 0)
          try queue.read(into: batch)
          values += batch.values
          return batch.reachedEnd
        }
        #expect(values == (start..<10).map { "\($0)" })
        #expect(batch.nextOffset.map { $0 >= 10 } == true)
      }
      consumer.close(within: .seconds(5))
    }

    @Test func `Assignments may follow one another at once, any number of times`() throws {
      let bench = try Workbench(partitions: 4)
      let consumer = try bench.consumer()
      let partitions = (0..<Int32(4)).map { TopicPartition(bench.input, $0) }
      for round in 0..<500 {
        let queues = try consumer.assign(partitions.map { ($0, 0) })
        if round.isMultiple(of: 7) { _ = try consumer.wait(for: queues, timeout: .zero) }
        if round.isMultiple(of: 5) { _ = try consumer.assign([]) }
      }
      consumer.close(within: .seconds(5))
      #expect(consumer.handle.isClosed)
    }

    @Test func `An offset that is gone is an error, not a jump`() throws {
      let bench = try Workbench()
      let consumer = try bench.consumer()
      let queue = try consumer.assign([(TopicPartition(bench.input, 0), 100)])[0]
      let batch = Batch()
      var error: KafkaError?
      try wait(for: "the error") {
        _ = try consumer.wait(for: [queue], timeout: .milliseconds(100))
        do throws(KafkaError) { try queue.read(into: batch) } catch let failure { error = failure }
        return error != nil
      }
      #expect(error?.disposition == .exit)
      #expect(error?.text.contains(bench.input) == true)
      consumer.close(within: .seconds(5))
    }
  }

  @Suite(.enabled(if: Broker.isKafka, BrokerTests.needsKafka))
  struct GenerationTests {
    @Test
    func `A member that the group has given up cannot commit, and has only to abort`() throws {
      // As short as a broker allows, so that the member is given up soon.
      let bench = try Workbench(
        properties: [
          Property("session.timeout.ms", "6000"), Property("max.poll.interval.ms", "6100"),
          Property("transaction.timeout.ms", "5000"), Property("message.timeout.ms", "4000"),
        ], commitDeadline: .seconds(3))
      let log = SharedLog()
      let lost = try Member(bench, log)
      try wait(for: "the partition") { try lost.turn() == 1 }
      let heir = try Member(bench, log)
      // The first never answers that it has to give the partition up.
      try wait(for: "the partition's new owner") { try heir.turn() == 1 }
      let producer = try bench.producer()
      try bench.produce(["stale"], to: bench.output, by: producer)
      let error = #expect(throws: KafkaError.self) {
        try producer.commit(
          [Position(TopicPartition(bench.input, 0), offset: 1)], of: lost.consumer)
      }
      #expect(error?.disposition == .abort, "\(error?.text ?? "")")
      try producer.abort()
      #expect(try bench.read(bench.output).values == [])
      heir.consumer.close(within: .seconds(5))
    }
  }
}

/// What the members of a group have read together, and up to where.
private final class SharedLog {
  var values: [Int32: [String]] = [:]
  var next: [Int32: Int64] = [:]
  var total: Int { values.values.reduce(0) { $0 + $1.count } }
}

/// A member that goes on where the log ends; one turn serves the group and reads what is there.
private final class Member {
  let consumer: Consumer
  private let log: SharedLog
  private var queues: [PartitionQueue] = []
  private let batch = Batch(capacity: 100)

  /// - Parameter instance: the name of a static member.
  init(_ bench: Workbench, _ log: SharedLog, instance: String? = nil) throws {
    self.log = log
    consumer = try bench.consumer(instance: instance)
    try consumer.subscribe([bench.input])
  }

  /// - Returns: the number of its partitions.
  func turn() throws -> Int {
    switch try consumer.wait(for: queues, timeout: .milliseconds(20)) {
    case .assigned(let partitions):
      queues = try consumer.assign(partitions.map { ($0, log.next[$0.partition] ?? 0) })
    case .revoked:
      queues = try consumer.assign([])
    case nil:
      for queue in queues {
        try queue.read(into: batch)
        log.values[queue.partition.partition, default: []] += batch.values
        if let next = queue.nextOffset { log.next[queue.partition.partition] = next }
      }
    }
    return queues.count
  }
}
