import Glibc

/// A moment on the machine's own clock after which a call is given up.
struct Deadline {
  private let end: ContinuousClock.Instant

  init(after duration: Duration) {
    self.end = ContinuousClock.now + duration
  }

  var hasPassed: Bool { ContinuousClock.now >= end }

  /// What is left, at least 0.
  var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: end)) }

  /// The time for one of several attempts, in milliseconds: what is left, at most `slice`.
  func milliseconds(atMost slice: Duration) -> Int32 {
    min(remaining, slice).milliseconds
  }
}

extension Duration {
  /// Whole milliseconds, rounded up, from 0 to what fits.
  var milliseconds: Int32 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    guard seconds < 2_000_000 else { return 2_000_000_000 }
    let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(seconds * 1000 + part)
  }
}

/// Lets a broker come to itself between two attempts at a call.
func pause(_ duration: Duration) {
  usleep(UInt32(duration.milliseconds) * 1000)
}
