import BrokerSupport
import Foundation
import Testing

@testable import Kafka

extension BrokerTests {
  /// A promise of Kafka's own, without anything of Rollcall's above librdkafka.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct MarkerTests {
    @Test("How a transaction ended is told to a partition that had no leader then")
    func leaderless() throws {
      let bench = try Workbench(
        on: Broker(nodes: 3), partitions: 3, commitDeadline: .seconds(30))
      let consumer = try bench.consumer()
      let producer = try bench.producer()
      for partition in 0..<Int32(3) {
        try bench.produce(["a"], to: bench.output, partition: partition, by: producer)
      }
      let ends = try bench.ends()
      try wait(for: "a record in each partition") {
        try (0..<Int32(3)).allSatisfy {
          try ends.bounds(TopicPartition(bench.output, $0), within: .seconds(10)) == 0..<1
        }
      }
      // Each partition has one copy, so that of this node has no leader while it is away.
      try bench.broker.kill(1)
      try producer.commit([], of: consumer)
      try bench.broker.start(1)
      for partition in 0..<Int32(3) {
        try wait(for: "the committed record of partition \(partition)", within: .seconds(10)) {
          try bench.read(bench.output, partition: partition).values == ["a"]
        }
      }
    }

    @Test("aborted")
    func aborted() throws {
      let bench = try Workbench(
        on: Broker(nodes: 3), partitions: 3, commitDeadline: .seconds(30))
      let consumer = try bench.consumer()
      let producer = try bench.producer()
      for partition in 0..<Int32(3) {
        try bench.produce(["a"], to: bench.output, partition: partition, by: producer)
      }
      let ends = try bench.ends()
      try wait(for: "a record in each partition") {
        try (0..<Int32(3)).allSatisfy {
          try ends.bounds(TopicPartition(bench.output, $0), within: .seconds(10)) == 0..<1
        }
      }
      // Each partition has one copy, so that of this node has no leader while it is away.
      try bench.broker.kill(1)
      try producer.abort()
      try bench.broker.start(1)
      for partition in 0..<Int32(3) {
        try bench.produce(["b"], to: bench.output, partition: partition, by: producer)
      }
      try producer.commit([], of: consumer)
      for partition in 0..<Int32(3) {
        var last: [String] = []
        do {
          try wait(for: "the committed record of partition \(partition)", within: .seconds(10)) {
            last = try bench.read(bench.output, partition: partition).values
            return last == ["b"]
          }
        } catch { Issue.record("\(partition): \(last)") }
      }
    }
  }
}
