import BrokerSupport
import Testing

@testable import Kafka

extension BrokerTests {
  @Suite struct AdminTests {
    @Test func `A topic is made as it is defined, and described as it was made`() throws {
      let bench = try Workbench()
      let admin = try bench.admin()
      let name = Broker.name("defined")
      try admin.create([
        .init(
          name: name, partitions: 3, replicationFactor: 1,
          configuration: [Property("cleanup.policy", "compact")])
      ])
      let cluster = try admin.cluster()
      #expect(cluster.brokers == 1)
      #expect(
        cluster.topics.first { $0.name == name }
          == .init(name: name, partitions: 3, replicationFactor: 1))
      #expect(try admin.configurations(of: [name])[name]?.get()["cleanup.policy"] == "compact")
      #expect(try admin.layout(of: name) == .init(name: name, partitions: 3, replicationFactor: 1))
      // Asking for a topic by name does not make it.
      #expect(try admin.layout(of: name + "-other") == nil)
      #expect(try admin.layout(of: name + "-other") == nil)
      let error = #expect(throws: KafkaError.self) {
        try admin.create([.init(name: name, partitions: 3, replicationFactor: 1)])
      }
      #expect(error?.label == "topic_already_exists")
    }

    @Test func `Records and committed offsets can be deleted`() throws {
      let bench = try Workbench()
      let admin = try bench.admin()
      let consumer = try bench.consumer()
      let producer = try bench.producer()
      let partition = TopicPartition(bench.input, 0)
      try bench.produce(["a", "b", "c"], to: bench.input, by: producer)
      try producer.commit([Position(partition, offset: 2)], of: consumer)
      let ends = try bench.ends()
      // The broker writes the control record of a commit after it has answered.
      try wait(for: "the control record") {
        try ends.bounds(partition, within: .seconds(10)).upperBound == 4
      }
      try admin.deleteRecords([Position(partition, offset: 2)])
      #expect(try ends.bounds(partition, within: .seconds(10)) == 2..<4)
      try admin.deleteRecords([Position(partition, offset: nil)])
      #expect(try ends.bounds(partition, within: .seconds(10)) == 4..<4)
      try admin.deleteOffsets(of: bench.settings().group, [partition])
      #expect(
        try consumer.committed([partition], within: .seconds(10))
          == [Position(partition, offset: nil)])
    }
  }
}
