import BrokerSupport
import Foundation
import Testing

@testable import rollcall

extension Integration {
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct StartTests {
    @Test("A worker waits for a broker that is away, says so, and works when it comes")
    func away() throws {
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

    @Test("A static member outlasts brokers that stand still for longer than its session")
    func outage() throws {
      let broker = try Broker()
      defer { broker.end() }
      let stage = try Stage(broker, partitions: 2)
      let workers = try ["1", "2"].map {
        try WorkerProcess(stage, instance: $0, isStatic: true)
      }
      for worker in workers { try worker.awaitLine("partition restored") }
      for length in [12, 12] {
        try broker.paused { Thread.sleep(forTimeInterval: Double(length)) }
        try stage.write(stage.traffic(seed: UInt64(length), records: 20)[...])
        try Progress(stage).finish(within: .seconds(60))
        #expect(workers.allSatisfy { $0.process.isRunning })
      }
      for worker in workers { print(try worker.lines("joins again")) }
      try stage.end(workers)
      try stage.strike()
    }

    @Test(
      "Two workers of one id end with one sentence, as static members and as others",
      arguments: [true, false])
    func twins(isStatic: Bool) throws {
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
