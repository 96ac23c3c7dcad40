import Foundation
import Testing

extension Integration {
  @Suite struct EarlySignalTests {
    @Test func `A SIGTERM that comes while a worker starts is not lost`() throws {
      let log = FileManager.default.temporaryDirectory.appending(
        path: "rollcall-early-\(ProcessInfo.processInfo.processIdentifier).log")
      var workers: [ChildProcess] = []
      for step in 0..<60 {
        // Nothing listens at port 1: the start takes longer than the ten seconds.
        let worker = try ChildProcess(
          ["worker", "--bootstrap-servers", "127.0.0.1:1"], output: log, errors: log)
        rest(.microseconds(4000 + 600 * step))
        worker.send(SIGTERM)
        workers.append(worker)
      }
      for worker in workers {
        let code = try worker.end(within: .seconds(15))
        // Before the signals are taken it ends the process as any other.
        #expect(code == 0 || code == 128 + SIGTERM)
      }
      try FileManager.default.removeItem(at: log)
    }
  }
}
