import BrokerSupport
import Core
import Foundation
import Kafka
import Testing
import Worker

@testable import rollcall

extension Integration {
  /// Chat backends whose transactions, or timestamps, are not what the pool would like.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct UpstreamTests {
    private static let grace = Duration.seconds(3)

    @Test(arguments: [false, true])
    func `What comes in a transaction that is open for longer than the grace is announced`(
      isRestarted: Bool
    ) throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let worker = try WorkerProcess(stage, instance: "1", ["--grace", "3s"])
      try stage.play([.roster("a", "b")])
      let backend = try Backend(stage)
      try backend.add(.message(2, of: "a"))
      try stage.write([.message(3, of: "a"), .read(2, by: "b"), .read(3, by: "b")])
      let before = ContinuousClock.now
      try worker.awaitLine("an open transaction upstream holds a topic, and its partition, back")
      #expect(ContinuousClock.now > before + Self.grace + Self.grace)
      let line = try #require(
        try worker.lines("an open transaction upstream holds a topic, and its partition, back")
          .first)
      #expect(line.text.contains("\"topic\":\"\(stage.connection.names[.messages])\""))
      #expect(line.numbers("partition") == [0])
      #expect(line.numbers("stableOffset") == [1])
      #expect(line.numbers("end") == [3])
      if isRestarted {
        try worker.kill()
        try worker.restart()
        try worker.awaitLine("partition restored", after: 1)
      } else {
        try expectHeldBack(worker, stage)
      }
      try backend.producer.commit()
      try Progress(stage).finish(within: .seconds(30))
      try stage.end([worker])
      let verdict = try Verdict(stage, ["--grace", "3s"])
      verdict.expectRight(announced: 4)
      #expect(verdict.rejections == [:])
      #expect(try worker.lines("a topic is no longer held back").count == (isRestarted ? 0 : 1))
      try stage.strike()
    }

    /// An idle worker's line, each minute, tells what it waits for apart from what it has to do.
    private func expectHeldBack(_ worker: WorkerProcess, _ stage: Stage) throws {
      let lane = "\(stage.connection.names[.messages]) 0"
      try eventually("a working line with what is held back", within: .seconds(90)) {
        try worker.lines("working").contains {
          $0.text.contains(
            #""lagRecords":2,"conversations":1,"messages":1,"openMessages":0,"waitingRecords":0"#)
            && $0.text.contains(#""heldBackRecords":2,"heldBack":["\#(lane): 1 to 3 since "#)
        }
      }
    }

    @Test
    func `A transaction that is aborted leaves no trace, and what waits goes on waiting`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let worker = try WorkerProcess(stage, instance: "1", ["--grace", "20s"])
      try stage.play([.roster("a", "b"), .read(2, by: "b")])
      let backend = try Backend(stage)
      try backend.add(.message(2, of: "a"))
      try stage.write([.read(3, by: "b")])
      try worker.awaitLine("an open transaction upstream holds a topic, and its partition, back")
      try backend.producer.abort()
      try Progress(stage).finish(within: .seconds(30))
      try stage.play([.message(2, of: "a"), .message(3, of: "a")])
      try stage.end([worker])
      let verdict = try Verdict(stage, ["--grace", "20s"])
      verdict.expectRight(announced: 4)
      #expect(verdict.rejections == [:])
      try stage.strike()
    }

    @Test func `Timestamps that lie ten minutes behind use up no grace and no window`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1, timestamps: "CreateTime")
      let worker = try WorkerProcess(
        stage, instance: "1", ["--grace", "30s", "--tracking-window", "60s"])
      let old = Int64(Date().timeIntervalSince1970 * 1000) - 600_000
      func aged(_ records: [TimedRecord]) -> [TimedRecord] {
        records.map {
          var record = $0
          record.timestamp = old
          return record
        }
      }
      try stage.play(aged([.roster("a", "b"), .message(2, of: "a"), .read(3, by: "b")]))
      // More transactions than one: there was time for a tick.
      try stage.play(aged([.read(2, by: "b")]))
      try stage.play(aged([.message(3, of: "a")]))
      try stage.end([worker])
      let announced = try stage.read(.events)[0].flatMap { try $0.announcedIds() }
      #expect(announced == [2, 2, 3, 3])
      #expect(try stage.read(.rejected)[0].count == 0)
      #expect(try stage.read(.status)[0].allSatisfy { !$0.text.contains("EXPIRED") })
      try stage.strike()
    }
  }
}

/// A chat backend that writes in transactions.
struct Backend {
  let producer: Producer
  private let stage: Stage

  init(_ stage: Stage) throws {
    self.stage = stage
    var connection = stage.connection
    // As long as the tests want it to be open, and not as long as a worker would.
    connection.properties += [
      Property("transaction.timeout.ms", "120000"), Property("session.timeout.ms", "150000"),
      Property("max.poll.interval.ms", "200000"),
    ]
    let settings = try Settings.beside(connection, group: stage.group, purpose: "backend")
    producer = try Producer(settings, within: .seconds(30), notify: { _ in })
  }

  /// Writes a record in the transaction and waits until it lies in its topic, unseen.
  func add(_ record: TimedRecord) throws {
    let partition = stage.name(Topic(record.topic), record.partition)
    let ends = try PartitionEnds(stage.clients("ends"), notify: { _ in })
    let before = try ends.bounds(partition, within: .seconds(10)).upperBound
    let topic = try producer.topic(partition.topic, within: .seconds(10))
    try producer.produce(
      topic, partition: record.partition, key: record.key?.span, value: record.value?.span)
    try eventually("the record of an open transaction") {
      try ends.bounds(partition, within: .seconds(10)).upperBound > before
    }
  }
}

extension TimedRecord {
  private static var seconds: Int { Int(Date().timeIntervalSince1970) }

  static func roster(_ members: String...) -> TimedRecord {
    let uids = members.map { #"{"uid":"\#($0)"}"# }.joined(separator: ",")
    return TimedRecord(
      .messages, key: "group_g",
      #"""
      {"id":1,"category":"action","type":"groupMember","action":"roster","actionBy":{"uid":"a"},\#
      "actionOn":[\#(uids)],"receiverId":"g","receiverType":"group","sentAt":\#(seconds)}
      """#)
  }

  static func message(_ id: Int, of uid: String) -> TimedRecord {
    TimedRecord(
      .messages, key: "group_g",
      #"""
      {"id":\#(id),"sender":{"uid":"\#(uid)"},"receiverId":"g","receiverType":"group",\#
      "category":"message","sentAt":\#(seconds)}
      """#)
  }

  static func read(_ id: Int, by uid: String) -> TimedRecord {
    TimedRecord(
      .receipts, key: "group_g",
      #"""
      {"receiptType":"read","messageId":\#(id),"sender":{"uid":"\#(uid)"},"receiverId":"g",\#
      "receiverType":"group","readAt":\#(seconds)}
      """#)
  }
}
