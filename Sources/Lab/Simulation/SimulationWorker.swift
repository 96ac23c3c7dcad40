import Core
import Worker

/// A place for a worker: one after another lives in it, under the same transactional id.
final class SimulationWorker {
  /// The transactional id.
  let name: String
  /// The consumer group; nil: the pool's.
  let group: String?
  /// How many have lived here.
  private(set) var lives = 0
  /// The worker that lives here now.
  private(set) var worker: Worker<SimulationLog>?
  private(set) var log: SimulationLog?
  /// When the next one begins; nil: when somebody asks for it.
  var beginsAt: Instant?
  /// It stands in a call until then.
  var busyUntil = Instant.distantPast
  /// It stands still until then, and gives no sign of life.
  var stalledUntil = Instant.distantPast
  /// It is in the middle of a step.
  var isStepping = false
  /// Its broker takes no producer.
  var cannotRebuild = false

  init(name: String, group: String? = nil) {
    self.name = name
    self.group = group
  }

  /// Whether a worker lives here.
  var isAlive: Bool { worker != nil }

  /// The name of the member of the group: each life is another one.
  var memberName: String { "\(name)/\(lives)" }

  /// Begins a life.
  func begin(
    on broker: MemoryBroker, in simulation: Simulation,
    _ configure: (String) -> WorkerConfiguration
  ) {
    lives += 1
    let memory = MemoryLog(
      broker, name: memberName, transactionalId: name, group: group)
    let log = SimulationLog(memory, of: self, in: simulation)
    self.log = log
    worker = Worker(log: log, configuration: configure(memberName))
    beginsAt = nil
    busyUntil = .distantPast
    stalledUntil = .distantPast
  }

  /// The life is over; the next one begins then.
  func end(next: Instant?) {
    log?.kill()
    worker = nil
    log = nil
    beginsAt = next
    cannotRebuild = false
  }
}
