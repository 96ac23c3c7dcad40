import Core
import Wire
import Worker

/// A worker's log in a simulation: the one in memory, with faults at each call.
final class SimulationLog: RecordLog {
  typealias Batch = SimulationBatch

  /// What a producer can be asked for after a failure.
  private enum Standing {
    /// Anything.
    case sound
    /// An end without its records.
    case toBeAborted
    /// Nothing: only another one helps.
    case dead
  }

  /// How far a fetch has come.
  private struct Held {
    /// The last record that it gave.
    var lastOffset: Int64?
    /// An open transaction holds back what comes next.
    var isHeldBack: Bool
    /// Nothing more is given out.
    var reachedEnd: Bool
    var nextOffset: Int64?

    init(_ batch: MemoryLog.Batch) {
      nextOffset = batch.nextOffset
      reachedEnd = batch.reachedEnd
      lastOffset = batch.count > 0 ? batch.offset(batch.count - 1) : nil
      isHeldBack = batch.endOffset ?? 0 > batch.nextOffset ?? .max
    }
  }

  private let log: MemoryLog
  private unowned let simulation: Simulation
  /// The worker whose log it is.
  unowned let worker: SimulationWorker
  /// The process is gone: whatever its code still does reaches nobody.
  private(set) var isDead = false
  /// The last call failed with this.
  private(set) var lastFailure: LogFailure?
  /// What the producer can still be asked for.
  private var standing = Standing.sound
  /// Ends of transactions that are not part of a recovery.
  private var isDraining = false
  /// What the worker has applied since its last commit.
  private var steps = SimulationSteps()
  /// What the last fetch of each lane has given, and the last record of it that was applied.
  private var held: [Lane: Held] = [:]
  private var applied: [Lane: Int64] = [:]
  private var idleness = SimulationIdleness()
  /// A call of this step has failed: nobody knows how far the step has come.
  private var hasFailed = false
  /// What the open transaction has written into a partition's changelog last.
  private var lastState: [Int32: (key: [UInt8], value: [UInt8]?)] = [:]

  init(_ log: MemoryLog, of worker: SimulationWorker, in simulation: Simulation) {
    self.log = log
    self.worker = worker
    self.simulation = simulation
  }

  /// A planted fault: what the worker does not see.
  var blindness: SimulationBlindness? { simulation.options.blindness }

  /// Where a lane ends by what the worker sees of a fetch.
  func seenEnd(of batch: MemoryLog.Batch, _ lane: Lane?) -> Int64? {
    if blindness == .stableEnd { return batch.nextOffset }
    guard blindness == .silence, let lane, isSilent(lane.partition) else { return batch.endOffset }
    return batch.endOffset.map { $0 + 1 }
  }

  /// Whether no input of a partition has anything that was not fetched.
  private func isSilent(_ partition: Int32) -> Bool {
    InputTopic.allCases.map { Lane(Topic($0), partition) }.allSatisfy { lane in
      held[lane]?.nextOffset == simulation.broker.bounds(lane).upperBound
    }
  }

  /// The process dies.
  func kill() { isDead = true }

  /// What follows is the worker's next step.
  func beginStep(_ now: Instant) {
    steps.begin(now)
    hasFailed = false
  }

  /// The step is over.
  func endStep(_ report: StepReport) {
    noteTicks(report.ticked)
    for partition in 0..<simulation.options.partitions {
      let lanes = InputTopic.allCases.map { Lane(Topic($0), partition) }
      idleness.end(partition, isRead: !hasFailed && lanes.allSatisfy(isRead), steps.clock)
    }
  }

  /// Notes how far stream times were moved on in this step by now.
  private func noteTicks(_ ticked: [Tick]?) {
    for moved in steps.note(ticked: ticked ?? []) { checkTick(moved.partition) }
  }

  /// What follows is the worker's farewell.
  func beginFarewell(_ now: Instant) {
    steps.begin(now)
    isDraining = true
  }

  /// The worker applies a record.
  func noteRecord(_ lane: Lane, _ record: MemoryRecord) {
    guard lane.topic != .state else { return }
    noteTicks(worker.worker?.report.ticked)
    steps.noteRecord(lane, record, idle: idleness.take(lane.partition))
    checkOrder(lane, record)
    if !isDead, simulation.journal.noteRecord(lane, offset: record.offset) {
      simulation.note(.incident(.redelivery))
    }
  }

