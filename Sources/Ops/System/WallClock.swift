import Glibc

/// The time of day.
package enum WallClock {
  /// Milliseconds since the Unix epoch.
  package static var milliseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Milliseconds since the machine was started, those in which it slept included.
  ///
  /// They pass evenly, whatever the time of day is set to.
  package static var uptimeMilliseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// A time as RFC 3339 writes it, in UTC, to the millisecond.
  package static func text(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    let date = unsafe [
      padded(parts.tm_year + 1900, 4), padded(parts.tm_mon + 1), padded(parts.tm_mday),
    ]
    let time = unsafe [padded(parts.tm_hour), padded(parts.tm_min), padded(parts.tm_sec)]
    return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "."
      + padded(Int32(milliseconds % 1000), 3) + "Z"
  }

  private static func padded(_ number: Int32, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
