import BrokerSupport
import Foundation
import Testing

@testable import Kafka

extension BrokerTests {
  /// A promise of Kafka's own, without anything of Rollcall's above librdkafka: what becomes of a
  /// transaction's records in a partition that has no leader when the transaction ends.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct MarkerTests {
    /// KAFKA-20734: the coordinator takes such a partition for a deleted one, and never tells it.
    private static let breaksIt: Set = ["4.4.0"]

    private static var isBroken: Bool {
      let libraries = "\(ProcessInfo.processInfo.environment["KAFKA_HOME"] ?? "")/libs"
      return breaksIt.contains {
        FileManager.default.fileExists(atPath: "\(libraries)/kafka-clients-\($0).jar")
      }
    }

    @Test func `What was committed can be read, and what was aborted never`() throws {
      let bench = try Workbench(
        on: Broker(nodes: 3), partitions: 3,
        properties: [
          Property("transaction.timeout.ms", "50000"), Property("session.timeout.ms", "55000"),
        ], commitDeadline: .seconds(45))
      let consumer = try bench.consumer()
      let (committing, aborting) = (try bench.producer("commits"), try bench.producer("aborts"))
      let (committed, aborted) = (bench.input, bench.output)
      try bench.produce("a", toAll: committed, by: committing)
      try bench.produce("a", toAll: aborted, by: aborting)
      let ends = try bench.ends()
      try wait(for: "a record in each partition") {
        try Workbench.three.allSatisfy { partition in
          try [committed, aborted].allSatisfy {
            try ends.bounds(TopicPartition($0, partition), within: .seconds(10)) == 0..<1
          }
        }
      }
      // Each partition has one copy, so that those of this node have no leader while it is away.
      try bench.broker.kill(1)
      try committing.commit([], of: consumer)
      try aborting.abort()
      try bench.broker.start(1)
      try bench.produce("b", toAll: aborted, by: aborting)
      try aborting.commit([], of: consumer)

      try withKnownIssue("KAFKA-20734") {
        try bench.expect(["a"], inAll: committed)
      } when: {
        Self.isBroken
      }
      try withKnownIssue("KAFKA-20734") {
        try bench.expect(["b"], inAll: aborted)
      } when: {
        Self.isBroken
      }
    }
  }
}

extension Workbench {
  fileprivate static let three: Range<Int32> = 0..<3

  fileprivate func produce(_ value: String, toAll topic: String, by producer: Producer) throws {
    for partition in Self.three {
      try produce([value], to: topic, partition: partition, by: producer)
    }
  }

  /// A commit is answered before its markers are in the topics.
  fileprivate func expect(_ values: [String], inAll topic: String) throws {
    for partition in Self.three {
      try wait(for: "\(values) in \(topic)/\(partition)", within: .seconds(10)) {
        try read(topic, partition: partition).values == values
      }
    }
  }
}
