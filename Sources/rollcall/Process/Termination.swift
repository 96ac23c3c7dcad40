import Dispatch
import Glibc
import Synchronization

/// What SIGTERM and SIGINT do: the first asks the process to end well, the second ends it at once.
final class Termination {
  private let sources: [any DispatchSourceSignal]

  /// Takes the signals from now on, as long as this lives.
  ///
  /// - Parameters:
  ///   - patience: how long the process may take to end well, in milliseconds; then it is ended.
  ///   - overdue: called then; says what the process exits with.
  ///   - first: called at the first signal, on another thread; what the process exits with at
  ///     once, nil where there is something to end well.
  init(
    patience: Int, overdue: @escaping @Sendable () -> Int32,
    first: @escaping @Sendable () -> Int32?
  ) {
    // Blocked, not ignored: one that comes before its source listens stays pending and is not lost.
    // Threads that begin later inherit it.
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, SIGTERM)
    unsafe sigaddset(&blocked, SIGINT)
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)
    let queue = DispatchQueue(label: "rollcall.signals")
    let count = SignalCount()
    sources = [SIGTERM, SIGINT].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        // A process that dies in the middle of anything loses nothing: that is what exactly-once
        // is made for.
        guard count.raise() == 1 else { _exit(128 + number) }
        if let code = first() { _exit(code) }
        queue.asyncAfter(deadline: .now() + .milliseconds(patience)) {
          _exit(overdue())
        }
      }
      source.activate()
      return source
    }
  }

  /// The same where the first signal asks for an end, and nothing is over at once.
  convenience init(
    asking stop: StopRequest, patience: Int, overdue: @escaping @Sendable () -> Int32
  ) {
    self.init(
      patience: patience, overdue: overdue,
      first: {
        stop.request()
        return nil
      })
  }

  deinit {
    for source in sources { source.cancel() }
  }
}

/// Counts the signals.
private final class SignalCount: Sendable {
  private let count = Atomic(0)

  func raise() -> Int { count.add(1, ordering: .relaxed).newValue }
}