  func poll(wanted: [Lane], timeout: Duration) throws(LogFailure) -> GroupNews? {
    if simulation.isBrokerAway { return nil }
    let news = try during(.poll) { () throws(LogFailure) in
      try log.poll(wanted: wanted, timeout: timeout)
    }
    if case .revoked = news, log.isOpen {
      simulation.note(.incident(.rebalanceInTransaction), of: worker.memberName)
    }
    return news
  }

  func makeBatch() -> Batch { SimulationBatch(log.makeBatch(), of: self) }

  /// Takes what the lane has ready, or nothing yet.
  func fetch(_ lane: Lane, into batch: Batch) throws(LogFailure) {
    batch.lane = lane
    if simulation.isBrokerAway || hesitates { return batch.memory.removeAll() }
    try during(.fetch) { () throws(LogFailure) in try log.fetch(lane, into: batch.memory) }
    held[lane] = Held(batch.memory)
    if lane.topic == .state, !batch.reachedEnd { simulation.note(.incident(.slowRestore)) }
  }

  func assign(_ positions: [(lane: Lane, offset: Int64)]) throws(LogFailure) {
    held = [:]
    applied = [:]
    idleness.forget()
    try during(positions.isEmpty ? .revoke : .assign) { () throws(LogFailure) in
      try log.assign(positions)
    }
  }

  func committed(_ partitions: [Int32]) throws(LogFailure) -> [CommittedPosition] {
    try awaitBroker(.committedLate, .committed)
    return try during(.committed) { () throws(LogFailure) in try log.committed(partitions) }
  }

  func bounds(_ lane: Lane) throws(LogFailure) -> Range<Int64> {
    try awaitBroker(.boundsLate, .bounds)
    return try during(.bounds) { () throws(LogFailure) in try log.bounds(lane) }
  }

  func firstOffsets(
    after times: [(lane: Lane, time: Instant)]
  ) throws(LogFailure) -> [Int64?] {
    if simulation.isBrokerAway {
      throw LogFailure(.again, label: "deadline_watermarks", detail: "simulated")
    }
    return try log.firstOffsets(after: times)
  }

  func topicCounts() throws(LogFailure) -> [TopicCount] {
    if simulation.isBrokerAway {
      throw LogFailure(.again, label: "deadline_metadata", detail: "simulated")
    }
    let counts = try log.topicCounts()
    guard blindness == .counts else { return counts }
    return counts.map {
      TopicCount($0.topic, name: $0.name, partitions: simulation.options.partitions)
    }
  }

  func produce(
    _ topic: Topic, partition: Int32, key: Span<UInt8>?, value: Span<UInt8>?,
    headers: [RecordHeader]
  ) throws(LogFailure) {
    try demand(.sound, for: .produce)
    try awaitBroker(.produceLate, .produce)
    // Spelled out, because a span cannot be lent to a closure.
    try meet(.produce, .before)
    do throws(LogFailure) {
      try log.produce(topic, partition: partition, key: key, value: value, headers: headers)
    } catch { throw note(error, of: .produce) }
    if topic == .state, let key {
      lastState[partition] = ([UInt8](copying: key), [UInt8](copying: value))
    }
    try meet(.produce, .after)
  }

  /// Commits, in two halves.
  func commit(_ positions: [CommittedPosition]) throws(LogFailure) {
    try demand(.sound, for: .commit)
    try awaitBroker(.offsetsLate, .commit)
    try during(.commit) { () throws(LogFailure) in
      try log.addOffsets(positions)
      try meet(.commit, .middle)
      try log.finishCommit()
      noteCommit(of: positions)
    }
  }

  func abort() throws(LogFailure) {
    try demand(.toBeAborted, for: .abort)
    try awaitBroker(.abortLate, .abort)
    try during(.abort) { () throws(LogFailure) in try log.abort() }
    standing = .sound
    dropSteps()
    if !isDraining { simulation.note(.recovery(.abort)) }
  }

  func rebuild() throws(LogFailure) {
    try awaitBroker(.idLate, .rebuild)
    if worker.cannotRebuild { throw note(SimulationFailure.idLate.failure, of: .rebuild) }
    try during(.rebuild) { () throws(LogFailure) in try log.rebuild() }
    standing = .sound
    dropSteps()
    simulation.note(.recovery(.rebuild))
  }

  /// Whether an open transaction holds a lane back, whose records are all applied: what lies behind
  /// it might be needed first.
  private func isBehind(_ lane: Lane) -> Bool {
    guard let held = held[lane], held.isHeldBack else { return false }
    guard let last = held.lastOffset else { return true }
    return applied[lane] ?? -1 >= last
  }

