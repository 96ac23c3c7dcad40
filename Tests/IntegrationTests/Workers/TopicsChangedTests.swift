import BrokerSupport
import Core
import Foundation
import Kafka
import Testing
import Worker

@testable import rollcall

extension Integration {
  /// Topics that are changed under a running pool.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct TopicsChangedTests {
    private static let shortRefresh = ["--kafka", "topic.metadata.refresh.interval.ms=1000"]

    @Test(arguments: [Topic.messages, .receipts])
    func `Partitions that are added while a worker runs end it, with each topic and its count`(
      topic: Topic
    ) throws {
      let stage = try Stage(Broker.shared(), partitions: 2)
      let worker = try WorkerProcess(stage, instance: "1", Self.shortRefresh)
      try stage.play([.roster("a", "b")])
      try stage.alter(topic, "--alter", "--partitions", "3")
      // The group is given more partitions, or the worker's look once a minute finds it.
      #expect(try worker.process.end(within: .seconds(90)) == 78)
      let last = try #require(try worker.lines("the worker cannot go on").last)
      #expect(last.text.contains("partition_count_changed"))
      for other in Topic.allCases {
        let count = other == topic ? 3 : 2
        #expect(last.text.contains("\(stage.connection.names[other]) has \(count)"))
      }
      #expect(
        try worker.lines("partitions taken").allSatisfy { !$0.numbers("partitions").contains(2) })
      try stage.strike()
    }

    @Test("Records that are deleted unread under a running worker stop their partition, no other")
    func gap() throws {
      let stage = try Stage(Broker.shared(), partitions: 2)
      let worker = try WorkerProcess(stage, instance: "1")
      try stage.play([.roster("a", "b"), .roster("a", "b").in(1)])
      worker.process.send(SIGSTOP)
      // The fetch that it waits for takes the first record that comes, and no other.
      try stage.write([.message(2, of: "a")])
      try stage.write([.read(2, by: "b"), .read(2, by: "b")])
      let receipts = stage.name(.receipts, 0)
      try Admin(stage.clients("admin"), notify: { _ in }).deleteRecords([
        Position(receipts, offset: 1)
      ])
      worker.process.send(SIGCONT)
      try worker.awaitLine("partition stopped")
      let stopped = try #require(try worker.lines("partition stopped").first)
      #expect(stopped.numbers("partition") == [0])
      #expect(stopped.text.contains("offset_below_start"))
      try stage.write([.message(2, of: "a").in(1), .read(2, by: "b").in(1)])
      try eventually("the other partition goes on") {
        try stage.read(.events)[1].flatMap { try $0.announcedIds() } == [2, 2]
      }
      #expect(try stage.read(.events)[0].isEmpty)
      #expect(try worker.lines("partition stopped").count == 1)
      try stage.end([worker])
      try stage.strike()
    }

    @Test(arguments: [Topic.events, .rejected])
    func `A topic that is deleted while a worker runs is named, and made anew it goes on`(
      topic: Topic
    ) throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let worker = try WorkerProcess(stage, instance: "1", Self.shortRefresh)
      try stage.play([.roster("a", "b")])
      try stage.alter(topic, "--delete")
      try stage.write([.message(2, of: "a"), .read(2, by: "b")])
      if topic == .rejected {
        // Something has to be written there, or it is noticed within a minute.
        try stage.write([TimedRecord(.receipts, key: "group_g", "no JSON")])
      }
      let message = "a topic is missing; nothing is applied until it is there again"
      try worker.awaitLine(message, within: .seconds(90))
      let line = try #require(try worker.lines(message).first)
      #expect(line.text.contains("\"level\":\"error\""))
      #expect(line.text.contains("\"topic\":\"\(stage.connection.names[topic])\""))
      #expect(line.text.contains("rollcall topics apply"))
      try Admin(stage.clients("admin"), notify: { _ in }).create([
        Admin.NewTopic(name: stage.connection.names[topic], partitions: 1, replicationFactor: -1)
      ])
      try Progress(stage).finish(within: .seconds(60))
      try worker.awaitLine("the topics that were missing are there again")
      #expect(try stage.read(.events)[0].flatMap { try $0.announcedIds() } == [2, 2])
      try stage.end([worker])
      try stage.strike()
    }

    @Test("A changelog that is deleted while a worker runs is named; made anew its partition stops")
    func changelog() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let worker = try WorkerProcess(
        stage, instance: "1", Self.shortRefresh + WorkerProcess.shortTimeouts)
      try stage.play([.roster("a", "b")])
      try stage.alter(.state, "--delete")
      try stage.write([.message(2, of: "a"), .read(2, by: "b")])
      let message = "a topic is missing; nothing is applied until it is there again"
      try worker.awaitLine(message, within: .seconds(90))
      let line = try #require(try worker.lines(message).first)
      #expect(line.text.contains("\"topic\":\"\(stage.connection.names[.state])\""))
      try Admin(stage.clients("admin"), notify: { _ in }).create([
        Admin.NewTopic(
          name: stage.connection.names[.state], partitions: 1, replicationFactor: -1,
          configuration: [Property("cleanup.policy", "compact")])
      ])
      try worker.awaitLine("partition stopped", within: .seconds(60))
      #expect(
        try worker.lines("partition stopped").first?.text.contains("offset_without_state") == true)
      try stage.end([worker])
      try stage.strike()
    }
  }
}

extension Stage {
  /// Has Kafka's own tool change a topic.
  fileprivate func alter(_ topic: Topic, _ options: String...) throws {
    try broker.run(
      tool: "org.apache.kafka.tools.TopicCommand",
      ["--bootstrap-server", connection.bootstrapServers, "--topic", connection.names[topic]]
        + options)
  }
}

extension TimedRecord {
  /// The same in another partition.
  fileprivate func `in`(_ partition: Int32) -> TimedRecord {
    var record = self
    record.partition = partition
    return record
  }
}
