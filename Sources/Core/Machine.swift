/// The state machine of one partition: events in, outputs and changes of state out.
///
/// It is pure and deterministic: no I/O, clock, thread or random number. Time enters by the
/// timestamps of the records and by ticks.
package struct Machine {
  /// The partition it decides for.
  package let partition: Int32
  /// The options in force.
  package let rules: Rules
  /// The newest timestamp applied; nil before the first.
  package private(set) var streamTime: Instant?
  /// The number of the next record that will have to wait.
  package private(set) var nextTicket: Int64 = 0

  /// A machine without any state.
  package init(partition: Int32, rules: Rules) {
    self.partition = partition
    self.rules = rules
  }

  /// Applies one decoded record and adds what it causes to `outputs`.
  ///
  /// - Parameters:
  ///   - key: the record's key; for a good record its conversation id.
  ///   - value: the record's value.
  ///   - clock: stream time moves on at most to here (in `replay`: `distantFuture`).
  package mutating func apply(
    _ event: borrowing Event, key: Span<UInt8>?, value: Span<UInt8>?, clock: Instant,
    into outputs: inout Outputs
  ) {
  }

  /// Moves stream time on without a record and does what is due, at most `limit` things.
  ///
  /// - Returns: whether more is due: then it is to be called again.
  package mutating func tick(to time: Instant, limit: Int, into outputs: inout Outputs) -> Bool {
    false
  }

  /// When the next thing falls due; nil when nothing waits for time.
  package var nextDue: Instant? { nil }

  /// Hands out every piece of state that changed since the last call, each key once.
  package mutating func drainChanges<E: Error>(_ body: (Change) throws(E) -> Void) throws(E) {
  }

  /// Takes one piece of state while the machine is being restored, in any order of keys.
  ///
  /// - Parameter event: the decoded record of a `waiting` piece.
  package mutating func restore(_ change: Change, event: Event? = nil) {
  }

  /// Ends a restore: counts again what is derived. `streamTime` and `nextTicket` are those saved
  /// with the partition's last transaction.
  package mutating func finishRestore(streamTime: Instant?, nextTicket: Int64) {
  }
}
