import BrokerSupport
import Core
import Foundation
import Kafka
import Testing

@testable import rollcall

extension Integration {
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct StartTests {
    @Test
    func `A worker waits for a broker that is away, says so, and works when it comes`() throws {
      let broker = try Broker()
      defer { broker.end() }
      let stage = try Stage(broker, partitions: 1)
      try broker.kill()
      let worker = try WorkerProcess(stage, instance: "1")
      try worker.awaitLine("waiting for Kafka", after: 1)
      let line = try worker.lines("waiting for Kafka")[0].text
      #expect(line.contains(broker.bootstrapServers))
      #expect(line.contains("Connection refused"))
      let idle = try WorkerProcess(stage, instance: "2")
      try idle.awaitLine("a connection to a broker failed")
      let sent = ContinuousClock.now
      #expect(try idle.terminate() == 0)
      #expect(ContinuousClock.now - sent < .seconds(2))
      try broker.start()
      try worker.awaitLine("partition restored", within: .seconds(60))
      try stage.end([worker])
      try stage.strike()
    }

    /// Joins the group under the instance id of a worker that has it, and goes without a word.
    private func takeId(_ instance: String, in stage: Stage) throws {
      let settings = try Settings(
        .init(
          bootstrapServers: stage.connection.bootstrapServers, group: stage.group,
          transactionalId: "rival", groupInstanceId: instance, clientId: "rival"))
      let rival = try Consumer(settings, notify: { _ in })
      try rival.subscribe([stage.connection.names[.messages]])
      try eventually("the rival is a member") {
        try rival.wait(for: [], timeout: .milliseconds(100)) != nil
      }
      rival.close(within: .seconds(5))
    }

    @Test("A static member whose id is taken after an outage joins again, as often as it happens")
    func outage() throws {
      let broker = try Broker()
      defer { broker.end() }
      let stage = try Stage(broker, partitions: 1)
      let worker = try WorkerProcess(stage, instance: "1", isStatic: true)
      try worker.awaitLine("partition restored")
      for round in 0..<2 {
        // Its own second request to join does the same, where the answer to the first is lost.
        try broker.paused { try worker.awaitLine("kafka client", after: round) }
        // One that comes before the worker is a member again takes nothing from it.
        try eventually("the worker joins again", within: .seconds(90)) {
          try takeId(memberId(of: worker), in: stage)
          return try worker.lines(Self.joinsAgain).count > round
        }
        try stage.write(stage.traffic(seed: UInt64(round), records: 20)[...])
        try Progress(stage).finish(within: .seconds(60))
      }
      try stage.end([worker])
      try stage.strike()
    }

    @Test("A static member whose id is taken without an outage joins again once, and then ends")
    func rival() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let worker = try WorkerProcess(stage, instance: "1", isStatic: true)
      try worker.awaitLine("partition restored")
      try takeId(memberId(of: worker), in: stage)
      try worker.awaitLine(Self.joinsAgain)
      try worker.awaitLine("partition restored", after: 1)
      try takeId(memberId(of: worker), in: stage)
      #expect(try worker.process.end(within: .seconds(30)) == 1)
      let line = try #require(try worker.lines("the worker cannot go on").last)
      #expect(line.text.contains("give every worker of the pool an --instance-id of its own"))
      try stage.strike()
    }

    private static let joinsAgain = "this worker's place in the group is taken; it joins again"

    private func memberId(of worker: WorkerProcess) -> String { worker.instance + "-0" }

    @Test(arguments: [true, false])
    func `Two workers of one id end with one sentence, as static members and as others`(
      isStatic: Bool
    ) throws {
      let stage = try Stage(Broker.shared(), partitions: 2)
      let first = try WorkerProcess(stage, instance: "twin", isStatic: isStatic)
      try first.awaitLine("partition restored")
      let second = try WorkerProcess(stage, instance: "twin", isStatic: isStatic)
      // Of many conversations, so that both have something to write.
      let records = stage.traffic(records: 60)[...]
      try eventually("an end", within: .seconds(90), every: .milliseconds(200)) {
        // Only who writes notices that another does.
        try stage.write(records)
        return !first.process.isRunning || !second.process.isRunning
      }
      let lines = try first.lines("the worker cannot go on")
      #expect(!lines.isEmpty)
      for line in lines {
        #expect(line.text.contains("give every worker of the pool an --instance-id of its own"))
        #expect(line.text.contains("this one's is twin"))
      }
      let log = try String(contentsOf: first.log, encoding: .utf8)
      #expect(!log.contains("FATAL"))
      try stage.strike()
    }
  }
}
