import BrokerSupport
import Core
import Foundation
import Kafka
import Lab
import Testing
import Wire
import Worker

@testable import rollcall

extension Integration {
  /// `rollcall topics` on a broker.
  @Suite struct TopicsTests {
    @Test("apply creates what is missing and leaves alone what is there, check tells differences")
    func applyAndCheck() throws {
      let broker = try Broker.shared()
      let prefix = "\(Broker.name("topics"))."
      let folder = FileManager.default.temporaryDirectory.appending(
        path: prefix + UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let topics = { (arguments: [String]) in
        try Command.run(
          ["topics"] + arguments
            + ["--bootstrap-servers", broker.bootstrapServers, "--topic-prefix", prefix],
          in: folder)
      }
      var result = try topics(["check"])
      #expect(result.code == ExitCode.failed)
      #expect(result.output.contains("\(prefix)chat.messages is missing\n"))
      result = try topics(["apply", "--partitions", "3"])
      #expect(result.code == ExitCode.done)
      #expect(result.output.contains("created \(prefix)rollcall.state with 3 partitions\n"))
      #expect(result.output.hasSuffix("8 topics created, 0 were there\n"))
      result = try topics(["apply"])
      #expect(result.code == ExitCode.done)
      #expect(result.output == "0 topics created, 8 were there\n")
      result = try topics(["check"])
      #expect(result.code == ExitCode.done)
      #expect(result.output == "all 8 topics are as the contract says\n")
      result = try topics(["check", "--partitions", "4"])
      #expect(result.code == ExitCode.failed)
      #expect(result.output.contains("\(prefix)chat.status has 3 partitions, not 4\n"))
      // A topic under another name, and with what another topic should be.
      result = try topics(["check", "--topic", "rollcall.state=\(prefix)chat.events"])
      #expect(result.code == ExitCode.failed)
      #expect(
        result.output.contains("\(prefix)chat.events: cleanup.policy is delete, not compact\n"))
      try FileManager.default.removeItem(at: folder)
    }

    @Test("reset-state refuses under a live pool, then takes one partition back to its beginning")
    func resetState() throws {
      let stage = try Stage(Broker.shared(), partitions: 2)
      try stage.write(stage.traffic(records: 400) { $0.largestGroup = 8 })
      let worker = try WorkerProcess(stage, instance: "reset")
      try Progress(stage).finish(within: .seconds(60))
      let once = try announcements(of: stage)
      #expect(once.allSatisfy { !$0.isEmpty })

      let reset = {
        try stage.run([
          "topics", "reset-state", "--partition", "1", "--yes", "--group", stage.group,
        ])
      }
      var result = try reset()
      #expect(result.code == ExitCode.failed)
      #expect(result.errors.contains("1 live members"))
      #expect(try worker.terminate() == ExitCode.done)
      try becomeFirstVersion(stage, partition: 1)
      try expectRefusal(stage, partition: 1)
      result = try reset()
      #expect(result.code == ExitCode.done)
      #expect(result.output.contains("holds \(once[1].count) events of this partition"))
      try expectOwner(stage)

      try worker.restart()
      try eventually("the partition is applied again") {
        try announcements(of: stage)[1].count >= 2 * once[1].count
      }
      #expect(try worker.terminate() == ExitCode.done)
      // The other partition is as it was; this one has announced everything again, by the old ids.
      let twice = try announcements(of: stage)
      #expect(twice[0] == once[0])
      #expect(twice[1].count == 2 * once[1].count)
      #expect(Set(twice[1]) == Set(once[1]))
      try stage.strike()
    }

    /// Has a changelog end with what Rollcall 0.1.0 would have written.
    private func becomeFirstVersion(_ stage: Stage, partition: Int32) throws {
      let last = try #require(
        try stage.read(.state)[Int(partition)].last {
          $0.key.map { StateCodec.isPartition(key: $0.span) } ?? false
        })
      let known = try #require(try PartitionRecord(key: last.key?.span, value: last.value?.span))
      let first = PartitionRecord(
        version: known.version, writer: known.writer, nextOffsets: known.nextOffsets,
        streamTime: known.streamTime, nextTicket: known.nextTicket, threads: known.threads,
        partitionCount: known.partitionCount)
      var records = EncodedRecords()
      StateCodec.encode(first, into: &records)
      // Version 1 is what version 2 has without what may be absent: flags and eleven empty fields.
      let bytes = records.bytes[try #require(records.records[0].value)]
      let value = [1] + bytes.dropFirst().dropLast(11)
      let producer = try PlainProducer(stage.clients("first"), notify: { _ in })
      let topic = try producer.topic(stage.connection.names[.state], within: .seconds(30))
      try producer.produce(
        topic, partition: partition, key: last.key?.span, value: value.span, timestamp: 0,
        within: .seconds(10))
      try producer.flush(within: .seconds(30))
    }

    /// A state that names no group is not for one that has committed nothing of it.
    private func expectRefusal(_ stage: Stage, partition: Int32) throws {
      for verb in ["reset-state", "accept-loss"] {
        let result = try stage.run([
          "topics", verb, "--partition", "\(partition)", "--yes", "--group", "another",
        ])
        #expect(result.code == ExitCode.configuration)
        #expect(
          result.errors.contains(
            "the state of partition \(partition) names no group (Rollcall 0.1.0 wrote it), and "
              + "group another has committed nothing of it"))
      }
    }

    /// `check` and `apply` warn whoever looks at the state for another group.
    private func expectOwner(_ stage: Stage) throws {
      for verb in ["check", "apply"] {
        let own = try stage.run(["topics", verb, "--group", stage.group])
        #expect(!own.errors.contains("has the state of group"))
        let other = try stage.run(["topics", verb, "--group", "another"])
        #expect(other.code == own.code)
        #expect(
          other.errors.contains(
            "rollcall.state has the state of group \(stage.group), not another, in partition 0: "))
      }
    }

    /// The ids of the announcements that each partition's events hold.
    private func announcements(of stage: Stage) throws -> [[String]] {
      try stage.read(.events).map { records in
        try records.filter { try !$0.announcedIds().isEmpty }.map {
          String($0.text.split(separator: "\"")[7])
        }
      }
    }
  }
}
