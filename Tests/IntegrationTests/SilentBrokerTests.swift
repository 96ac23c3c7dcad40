import BrokerSupport
import Lab
import Testing

@testable import rollcall

extension Integration {
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct SilentBrokerTests {
    @Test("A worker whose broker is silent ends within ten seconds, and nothing is lost")
    func termination() throws {
      let broker = try Broker(settings: Broker.pausable)
      let stage = try Stage(broker, partitions: 2)
      let traffic = ExampleTraffic.small()
      let middle = traffic.records.count / 2
      let first = try WorkerProcess(stage, instance: "1")
      try stage.play(Array(traffic.records[..<middle]))
      // What is read but perhaps not committed when the broker falls silent.
      try stage.write(Array(traffic.records[middle...]))
      let code = try broker.paused { try first.terminate() }
      #expect(code == 0)

      let second = try WorkerProcess(stage, instance: "1")
      try Progress(stage).finish(within: .seconds(120))
      try stage.end([second])
      var verdict = Verdict(stage)
      try verdict.checkAnnouncements(traffic.expected)
      try verdict.checkState()
      try stage.strike()
    }
  }
}
