import BrokerSupport
import Testing

@testable import Kafka

extension BrokerTests {
  @Suite struct TransactionTests {
    @Test(
      "Readers see a transaction's records once it is committed, and never those of an aborted one")
    func visibility() throws {
      let bench = try Workbench()
      let producer = try bench.producer()
      try bench.produce(["a"], to: bench.output, by: producer)
      #expect(try bench.read(bench.output).values == [])
      try producer.commit([], of: bench.consumer())
      #expect(try bench.read(bench.output).values == ["a"])

      try bench.produce(["b", "c"], to: bench.output, by: producer)
      try producer.abort()
      try bench.commit(["d"], to: bench.output, by: producer)
      #expect(try bench.read(bench.output).values == ["a", "d"])
    }

    @Test("The position passes control records and aborted ones, up to the partition's real end")
    func position() throws {
      let bench = try Workbench()
      let producer = try bench.producer()
      for value in ["a", "b"] { try bench.commit([value], to: bench.output, by: producer) }
      try bench.produce(["c"], to: bench.output, by: producer)
      try producer.abort()
      let read = try bench.read(bench.output)
      #expect(read.values == ["a", "b"])
      let end = try bench.ends().bounds(TopicPartition(bench.output, 0), within: .seconds(10))
      #expect(read.next == end.upperBound)
      #expect(end.upperBound > 3)
    }

    @Test(
      "The bounds include an open transaction, which a reader of committed records does not reach")
    func bounds() throws {
      let bench = try Workbench()
      let producer = try bench.producer()
      let ends = try bench.ends()
      let partition = TopicPartition(bench.output, 0)
      #expect(try ends.bounds(partition, within: .seconds(10)) == 0..<0)
      try bench.produce(["a", "b", "c"], to: bench.output, by: producer)
      try wait(for: "three records on the broker") {
        try ends.bounds(partition, within: .seconds(10)) == 0..<3
      }
      let read = try bench.read(bench.output)
      #expect(read.values == [])
      #expect(read.next == 0)
      try producer.abort()
    }

    @Test func `A commit that the broker kept waiting is resumed`() throws {
      let bench = try Workbench(on: Broker(settings: Broker.pausable), commitDeadline: .seconds(1))
      let consumer = try bench.consumer()
      let producer = try bench.producer()
      try bench.produce(["a"], to: bench.output, by: producer)
      let error = try bench.broker.paused {
        #expect(throws: KafkaError.self) { try producer.commit([], of: consumer) }
      }
      #expect(error?.label == "deadline_commit")
      #expect(error?.disposition == .rebuild)
      #expect(producer.isOpen)
      try wait(for: "the commit") {
        do throws(KafkaError) { try producer.commit([], of: consumer) } catch {
          guard case .timedOut = error else { throw error }
        }
        return !producer.isOpen
      }
      // A commit is answered before its markers are in the topics.
      try wait(for: "the committed record, once") {
        try bench.read(bench.output).values == ["a"]
      }
    }

    @Test
    func `A second producer of the same id fences the first, which has to be built anew`() throws {
      let bench = try Workbench()
      let consumer = try bench.consumer()
      let first = try bench.producer()
      try bench.produce(["a"], to: bench.output, by: first)
      let second = try bench.producer()
      let error = try #require(throws: KafkaError.self) { try first.commit([], of: consumer) }
      #expect(error.disposition == .rebuild)
      #expect(error.label == "fenced", "\(error.text)")
      try bench.commit(["b"], to: bench.output, by: second)
      #expect(try bench.read(bench.output).values == ["b"])
    }

    @Test("A record that is too large is refused by name, and the transaction goes on without it")
    func size() throws {
      let bench = try Workbench()
      let producer = try bench.producer()
      let topic = try producer.topic(bench.output, within: .seconds(10))
      let value = [UInt8](repeating: 0x61, count: 1_114_112)
      let error = #expect(throws: KafkaError.self) {
        try producer.produce(topic, partition: 0, key: nil, value: value.span)
      }
      #expect(error?.label == "record_too_large")
      try bench.commit(["a"], to: bench.output, by: producer)
      #expect(try bench.read(bench.output).values == ["a"])
    }

    @Test func `Keys, absent and empty values and headers come back as they were given`() throws {
      let bench = try Workbench()
      let producer = try bench.producer()
      let topic = try producer.topic(bench.output, within: .seconds(10))
      let header = ("error.code", Array("ERR_BAD_JSON".utf8))
      let empty: [UInt8] = []
      try producer.produce(topic, partition: 0, key: [1, 0, 255].span, value: nil)
      try producer.produce(topic, partition: 0, key: empty.span, value: empty.span)
      try producer.produce(
        topic, partition: 0, key: nil, value: empty.span, headers: [header, ("empty", [])])
      try producer.commit([], of: bench.consumer())

      let consumer = try bench.consumer()
      let queue = try consumer.assign([(TopicPartition(bench.output, 0), 0)])[0]
      let batch = Batch()
      try wait(for: "three records") {
        _ = try consumer.wait(for: [queue], timeout: .milliseconds(100))
        try queue.read(into: batch)
        return batch.count == 3
      }
      func parts(_ index: Int) -> [[UInt8]?] {
        batch.withRecord(index) { [copy($0), copy($1)] }
      }
      #expect(parts(0) == [[1, 0, 255], nil])
      #expect(parts(1) == [[], []])
      #expect(parts(2) == [nil, []])
      #expect(batch.header("error.code", of: 2) == header.1)
      #expect(batch.header("empty", of: 2) == [])
      #expect(batch.header("error.code", of: 1) == nil)
      #expect(batch.timestampMilliseconds(0) != nil)
      consumer.close(within: .seconds(5))
    }
  }

  @Suite(.enabled(if: Broker.isKafka, BrokerTests.needsKafka))
  struct KillTests {
    @Test
    func `What was committed outlives a broker that is killed, what was open does not`() throws {
      let bench = try Workbench(on: Broker())
      let consumer = try bench.consumer()
      let producer = try bench.producer()
      try bench.commit(["a"], to: bench.output, by: producer)
      try bench.produce(["b"], to: bench.output, by: producer)
      try bench.broker.kill()
      try bench.broker.start()
      let successor = try bench.producer()
      try bench.commit(["c"], to: bench.output, by: successor)
      let error = #expect(throws: KafkaError.self) { try producer.commit([], of: consumer) }
      // Which of the two depends on whether its record outlived the message's time.
      #expect(error?.disposition == .rebuild || error?.disposition == .abort)
      // A commit is answered before its markers are in the topics.
      try wait(for: "both committed records, and not the open one") {
        try bench.read(bench.output).values == ["a", "c"]
      }
    }
  }
}
