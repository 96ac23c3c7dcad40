import BrokerSupport
import Foundation
import Testing

extension Integration {
  /// A minute of `ops/chaos`, which prints the command that repeats it, and the acts of
  /// `ops/mishaps`.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct ChaosTests {
    @Test func `Every message is announced exactly once, whatever is killed`() throws {
      try play(
        "chaos", ["--duration", "1m", "--faults", "5", "--rate", "700"], within: .seconds(900))
    }

    @Test func `Operators' mistakes are named, and lose and double nothing`() throws {
      try play("mishaps", ["--jobs", "6"], within: .seconds(600))
    }

    private func play(_ script: String, _ options: [String], within limit: Duration) throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "rollcall-\(script)-test-\(ProcessInfo.processInfo.processIdentifier)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
      let run = try Command.run(
        options + ["--program", ChildProcess.program.path],
        of: Broker.root.appending(path: "ops/\(script)"), in: folder, within: limit)
      tell(run.output)
      #expect(run.code == 0, "\(run.errors)")
    }
  }
}
