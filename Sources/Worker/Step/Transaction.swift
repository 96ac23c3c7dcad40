import Core

/// What is in the transaction that is open, and when it has to end.
struct Transaction {
  let limits: TransactionLimits
  /// The most inputs now: less than the limit after a failure, growing again with success.
  private(set) var inputLimit: Int
  private(set) var inputRecords = 0
  private(set) var outputRecords = 0
  /// How many pieces of state are to be written at the end.
  private(set) var changes = 0
  private(set) var outputBytes = 0
  /// When its first input was applied; nil while nothing is in it.
  private(set) var startedAt: Instant?

  init(limits: TransactionLimits) {
    self.limits = limits
    inputLimit = limits.inputRecords
  }

  /// Whether something is in it.
  var isOpen: Bool { startedAt != nil }

  /// Whether no further input may be applied in it.
  var isFull: Bool {
    inputRecords >= inputLimit || changes >= limits.stateRecords
      || outputRecords + changes >= limits.outputRecords || outputBytes >= limits.outputBytes
  }

  /// Whether it has to be committed now.
  func isDue(_ now: Instant) -> Bool { isFull || remaining(now) == 0 }

  /// How much of the commit interval is left, in milliseconds; nil while nothing is in it.
  func remaining(_ now: Instant) -> Int64? {
    guard let startedAt else { return nil }
    let age = now.millisecondsSince(startedAt)
    // A clock that was set back does not keep a transaction open.
    return age < 0 ? 0 : max(0, limits.interval - age)
  }

  /// Notes that state is changed in it.
  mutating func begin(_ now: Instant) { startedAt = startedAt ?? now }

  /// Counts an input.
  mutating func addInput() { inputRecords += 1 }

  /// Counts pieces of state that have changed.
  mutating func add(changes: Int) { self.changes += changes }

  /// Counts an output.
  mutating func addOutput(bytes: Int) {
    outputRecords += 1
    outputBytes += bytes
  }

  /// Ends it well: the next may be larger.
  mutating func commit() {
    inputLimit = min(limits.inputRecords, inputLimit * 2)
    reset()
  }

  /// Ends it badly: the next is half as large, down to one input.
  mutating func fail() {
    if inputRecords > 0 { inputLimit = max(1, min(inputLimit, inputRecords) / 2) }
    reset()
  }

  private mutating func reset() {
    inputRecords = 0
    changes = 0
    outputRecords = 0
    outputBytes = 0
    startedAt = nil
  }
}
