import Core

/// What the clocks show in a step.
struct StepTime {
  /// The time of day, which people and daemons set.
  var clock: Instant
  /// Milliseconds that pass evenly.
  var uptime: Int64
}
