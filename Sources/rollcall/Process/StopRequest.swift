import Core
import Dispatch
import Kafka
import Ops
import Synchronization
import Worker

/// Whether a stop is requested, and the code to end with; shards and signals share it.
final class StopRequest: Sendable {
  private let isWanted = Atomic(false)
  private let exitCode = Atomic<Int32>(ExitCode.done)
  private let semaphore = DispatchSemaphore(value: 0)

  /// Whether to end.
  var isRequested: Bool { isWanted.load(ordering: .acquiring) }
  /// The code to end with.
  var code: Int32 { exitCode.load(ordering: .acquiring) }

  /// Asks all shards to end; the first code that is not 0 stands.
  func request(code: Int32 = ExitCode.done) {
    _ = exitCode.compareExchange(
      expected: ExitCode.done, desired: code, ordering: .acquiringAndReleasing)
    isWanted.store(true, ordering: .releasing)
    semaphore.signal()
  }

  /// Waits until a stop is requested or the time is over.
  func wait(milliseconds: Int) {
    guard !isRequested else { return }
    if semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success {
      // The next one waits for the same request.
      semaphore.signal()
    }
  }
}
