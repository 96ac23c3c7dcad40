import BrokerSupport
import Foundation
import Testing

extension Integration {
  /// A minute of `ops/chaos`, which prints the command that repeats it.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct ChaosTests {
    @Test("Every message is announced exactly once, whatever is killed")
    func chaos() throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "rollcall-chaos-test-\(ProcessInfo.processInfo.processIdentifier)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
      let run = try Command.run(
        [
          "--duration", "1m", "--faults", "5", "--rate", "700", "--program",
          ChildProcess.program.path, "--without", "stranger", "--without", "backend", "--clock",
          "broker",
        ],
        of: Broker.root.appending(path: "ops/chaos"), in: folder, within: .seconds(900))
      tell(run.output)
      #expect(run.code == 0, "\(run.errors)")
    }
  }
}
