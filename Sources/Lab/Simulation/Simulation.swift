import Core
package import Oracle
import Worker

/// A pool of real workers on a broker in memory, in virtual time, with faults; all of it follows
/// from a seed, and the same seed gives the same bytes in every process.
///
///     write and disturb ──all is written──▶ settle ▶ let what waits fall due ▶ check
package final class Simulation {
  /// What came of a seed.
  package struct Result: Sendable {
    /// What was wrong, in words; empty when all is well.
    package var problems: [String] = []
    /// How often each label was seen.
    package var labels: [SimulationLabel: Int] = [:]
    /// A digest of everything in the topics that the workers write.
    package var digest: UInt64 = 0
    /// Input records.
    package var records = 0
    /// Transactions that were committed, as far as their workers lived to know it.
    package var commits = 0
    /// Messages that were announced as delivered to or read by all.
    package var announcements = 0
    /// What the oracle says, where it sees no more than the topics.
    package var verdict = OracleVerdict()

    /// Nothing yet.
    package init() {}
  }

  /// The seed.
  package let seed: UInt64
  /// The options.
  package let options: SimulationOptions
  /// Is told what happens, line by line.
  package var trace: ((String) -> Void)?
  /// Is told each record of the traffic that is written, twice where it is doubled.
  package var noteInput: ((SimulationInput) -> Void)?
  /// How many records the traffic has, left out ones among them.
  package var trafficCount: Int { traffic.count }

  let broker: MemoryBroker
  let plan: SimulationPlan
  var random: SplitMix64
  var now = Simulation.beginning
  var places: [SimulationWorker]
  var traffic: SimulationTraffic
  var result = Result()
  /// What was committed.
  let journal: SimulationJournal
  /// Faults happen.
  var isDisturbed = true
  /// A worker stands still in the middle of a call, and the others go on.
  var isPausing = false
  /// What waits and what is tracked falls due.
  var isLate = false
  /// Nobody writes anything until then.
  var silentUntil = Instant.distantPast
  /// The broker comes back then.
  var awayUntil: Instant?
  /// An operator has made a mistake and not mended it yet.
  var isMistaken = false
  /// The transactions of chat backends that are open, or begin with the next record of their lane.
  var upstreams: [SimulationUpstream] = []
  /// How many there were.
  var upstreamCount = 0
  /// How many mistakes an operator has made.
  var mistakes = 0

  private static let beginning = Instant(milliseconds: 1_790_000_000_000)

  /// Prepares what a seed says.
  package init(seed: UInt64, options: SimulationOptions) {
    self.seed = seed
    self.options = options
    random = SplitMix64(seed: seed)
    plan = SimulationPlan(options, using: &random)
    traffic = SimulationTraffic(
      Workload(seed: seed, options: plan.mix, partitionCount: options.partitions),
      records: options.records, isNarrow: plan.isNarrow, using: &random)
    journal = SimulationJournal(plan, partitions: options.partitions)
    broker = MemoryBroker(partitionCount: options.partitions)
    broker.clock = now
    broker.fetchLimit = plan.fetchLimit
    broker.restoreLimit = plan.restoreLimit
    broker.transactionTimeout = plan.transactionTimeout
    broker.sessionTimeout = SimulationPlan.sessionTimeout
    places = (0..<options.workers).map { SimulationWorker(name: "w\($0)") }
  }

  /// Whether nobody answers.
  var isBrokerAway: Bool { awayUntil != nil }

  /// Runs it to its end.
  package func run() -> Result {
    write(SimulationOddities.skipped)
    places[0].beginsAt = now
    while traffic.leftCount > 0 { round() }
    settle("after the last record")
    judgeTopics()
    // What waits in vain is due, then what is tracked, with faults on the way.
    isLate = true
    for wait in [plan.rules.grace, plan.rules.trackingWindow] {
      now = now.advanced(byMilliseconds: wait + 60_000)
      isDisturbed = true
      for _ in 0..<20 { round() }
      settle("after \(wait) ms")
    }
    finish()
    return result
  }

  /// Has the oracle judge as somebody who sees the topics while nothing has fallen due.
  private func judgeTopics() {
    var check = SimulationCheck(self)
    for partition in 0..<options.partitions { check.askStranger(partition) }
    result.problems += check.problems
    result.verdict += check.verdict
  }

  private func finish() {
    var check = SimulationCheck(self)
    check.run()
    result.problems += journal.problems + check.problems
    result.verdict += check.verdict
    result.digest = broker.digest()
    for replay in journal.replays {
      result.records += replay.counts.reduce(0, +)
      result.announcements += replay.announcements
      result.labels.merge(replay.labels) { $0 + $1 }
    }
  }

  /// A little time passes: records come, faults happen, workers do a step.
  func round() {
    elapse(Int64.random(in: 1...200, using: &random))
    for _ in 0..<Int.random(in: 0...plan.pace, using: &random) where silentUntil <= now {
      if let record = traffic.next() { write(record) }
    }
    if isDisturbed { disturb() }
    endUpstreams(until: now)
    stepAll()
  }

  func elapse(_ milliseconds: Int64) {
    now = now.advanced(byMilliseconds: milliseconds)
    if let end = awayUntil {
      // Nobody is given up while nobody counts the time.
      broker.clock = now
      guard end <= now else { return }
      awayUntil = nil
    }
    for place in places where place.isAlive && !place.isStepping && place.stalledUntil <= now {
      broker.hear(place.memberName)
    }
    broker.advance(to: now)
  }

  func stepAll() {
    for place in places.shuffled(using: &random) {
      if let time = place.beginsAt, time <= now, !isBrokerAway { begin(place) }
      guard place.isAlive, !place.isStepping, max(place.busyUntil, place.stalledUntil) <= now
      else { continue }
      if Int.random(in: 0..<4, using: &random) > 0 { step(place) }
    }
  }

  /// Writes an input record, now and then twice.
  func write(_ record: SimulationRecord) {
    let timestamp = plan.timestamp(of: record.topic, at: now, using: &random)
    let isDoubled = happens(.double)
    if isDoubled { note(.fault(.double)) }
    // Only now, so that the same is drawn as if it were written.
    if let place = record.place, options.keptPlaces?.contains(place) == false { return }
    for _ in 0..<(isDoubled ? 2 : 1) {
      append(record, timestamp)
      tellInput(record, timestamp)
    }
  }

  private func tellInput(_ record: SimulationRecord, _ timestamp: Instant?) {
    guard let noteInput, let place = record.place else { return }
    noteInput(
      SimulationInput(
        place: place, partition: plan.partition(of: record.key ?? []), topic: record.topic,
        timestamp: timestamp, key: record.key, value: record.value))
  }

  /// Goes on without faults until all is applied, committed and nothing is due.
  func settle(_ when: String) {
    isDisturbed = false
    endUpstreams(until: .distantFuture)
    for _ in 0..<4000 {
      if !places.contains(where: { $0.isAlive || $0.beginsAt != nil }) { places[0].beginsAt = now }
      round()
      if isSettled { return checkStates() }
    }
    result.problems.append("the pool does not come to rest \(when)")
  }

  private var isSettled: Bool {
    broker.openTransactionCount == 0
      && journal.replays.indices.allSatisfy { index in
        let partition = Int32(index)
        let ends = PerInput<Int64> {
          broker.bounds(Lane(Topic($0), partition)).upperBound
        }
        return journal[partition].nextOffsets == ends
          && !journal[partition].isAnythingDue(at: now)
      }
  }

  private func checkStates() {
    var check = SimulationCheck(self)
    for partition in 0..<options.partitions { check.checkState(partition) }
    result.problems += check.problems
  }

  func note(_ label: SimulationLabel, of worker: String? = nil) {
    result.labels[label, default: 0] += 1
    switch label {
    // Each is told with what follows from it, or too often.
    case .disposition, .recovery, .occurrence, .fault(.hesitate), .fault(.double): break
    default: tell(worker, label.text)
    }
  }

  func fail(_ problem: String) {
    result.problems.append(problem)
    tell(nil, problem)
  }

  func tell(_ worker: String?, _ text: @autoclosure () -> String) {
    guard let trace else { return }
    let time = String(now.millisecondsSince(Simulation.beginning))
    let who = worker ?? "the broker"
    trace("\(String(repeating: " ", count: max(0, 10 - time.count)))\(time) ms  \(who): \(text())")
  }
}
