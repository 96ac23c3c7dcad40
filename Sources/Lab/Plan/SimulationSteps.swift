import Core
import Worker

/// What a worker has applied since its last commit, step by step, so that it can be done again in
/// exactly the same way.
struct SimulationSteps {
  /// One step.
  struct Step {
    /// The clock that the worker was given.
    var clock: Instant
    /// What was done, in order.
    var entries: [Entry] = []
  }

  /// Something that a step has done.
  enum Entry {
    /// A record was applied, after its partition had been idle for so many milliseconds at least.
    case record(Lane, MemoryRecord, idle: Int64)
    /// Stream time was moved on by the clock.
    case tick(Tick)
  }

  private var finished: [Step] = []
  private var current = Step(clock: .distantPast)
  /// The moves of stream time in this step that are noted.
  private var tickCount = 0

  /// The clock of the step that is being done.
  var clock: Instant { current.clock }

  /// A step begins.
  mutating func begin(_ now: Instant) {
    if !current.entries.isEmpty { finished.append(current) }
    current = Step(clock: now)
    tickCount = 0
  }

  /// A record is applied.
  mutating func noteRecord(_ lane: Lane, _ record: MemoryRecord, idle: Int64) {
    current.entries.append(.record(lane, record, idle: idle))
  }

  /// So far stream times were moved on in this step.
  ///
  /// - Returns: the moves that are new.
  @discardableResult
  mutating func note(ticked: [Tick]) -> [Tick] {
    let new = Array(ticked.dropFirst(tickCount))
    tickCount = ticked.count
    current.entries += new.map { .tick($0) }
    return new
  }

  /// The steps of a transaction that is committed.
  mutating func take() -> [Step] {
    defer { drop() }
    return finished + (current.entries.isEmpty ? [] : [current])
  }

  /// Nothing of it counts any more.
  mutating func drop() {
    finished = []
    current.entries = []
  }
}
