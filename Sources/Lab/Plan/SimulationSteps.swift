import Core
import Worker

/// What a worker has applied since its last commit, step by step, so that it can be done again in
/// exactly the same way.
struct SimulationSteps {
  /// One step.
  struct Step {
    /// The clock that the worker was given.
    var clock: Instant
    /// The records, in the order in which they were applied.
    var records: [(lane: Lane, record: MemoryRecord)] = []
    /// Where stream times were moved on to after that. Of the step that ends with the commit nobody
    /// can tell in time; there the saved stream time does.
    var ticked: [Tick] = []

    fileprivate var isEmpty: Bool { records.isEmpty && ticked.isEmpty }
  }

  private var finished: [Step] = []
  private var current = Step(clock: .distantPast)
  /// The group has had news in this step, and what was open is committed before all else.
  private var isGivingUp = false
  /// The step has ended with a commit.
  private var isCommitted = false

  /// The clock of the step that is being done.
  var clock: Instant { current.clock }

  /// A step begins.
  mutating func begin(_ now: Instant) {
    if !current.isEmpty { finished.append(current) }
    current = Step(clock: now)
    isGivingUp = false
    isCommitted = false
  }

  /// The group has news.
  mutating func noteNews() { isGivingUp = true }

  /// Records are looked for.
  mutating func noteFetch() { isGivingUp = false }

  /// A record is applied.
  mutating func noteRecord(_ lane: Lane, _ record: MemoryRecord) {
    current.records.append((lane, record))
  }

  /// The step is over.
  mutating func end(ticked: [Tick]) {
    if !isCommitted { current.ticked = ticked }
  }

  /// The steps of a transaction that is committed.
  mutating func take() -> [Step] {
    if !current.isEmpty { finished.append(current) }
    defer { finished = [] }
    current = Step(clock: current.clock)
    isCommitted = !isGivingUp
    return finished
  }

  /// Nothing of it counts any more.
  mutating func drop() {
    finished = []
    current.records = []
  }
}
