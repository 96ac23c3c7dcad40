import Glibc

/// Lets time pass: for what keeps a pace, never for what waits for something.
package enum Pause {
  /// Blocks the thread until then; at once when it is past.
  package static func until(_ end: ContinuousClock.Instant) {
    while true {
      let (seconds, attoseconds) = ContinuousClock.now.duration(to: end).components
      guard seconds >= 0, attoseconds >= 0, (seconds, attoseconds) != (0, 0) else { return }
      var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
      // A signal ends it early: then it is asked again how long.
      unsafe nanosleep(&rest, nil)
    }
  }
}
