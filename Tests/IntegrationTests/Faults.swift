import BrokerSupport
import Foundation
import Kafka
import Lab

/// What is done to a pool.
enum Fault: String, CaseIterable {
  /// SIGKILL of a worker, which is started again.
  case kill
  /// SIGTERM of a worker, which has to end well and is started again.
  case terminate
  /// SIGSTOP of a worker for longer than its session.
  case freeze
  /// SIGKILL of a broker, which is started again.
  case killBroker
}

/// Faults at random instants, but the same ones for the same seed.
struct FaultPlan {
  /// How long a session lasts that no heartbeat prolongs.
  static let session = Duration.milliseconds(6000)
  /// Timeouts as short as Kafka's own limits allow, so that others take over soon.
  static let timeouts = [
    "message.timeout.ms=4000", "transaction.timeout.ms=5000", "session.timeout.ms=6000",
    "heartbeat.interval.ms=500", "max.poll.interval.ms=20000", "socket.timeout.ms=4000",
  ].flatMap { ["--kafka", $0] }

  let faults: [Fault]
  private var random: SplitMix64

  init(_ counts: [Fault: Int], seed: UInt64) {
    random = SplitMix64(seed: seed)
    faults = Fault.allCases.flatMap { [Fault](repeating: $0, count: counts[$0] ?? 0) }
      .shuffled(using: &random)
  }

  /// A random while.
  mutating func pause(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &random))
  }

  /// A random number below `limit`.
  mutating func pick(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}

/// Carries a plan out on a pool of workers.
final class Saboteur {
  private let stage: Stage
  private let workers: [WorkerProcess]
  private let nodes: Int
  private let progress: Progress
  private let feeder: Feeder
  private var plan: FaultPlan
  private let start = ContinuousClock.now
  /// What was done.
  private(set) var done: [Fault: Int] = [:]
  /// What workers did that they had not to.
  private(set) var complaints: [String] = []

  init(
    _ stage: Stage, _ workers: [WorkerProcess], _ feeder: Feeder, nodes: Int, _ plan: FaultPlan
  ) throws {
    self.stage = stage
    self.workers = workers
    self.feeder = feeder
    self.nodes = nodes
    self.plan = plan
    progress = try Progress(stage)
  }

  /// Injects all faults of the plan, while there is always something left to be fed.
  ///
  /// - Parameter tell: is told of each.
  func run(_ tell: (String) -> Void) throws {
    for (index, fault) in plan.faults.enumerated() {
      feeder.allow(upTo: feeder.total * (index + 1) / (plan.faults.count + 1))
      let before = try committed()
      try reviveTheDead()
      let worker = workers[plan.pick(workers.count)]
      let seconds = Int((ContinuousClock.now - start) / .seconds(1))
      tell("\(seconds) s: \(fault) (worker \(worker.instance)), \(feeder.fed) records fed")
      switch fault {
      case .kill: try kill(worker)
      case .terminate: try terminate(worker)
      case .freeze: try freeze(worker)
      case .killBroker: try killBroker()
      }
      done[fault, default: 0] += 1
      try reviveTheDead()
      // Most faults hit a pool that works, some one that still recovers from the last.
      if plan.pick(4) > 0 { try progress.advance(from: before, within: .seconds(90)) }
      rest(plan.pause(0...1500))
    }
  }

  private func kill(_ worker: WorkerProcess) throws {
    try worker.kill()
    // Some come back only when others have taken over.
    rest(plan.pick(4) == 0 ? FaultPlan.session + .seconds(2) : plan.pause(0...1500))
    try worker.restart()
  }

  private func terminate(_ worker: WorkerProcess) throws {
    let code = try worker.terminate()
    if code != 0 { complaints.append("worker \(worker.instance) ended with \(code) at SIGTERM") }
    rest(plan.pause(0...1000))
    try worker.restart()
  }

  private func freeze(_ worker: WorkerProcess) throws {
    worker.process.send(SIGSTOP)
    rest(FaultPlan.session + plan.pause(1000...4000))
    worker.process.send(SIGCONT)
  }

  private func killBroker() throws {
    let node = nodes > 1 ? plan.pick(nodes) + 1 : nil
    try stage.broker.kill(node)
    rest(plan.pause(0...3000))
    try stage.broker.start(node)
  }

  /// None of these faults is worth giving up for, but for a static member whose own second request
  /// to join, after the first was lost with a broker, fences it.
  func reviveTheDead() throws {
    for worker in workers where !worker.process.isRunning {
      if try worker.lines("the worker cannot go on").last?.text.contains("fenced_instance_id")
        != true
      {
        complaints.append("worker \(worker.instance) ended by itself with \(worker.process.code)")
      }
      try worker.restart()
    }
  }

  private func committed() throws -> [TopicPartition: Int64] {
    var found: [TopicPartition: Int64]?
    try eventually("the committed offsets", within: .seconds(60)) {
      found = try progress.committed()
      return found != nil
    }
    return found ?? [:]
  }
}
