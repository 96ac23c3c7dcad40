import BrokerSupport
import Testing

@testable import rollcall

extension Integration {
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct SilentBrokerTests {
    @Test
    func `A worker whose broker is silent ends within ten seconds, and nothing is lost`() throws {
      let broker = try Broker(settings: Broker.pausable)
      defer { broker.end() }
      let stage = try Stage(broker, partitions: 2)
      let traffic = stage.traffic(records: 2000)
      let middle = traffic.count / 2
      let first = try WorkerProcess(stage, instance: "1")
      try stage.play(traffic[..<middle])
      // What is read but perhaps not committed when the broker falls silent.
      try stage.write(traffic[middle...])
      let code = try broker.paused { try first.terminate() }
      #expect(code == 0)

      let second = try WorkerProcess(stage, instance: "1")
      try Progress(stage).finish(within: .seconds(120))
      try stage.end([second])
      try Verdict(stage).expectRight(announced: 100)
      try stage.strike()
    }
  }
}
