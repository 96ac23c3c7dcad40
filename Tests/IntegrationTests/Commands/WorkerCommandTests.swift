import BrokerSupport
import Core
import Foundation
import Kafka
import Lab
import Testing
import Worker

@testable import rollcall

extension Integration {
  @Suite struct WorkerCommandTests {
    /// Runs a worker that must not start; what it logs as the problem and its remedy.
    private func refusal(_ stage: Stage, _ options: [String] = []) throws -> Command {
      let command = try stage.run(["worker"] + options)
      #expect(command.code == 78)
      #expect(command.errors.contains("the worker cannot start"))
      try stage.strike()
      return command
    }

    @Test func `A missing topic is named, with the command that creates it`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1) { topic, _ in topic != .status }
      let refusal = try refusal(stage)
      #expect(refusal.errors.contains("\(stage.connection.names[.status]) is missing"))
      #expect(refusal.errors.contains("rollcall topics apply"))
      #expect(!refusal.errors.contains("\(stage.connection.names[.events]) is missing"))
    }

    @Test func `Partition counts that differ are named, each with its topic`() throws {
      let stage = try Stage(Broker.shared(), partitions: 2) { topic, new in
        if topic == .receipts { new.partitions = 3 }
        return true
      }
      let refusal = try refusal(stage)
      #expect(refusal.errors.contains("\(stage.connection.names[.receipts]) has 3"))
      #expect(refusal.errors.contains("\(stage.connection.names[.messages]) has 2"))
    }

    @Test
    func `A changelog that is not compacted is refused, with the command that mends it`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1) { topic, new in
        if topic == .state {
          new.configuration.removeAll { $0.name == "cleanup.policy" }
          new.configuration.append(Property("cleanup.policy", "delete"))
        }
        return true
      }
      let refusal = try refusal(stage)
      #expect(refusal.errors.contains(stage.connection.names[.state]))
      #expect(refusal.errors.contains("cleanup.policy=compact"))
    }

    @Test func `An input that is compacted is refused, by the check and by a worker`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1) { topic, new in
        if topic == .receipts {
          new.configuration.removeAll { $0.name == "cleanup.policy" }
          new.configuration.append(Property("cleanup.policy", "compact"))
        }
        return true
      }
      let name = stage.connection.names[.receipts]
      let check = try stage.run(["topics", "check"])
      #expect(check.code == 1)
      #expect(check.output.contains("\(name): cleanup.policy is compact, not delete"))
      // The broker has one node.
      #expect(check.errors.contains("a single copy (replication factor 1)"))
      let refusal = try refusal(stage)
      #expect(refusal.errors.contains("\(name): cleanup.policy is compact, not delete"))
      #expect(refusal.errors.contains("--add-config cleanup.policy=delete"))
    }

    @Test func `A worker whose log has no reader goes on, and ends well`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let process = Process()
      let errors = Pipe()
      process.executableURL = ChildProcess.program
      process.arguments =
        ["worker"] + stage.options + ["--group", stage.group, "--static-membership", "false"]
      process.standardError = errors
      try errors.fileHandleForReading.close()
      try process.run()
      try stage.play(stage.traffic(records: 200))
      #expect(process.isRunning)
      process.terminate()
      process.waitUntilExit()
      #expect(process.terminationReason == .exit)
      #expect(process.terminationStatus == 0)
      try stage.strike()
    }

    @Test func `A member that the group has nothing for says that it stands by`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let worker = try WorkerProcess(stage, instance: "1", ["--shards", "2"])
      try worker.awaitLine("standing by: other members have all partitions")
      try worker.awaitLine("joined the group", after: 1)
      try stage.end([worker])
      #expect(try worker.lines("joined the group").count == 2)
      try stage.strike()
    }

    @Test func `Another setting that differs is one warning, and the worker runs`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1, timestamps: "CreateTime")
      let worker = try WorkerProcess(stage, instance: "1")
      try worker.awaitLine("partition restored")
      try stage.end([worker])
      let warnings = try worker.lines("a topic's setting is not the contract's")
      let ofMessages = warnings.filter {
        $0.text.contains("\"\(stage.connection.names[.messages])\"")
          && $0.text.contains("message.timestamp.type")
      }
      #expect(ofMessages.count == 1)
      #expect(ofMessages.first?.text.contains("\"found\":\"CreateTime\"") == true)
      #expect(ofMessages.first?.text.contains("\"contract\":\"LogAppendTime\"") == true)
      #expect(try worker.lines("configuration").count == 1)
      try stage.strike()
    }

    @Test("Topics that rollcall topics applies are what it checks, and enough for a worker")
    func topics() throws {
      let stage = try Stage(Broker.shared(), partitions: 2) { _, _ in false }
      let missing = try stage.run(["topics", "check"])
      #expect(missing.code == 1)
      let apply = try stage.run(["topics", "apply", "--partitions", "2"])
      #expect(apply.code == 0)
      #expect(try stage.run(["topics", "check"]).code == 0)
      let worker = try WorkerProcess(stage, instance: "1")
      try worker.awaitLine("partition restored", after: 1)
      try stage.end([worker])
      try stage.strike()
    }

    @Test
    func `A record that an operator skips is rejected unread, and the others are applied`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let message = { (id: Int) in
        """
        {"id":\(id),"sender":{"uid":"u1"},"receiverId":"g1","receiverType":"group",\
        "category":"message","sentAt":1735689600}
        """
      }
      let worker = try WorkerProcess(
        stage, instance: "1",
        ["1", "77"].flatMap { ["--skip", "\(stage.connection.names[.messages]):0:\($0)"] }
          + ["--skip", "chat.receipts:99:1"])
      try stage.play((1...3).map { TimedRecord(.messages, key: "group_g1", message($0)) })
      try stage.end([worker])
      let rejected = try stage.read(.rejected, headers: ["error.code", "source.offset"])[0]
      #expect(rejected.map(\.headers) == [["ERR_SKIPPED", "1"]])
      #expect(rejected.first?.text == message(2))
      let statuses = try stage.read(.status)[0].map {
        String(decoding: $0.key ?? [], as: UTF8.self)
      }
      #expect(statuses == ["group_g1#1", "group_g1#3"])
      let unused = try worker.lines("a --skip says nothing")
      #expect(
        unused.map { $0.numbers("partition") + $0.numbers("offset") } == [[99, 1], [0, 77]])
      try stage.strike()
    }

    @Test("With a broker that hangs the first signal ends a worker in ten seconds, two at once")
    func signals() throws {
      let broker = try Broker(settings: Broker.pausable)
      defer { broker.end() }
      let stage = try Stage(broker, partitions: 2)
      let workers = try ["patient", "hurried"].map { try WorkerProcess(stage, instance: $0) }
      try workers[0].awaitLine("partition restored")
      try workers[1].awaitLine("partition restored")
      try broker.paused {
        for worker in workers {
          worker.process.send(SIGTERM)
          try worker.awaitLine("ending: finishing transactions and leaving the group")
        }
        workers[1].process.send(SIGTERM)
        #expect(try workers[1].process.end(within: .seconds(1)) == 128 + SIGTERM)
        #expect(try [0, 1].contains(workers[0].process.end(within: .seconds(10))))
      }
      try stage.strike()
    }
  }
}
