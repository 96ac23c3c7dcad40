import BrokerSupport
import Kafka
import Testing
import Worker

@testable import rollcall

extension Integration {
  /// Workers of another group on a pool's state.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct AnotherGroupTests {
    @Test("A static worker that ends for good keeps no place in the group; a takeover is told")
    func refusedThenMoved() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      let worker = try WorkerProcess(stage, instance: "1")
      try stage.play([.roster("a", "b"), .message(2, of: "a")])

      let other = "\(stage.group)-other"
      let stranger = try WorkerProcess(stage, instance: "2", ["--group", other], isStatic: true)
      #expect(try stranger.process.end(within: .seconds(60)) == ExitCode.configuration)
      let end = try #require(try stranger.lines("the worker cannot go on").first)
      #expect(end.text.contains("group_differs"))
      let admin = try Admin(stage.clients("admin"), notify: { _ in })
      #expect(try admin.memberCount(of: other) == 0)

      try stage.end([worker])
      let heir = try WorkerProcess(
        stage, instance: "3", ["--group", other, "--take-over-group", stage.group])
      try heir.awaitLine("partition taken over from another group")
      let line = try #require(try heir.lines("partition taken over from another group").first)
      #expect(line.numbers("partition") == [0])
      #expect(line.text.contains(#""from":"\#(stage.group)","group":"\#(other)""#))
      #expect(try heir.terminate() == ExitCode.done)
      try heir.restart()
      try heir.awaitLine("nothing to take over")
      #expect(try heir.terminate() == ExitCode.done)
      try stage.strike()
    }
  }
}
