package import Core
import Wire

/// One shard of the pool: consume, decode, apply, encode, produce, commit.
///
/// One thread owns it and calls `step` again and again. Memory is only ever what the log holds,
/// folded: when a transaction fails, what it touched is thrown away and folded again, just as
/// after a crash.
package final class Worker<Log: RecordLog> {
  /// Inputs applied in one step, so that the clock is looked at often enough.
  private static var stepRecords: Int { 1000 }
  /// How long a step waits when there is nothing to do.
  private static var idleMilliseconds: Int64 { 100 }

  let log: Log
  let configuration: WorkerConfiguration
  /// What the group has given to this worker.
  var assignment: [Int32] = []
  /// The partitions in hand: those of the assignment, once it is adopted.
  var partitions: [Partition<Log>] = []
  /// Those that were in hand when the group took them; kept until it says who has them now.
  var aside: [Partition<Log>] = []
  var recovery = Recovery()
  var transaction: Transaction
  var engine: Engine
  var inputs: InputWatch
  /// What the step that is being done, or was done last, has done so far.
  package internal(set) var report = StepReport()
  /// The log gives out what is not waited for any more.
  var isAssignmentStale = false
  /// Changelog records of the partition whose state is being written.
  var stateRecords: Int64 = 0
  /// The clocks of the step that is being done, or was done last.
  var time: StepTime?
  var topics = TopicWatch()
  /// When the inputs were asked last whether they are those that were read before, in milliseconds
  /// that pass evenly.
  var witnessedAt: Int64?
  /// What is to be given back, a piece at a time.
  var discarded: [Discarded<Log>] = []
  /// A state was taken over from another group, or it was told that there is none.
  var hasTakenOver = false
  /// The partition whose last record is not done yet.
  var unfinished: Partition<Log>?
  /// Which partition comes first in a step: each in its turn.
  private var firstPartition = 0
  /// The transaction has to end, and not all of its state is written yet: nothing is applied before
  /// that is done.
  private var isCommitOwed = false

  /// A worker that has joined no group yet.
  package init(log: Log, configuration: WorkerConfiguration) {
    self.log = log
    self.configuration = configuration
    transaction = Transaction(limits: configuration.limits)
    engine = Engine(rules: configuration.rules, topicNames: configuration.inputNames)
    inputs = InputWatch(partitionCount: configuration.partitionCount)
  }

  /// Does a bounded piece of work, or waits for some for a moment.
  ///
  /// - Parameters:
  ///   - now: the clock. Stream time moves on at most to here.
  ///   - uptime: milliseconds that pass evenly, whatever the clock is set to. Without them the
  ///     clock is taken for one that is never set forward.
  /// - Throws: where nothing that the worker can do helps; it is then to be closed.
  package func step(now: Instant, uptime: Int64? = nil) throws(WorkerFailure) -> StepReport {
    report = StepReport()
    let elapsed = begin(StepTime(clock: now, uptime: uptime ?? now.milliseconds))
    do throws(LogFailure) {
      let news = try log.poll(wanted: wantedLanes(now), timeout: patience(now))
      if log.takeDoubt() { doubtInputs() }
      if let news { try carryOut(news, now) }
      try watchTopics()
      try watchInputs()
      try recover(now)
      try fetch(now)
      try advance(now, elapsed: elapsed)
      watchPins()
      watchTakeover()
      try commitWhenDue(now)
      sweep()
    } catch {
      try react(to: error, now)
    }
    return report
  }

  /// Ends a transaction that has to end; in one of the next steps where this one has done too much
  /// already for all the state that is to be written.
  private func commitWhenDue(_ now: Instant) throws(LogFailure) {
    guard !recovery.isNeeded, isCommitOwed || transaction.isDue(now) else {
      return isCommitOwed = false
    }
    guard unfinished == nil else { return }
    isCommitOwed = false
    isCommitOwed = try !writeChanges()
    guard !isCommitOwed else { return }
    try commit()
    try watchChangelog(now)
  }

  /// Ends the open transaction well if that is possible, and leaves the group.
  package func drain(now: Instant) -> StepReport {
    report = StepReport()
    do throws(LogFailure) {
      if recovery.isNeeded { try log.abort() } else { try commit() }
    } catch {
      // What is not committed is done again by whoever takes the partitions.
      report.occurrences.append(.failed(error))
    }
    log.close()
    return report
  }

  /// How far the partitions that are being restored have come.
  package var restores: [RestoreProgress] {
    partitions.compactMap { partition in
      guard case .restoring(let restore) = partition.phase else { return nil }
      return RestoreProgress(
        partition: partition.number, phase: restore.isRead ? .counting : .reading,
        startedAt: restore.startedAt, position: restore.position, target: restore.target,
        records: restore.records, pieces: restore.fold.count + restore.fold.counted,
        counted: restore.fold.counted)
    }
  }

  /// How much work is left for the step.
  var remainingWork: Int { configuration.stepWork - report.work }

  /// Things that fall due in one tick: a tenth of a step.
  var tickLimit: Int { max(1, configuration.stepWork / (10 * Work.thing)) }

  /// The lanes that have something to say: a lane with records in hand is ahead and not fetched.
  private func wantedLanes(_ now: Instant) -> [Lane] {
    guard !recovery.isNeeded, !isAssignmentStale else { return [] }
    var lanes: [Lane] = []
    for partition in partitions {
      switch partition.phase {
      case .restoring(let restore):
        if !restore.isRead { lanes.append(Lane(.state, partition.number)) }
      case .claiming(let look):
        if look.target != nil { lanes.append(Lane(.state, partition.number)) }
      case .running:
        for input in InputTopic.allCases where !partition.lanes[input].hasRecord {
          lanes.append(Lane(Topic(input), partition.number))
        }
      case .stopped: break
      }
    }
    return lanes
  }

  /// How long there is nothing to do without news from the log.
  private func patience(_ now: Instant) -> Duration {
    if recovery.isNeeded { return .milliseconds(min(recovery.wait(now), Self.idleMilliseconds)) }
    var wait = min(Self.idleMilliseconds, transaction.remaining(now) ?? .max)
    if unfinished != nil || isCommitOwed || !discarded.isEmpty
      || partitions.contains(where: { $0.isCounting || $0.isFolding })
    {
      return .zero
    }
    for partition in partitions where partition.isRunning {
      if partition.nextLane(clock: now) != nil { return .zero }
      if partition.isCaughtUp, let due = partition.machine.nextDue,
        let streamTime = partition.streamTime(at: now)
      {
        wait = min(wait, max(0, due.millisecondsSince(streamTime)))
      }
    }
    return .milliseconds(wait)
  }

  /// Takes what the wanted lanes have ready.
  private func fetch(_ now: Instant) throws(LogFailure) {
    guard !recovery.isNeeded, !isCommitOwed else { return }
    if isAssignmentStale { try assignLanes() }
    // Half of a step is left to those that run.
    let shares = (partitions.contains(where: \.isRunning) ? 2 : 1)
    let share =
      max(remainingWork, configuration.stepWork / 8)
      / (shares * max(1, partitions.count(where: \.isRestoring)))
    for offset in partitions.indices {
      let partition = partitions[(firstPartition + offset) % partitions.count]
      switch partition.phase {
      case .restoring(let restore) where restore.isRead:
        try count(restore, of: partition, share: share, now)
      case .restoring(let restore):
        try fold(restore, of: partition, share: share, now)
      case .claiming(let look): try lookBack(look, of: partition, now)
      case .running:
        for input in InputTopic.allCases where !partition.lanes[input].hasRecord {
          let lane = Lane(Topic(input), partition.number)
          do throws(LogFailure) {
            try log.fetch(lane, into: partition.lanes[input].batch)
          } catch {
            return try retake(partition, lane, after: error)
          }
          partition.lanes[input].refill(time ?? StepTime(clock: now, uptime: 0))
          if partition.lanes[input].stranger != nil {
            try meetStranger(input, of: partition, now)
            break
          }
        }
      case .stopped: break
      }
    }
    if isAssignmentStale { try assignLanes() }
  }

  /// Applies what is in hand, each partition in its turn, as far as this step and transaction go.
  private func advance(_ now: Instant, elapsed: Int64) throws(LogFailure) {
    guard !recovery.isNeeded, !isCommitOwed, try finishRecord(limit: recordLimit) else { return }
    firstPartition += 1
    var budget = Self.stepRecords
    for offset in partitions.indices {
      let partition = partitions[(firstPartition + offset) % partitions.count]
      guard partition.isRunning else { continue }
      letPass(partition)
      let applied = report.inputRecords
      while budget > 0, remainingWork > 0, !transaction.isFull,
        let lane = partition.nextLane(clock: now)
      {
        if try passTime(of: partition, before: lane, now) { continue }
        try apply(lane, of: partition, now)
        guard unfinished == nil else { return }
        budget -= 1
      }
      if partition.isCaughtUp {
        if remainingWork > 0 { try catchUp(partition, now) }
      } else if partition.isPinned {
        // Stream time was where the newest record took it when this step began.
        standStill(partition, now, report.inputRecords == applied ? elapsed : 0)
      }
    }
  }

  /// Notes that the memory of a partition is ahead of the log from here on.
  func begin(_ partition: Partition<Log>, _ now: Instant) {
    partition.isDirty = true
    transaction.begin(now)
  }
}
