import Core

/// For how long partitions are idle and read to their ends, by what a worker is given: so much must
/// stream time have gone on before what comes next.
struct SimulationIdleness {
  private struct Partition {
    /// Milliseconds since the last record.
    var passed: Int64 = 0
    /// The last step after which nothing was left to be read, if it was the last of all.
    var idleAt: Instant?
  }

  private var partitions: [Int32: Partition] = [:]

  /// A step is over; whether all inputs of a partition are read to their ends.
  mutating func end(_ partition: Int32, isRead: Bool, _ now: Instant) {
    var found = partitions[partition] ?? Partition()
    if isRead, let idleAt = found.idleAt { found.passed += now.millisecondsSince(idleAt) }
    found.idleAt = isRead ? now : nil
    partitions[partition] = found
  }

  /// A record of a partition is applied.
  ///
  /// - Returns: for how many milliseconds the partition was idle before.
  mutating func take(_ partition: Int32) -> Int64 {
    partitions.updateValue(Partition(), forKey: partition)?.passed ?? 0
  }

  /// The worker begins to read anew.
  mutating func forget() { partitions = [:] }
}
