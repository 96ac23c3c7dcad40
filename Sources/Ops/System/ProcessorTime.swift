import Glibc

/// How much work the process has cost.
package enum ProcessorTime {
  /// The time that all its threads have run, in milliseconds.
  package static var milliseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
