import BrokerSupport
import Testing

@testable import Kafka

extension BrokerTests {
  /// What a reader of committed records is told of the records that it may not see yet.
  @Suite struct HighWatermarkTests {
    @Test(
      "At the stable end the high watermark is there at once, and never below what is held back")
    func stableEnd() throws {
      let bench = try Workbench()
      let producer = try bench.producer()
      let consumer = try bench.consumer()
      defer { consumer.close(within: .seconds(5)) }
      let other = try bench.producer("b")
      try bench.commit(["first"], to: bench.output, by: producer)

      // Open before the reader comes: the end is known with the first answer.
      try bench.produce(["open"], to: bench.output, by: producer)
      let ends = try bench.ends()
      let partition = TopicPartition(bench.output, 0)
      try ends.wait(for: 3, of: partition)
      let reader = Reader(try consumer.assign([(partition, 0)])[0], of: consumer)
      try reader.readToStableEnd()
      #expect(reader.values == ["first"])
      #expect(reader.batch.nextOffset == 2)
      #expect(reader.batch.endOffset == 3)

      // Behind it others write, which moves the end only.
      try bench.commit(["behind"], to: bench.output, by: other)
      try reader.read(until: { $0.endOffset == 5 })
      #expect(reader.batch.reachedEnd)
      #expect(reader.batch.nextOffset == 2)

      try producer.commit([], of: consumer)
      try reader.read(until: { $0.reachedEnd && $0.nextOffset == $0.endOffset })
      #expect(reader.values == ["first", "open", "behind"])
      #expect(reader.batch.endOffset == 6)
    }

    @Test("Ends of many partitions are told at once: with what is open, or what is decided only")
    func manyEnds() throws {
      let bench = try Workbench(partitions: 2)
      let producer = try bench.producer()
      let partitions = [bench.output, bench.input].flatMap { topic in
        [1, 0].map { TopicPartition(topic, $0) }
      }
      try bench.commit(["first", "second"], to: bench.output, partition: 1, by: producer)
      try bench.produce(["open"], to: bench.output, partition: 1, by: producer)
      try bench.produce(["open"], to: bench.input, partition: 0, by: producer)
      let ends = try bench.ends()
      let decided = try PartitionEnds(bench.settings(), committedOnly: true, notify: { _ in })
      try wait(for: "the open records") {
        try ends.ends(of: partitions, within: .seconds(10)) == [4, 0, 0, 1]
      }
      #expect(try decided.ends(of: partitions, within: .seconds(10)) == [3, 0, 0, 0])
      for (partition, end) in zip(partitions, [4, 0, 0, 1] as [Int64]) {
        #expect(try ends.bounds(partition, within: .seconds(10)).upperBound == end)
      }
      try producer.abort()
      try wait(for: "the end of the transaction") {
        try decided.ends(of: partitions, within: .seconds(10)) == [5, 0, 0, 2]
      }
      #expect(throws: KafkaError.self) {
        try ends.ends(of: [TopicPartition("nowhere", 0)], within: .seconds(1))
      }
    }

    @Test
    func `A transaction that begins while the reader has nothing to do moves the end`() throws {
      let bench = try Workbench()
      let producer = try bench.producer()
      let consumer = try bench.consumer()
      defer { consumer.close(within: .seconds(5)) }
      let reader = Reader(
        try consumer.assign([(TopicPartition(bench.output, 0), 0)])[0], of: consumer)
      try reader.readToStableEnd()
      #expect(reader.batch.endOffset == 0)
      for round in 0..<3 {
        let start = Int64(round) * 2
        try bench.produce(["x"], to: bench.output, by: producer)
        try reader.read(until: { $0.endOffset == start + 1 })
        #expect(reader.batch.nextOffset == start)
        // Nothing is given out of an aborted one; the position passes it all the same.
        try producer.abort()
        try reader.read(until: { $0.endOffset == start + 2 && $0.nextOffset == start + 2 })
        #expect(reader.batch.reachedEnd)
      }
      #expect(reader.values == [])
    }

    @Test("Whenever the end is told it is no older than a transaction that was seen to be open")
    func neverStale() throws {
      let bench = try Workbench()
      let producer = try bench.producer()
      let consumer = try bench.consumer()
      defer { consumer.close(within: .seconds(5)) }
      let partition = TopicPartition(bench.output, 0)
      let ends = try bench.ends()
      var end: Int64 = 0
      for _ in 0..<20 {
        try bench.produce(["x"], to: bench.output, by: producer)
        end += 1
        try ends.wait(for: end, of: partition)
        // Anew each time: the first that is told of the end must know of what is open.
        let reader = Reader(try consumer.assign([(partition, 0)])[0], of: consumer)
        try reader.readToStableEnd()
        #expect(reader.batch.nextOffset == end - 1)
        #expect(reader.batch.endOffset == end)
        try producer.commit([], of: consumer)
        end += 1
        try ends.wait(for: end, of: partition)
      }
    }
  }
}

extension PartitionEnds {
  /// Waits until a partition reaches to there, open transactions included.
  fileprivate func wait(for end: Int64, of partition: TopicPartition) throws {
    try KafkaTests.wait(for: "the end \(end)") {
      try bounds(partition, within: .seconds(10)).upperBound == end
    }
  }
}

/// Reads one partition.
private final class Reader {
  let batch = Batch()
  private(set) var values: [String] = []
  private let queue: PartitionQueue
  private let consumer: Consumer

  init(_ queue: PartitionQueue, of consumer: Consumer) {
    self.queue = queue
    self.consumer = consumer
  }

  func readToStableEnd() throws { try read { $0.reachedEnd } }

  func read(until condition: (Batch) -> Bool) throws {
    try wait(for: "what is read") {
      _ = try consumer.wait(for: [queue], timeout: .milliseconds(10))
      try queue.read(into: batch)
      values += batch.values
      return condition(batch)
    }
  }
}