  /// Whether everything in a lane is applied.
  private func isRead(_ lane: Lane) -> Bool {
    guard let held = held[lane], held.reachedEnd, !held.isHeldBack else { return false }
    return held.lastOffset.map { applied[lane] ?? -1 >= $0 } ?? true
  }

  private func checkOrder(_ lane: Lane, _ record: MemoryRecord) {
    applied[lane] = record.offset
    for topic in InputTopic.allCases.map(Topic.init) where topic != lane.topic {
      if !isDead, isBehind(Lane(topic, lane.partition)) {
        simulation.fail(
          "\(worker.memberName) applies \(lane.topic) \(record.offset) of \(lane.partition) "
            + "while \(topic) is held back")
      }
    }
  }

  private func checkTick(_ partition: Int32) {
    for topic in InputTopic.allCases.map(Topic.init)
    where !isDead && isBehind(Lane(topic, partition)) {
      simulation.fail(
        "\(worker.memberName) moves stream time of \(partition) while \(topic) is held back")
    }
  }

  /// Leaves the group, if the process still lives to do so.
  func close() {
    if !isDead { log.close() }
  }

  /// The broker has made the transaction a part of the log, whatever the worker is told.
  private func noteCommit(of positions: [CommittedPosition]) {
    var records: [Int32: PartitionRecord] = [:]
    for position in positions {
      guard let (key, value) = lastState[position.partition],
        case .success(.partition(let record)) = StateCodec.decoded(key, value)
      else {
        simulation.fail("\(worker.memberName) commits without a record of \(position.partition)")
        continue
      }
      records[position.partition] = record
    }
    lastState = [:]
    noteTicks(worker.worker?.report.ticked)
    simulation.journal.commit(steps.take(), records)
  }

  private func dropSteps() {
    noteTicks(worker.worker?.report.ticked)
    steps.drop()
    lastState = [:]
  }

  private var hesitates: Bool {
    guard simulation.happens(.hesitate) else { return false }
    simulation.note(.fault(.hesitate))
    return true
  }

  private func during<R>(
    _ call: LogCall, _ body: () throws(LogFailure) -> R
  ) throws(LogFailure) -> R {
    try meet(call, .before)
    let result: R
    do throws(LogFailure) { result = try body() } catch { throw note(error, of: call) }
    try meet(call, .after)
    return result
  }

  /// Lets happen what happens here.
  private func meet(_ call: LogCall, _ place: SimulationPlace) throws(LogFailure) {
    if !isDead, let fault = simulation.draw(at: call, place) {
      simulation.note(.fault(fault), of: worker.memberName)
      switch fault {
      case .crash:
        simulation.note(.crash(call, place), of: worker.memberName)
        isDead = true
      case .pause: simulation.pause(worker)
      default:
        if let failure = simulation.failure(of: fault, at: call) {
          throw note(failure.failure, of: call)
        }
      }
    }
    if isDead { throw LogFailure(.exit, label: "crash", detail: "simulated") }
  }

  private func awaitBroker(
    _ failure: SimulationFailure, _ call: LogCall
  ) throws(LogFailure) {
    guard simulation.isBrokerAway, !isDead else { return }
    simulation.holdUp(worker)
    throw note(failure.failure, of: call)
  }

  /// Fails where the producer cannot do this any more. A farewell may try to abort in vain; nothing
  /// else may be tried.
  private func demand(_ least: Standing, for call: LogCall) throws(LogFailure) {
    let isAble = standing == .sound || standing == least
    guard !isAble, !isDead else { return }
    if !(isDraining && call == .abort) {
      simulation.fail(
        "\(worker.memberName) calls \(call.rawValue) of a producer that is \(standing)")
    }
    throw LogFailure(.rebuild, label: "state", detail: "simulated")
  }

  private func note(_ failure: LogFailure, of call: LogCall) -> LogFailure {
    lastFailure = failure
    hasFailed = true
    if [.produce, .commit, .abort, .rebuild].contains(call) {
      switch failure.disposition {
      case .again, .retake: break
      case .abort: if standing == .sound { standing = .toBeAborted }
      case .rebuild, .exit: standing = .dead
      }
    }
    if !isDead {
      simulation.note(.failure(failure.label), of: worker.memberName)
      simulation.note(.disposition(failure.disposition))
    }
    return failure
  }
}

extension StateCodec {
  static func decoded(
    _ key: [UInt8], _ value: [UInt8]?
  ) -> Result<StateEntry, StateError> {
    do throws(StateError) { return .success(try decode(key: key, value: value)) } catch {
      return .failure(error)
    }
  }
}
