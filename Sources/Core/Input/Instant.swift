/// A length of time in milliseconds.
package typealias Milliseconds = Int64

/// A point in time, in milliseconds since the Unix epoch.
package struct Instant: BitwiseCopyable, Comparable, Hashable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z; any Int64.
  package var milliseconds: Int64

  /// Wraps a number of milliseconds since the Unix epoch.
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The earliest instant that can be written; also "never yet".
  package static let distantPast = Instant(milliseconds: .min)
  /// The latest instant that can be written; as a clock, "no limit".
  package static let distantFuture = Instant(milliseconds: .max)

  /// Whether this instant comes before another.
  package static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }

  /// The time from `earlier` to this instant in milliseconds, held inside Int64.
  package func millisecondsSince(_ earlier: Instant) -> Milliseconds {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    guard overflow else { return difference }
    return milliseconds > earlier.milliseconds ? .max : .min
  }

  /// This instant moved on by a number of milliseconds; nil where that lies beyond all time: what
  /// is to be then is never reached.
  package func later(byMilliseconds step: Milliseconds) -> Instant? {
    let (sum, overflow) = milliseconds.addingReportingOverflow(step)
    return overflow ? nil : Instant(milliseconds: sum)
  }

  /// This instant moved on by a number of milliseconds, held inside Int64: for a clock, not for
  /// what is to fall due.
  package func advanced(byMilliseconds step: Milliseconds) -> Instant {
    let (sum, overflow) = milliseconds.addingReportingOverflow(step)
    guard overflow else { return Instant(milliseconds: sum) }
    return step > 0 ? .distantFuture : .distantPast
  }
}
