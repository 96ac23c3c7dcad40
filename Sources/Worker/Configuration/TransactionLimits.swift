import Core

/// How large a transaction may grow before it is committed.
package struct TransactionLimits: Equatable, Sendable {
  /// How long it may stay open, in milliseconds.
  package var interval: Int64
  /// Limit on output records: what a broker takes well inside the transaction's timeout.
  package var outputRecords = 100_000
  /// Limit on pieces of state, which are all written when it ends.
  package var stateRecords = 20_000
  /// Limit on output bytes.
  package var outputBytes = 16 * 1024 * 1024
  /// Limit on input records; halved when a transaction fails, down to one.
  package var inputRecords = 100_000

  /// Limits with a commit interval in milliseconds, at least 1.
  package init(interval: Int64) { self.interval = interval }
}
