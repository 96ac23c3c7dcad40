import Core

/// Stream time of a partition that is read to its end goes on with the time that passes. While an
/// open transaction holds a lane of it back it stands still.
extension Worker {
  /// A clock that is off by this much was set, in milliseconds; less is what clocks drift and
  /// daemons correct.
  private static var leastJump: UInt64 { 1000 }
  /// A worker that did no step for this long was stopped, in milliseconds.
  private static var leastPause: Int64 { 500 }
  /// A standstill of stream time of this length is saved at once, in milliseconds: a restart counts
  /// no more of it than that as passed.
  private static var savedStandstill: Int64 { 5000 }

  /// Begins a step.
  ///
  /// A clock that was set moves no stream time: the distance to the clock is changed by as much.
  ///
  /// - Returns: the milliseconds since the step before.
  func begin(_ time: StepTime) -> Int64 {
    defer { self.time = time }
    guard let former = self.time else { return 0 }
    let elapsed = max(0, time.uptime - former.uptime)
    if elapsed >= Self.leastPause { doubtInputs() }
    let jump = time.clock.millisecondsSince(former.clock.advanced(byMilliseconds: elapsed))
    guard jump.magnitude >= Self.leastJump else { return elapsed }
    for partition in partitions + aside {
      partition.addToClockDistance(jump)
    }
    report.occurrences.append(.clockSet(milliseconds: jump))
    return elapsed
  }

  /// Lets the time pass that a partition was idle for up to this step.
  ///
  /// What comes now has come since the last step: its ends were read then. After a pause nobody
  /// knows, and no more counts as passed than up to there.
  func letPass(_ partition: Partition<Log>) {
    guard let time, let caughtUpAt = partition.caughtUpAt else { return }
    partition.caughtUpAt = nil
    if time.uptime - caughtUpAt < Self.leastPause { partition.noteRead(clock: time.clock) }
  }

  /// Lets stream time of a partition stand still while time passes.
  func standStill(_ partition: Partition<Log>, _ now: Instant, _ elapsed: Int64) {
    partition.beginCounting(clock: now)
    partition.addToClockDistance(elapsed)
    partition.unsavedStandstill += elapsed
    // A transaction takes it along.
    if partition.unsavedStandstill >= Self.savedStandstill { begin(partition, now) }
  }
}

extension Partition {
  /// Where the clock takes stream time while nothing is applied; nil where there is none yet.
  func streamTime(at clock: Instant) -> Instant? {
    guard machine.streamTime != nil, let clockDistance else { return nil }
    return Instant(milliseconds: clock.millisecondsSince(Instant(milliseconds: clockDistance)))
  }

  /// Notes that the three inputs are read to their ends: time has passed up to here.
  func noteRead(clock: Instant) { passedTime = streamTime(at: clock) }

  /// Notes how far the clock is ahead of stream time, now that a record is applied: records that
  /// carry no times, or old ones, use up no grace and no window.
  func noteApplied(clock: Instant) {
    clockDistance = machine.streamTime.map { clock.millisecondsSince($0) }
    unsavedStandstill = 0
  }

  func addToClockDistance(_ step: Int64) {
    clockDistance = clockDistance.map {
      Instant(milliseconds: $0).advanced(byMilliseconds: step).milliseconds
    }
  }

  /// Has time pass from here on where it is not known how far stream time was from the clock: the
  /// state is of version 0.1.0.
  func beginCounting(clock: Instant) {
    if clockDistance == nil { noteApplied(clock: clock) }
  }
}
