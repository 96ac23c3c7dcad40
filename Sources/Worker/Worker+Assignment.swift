import Core
import Wire

/// Taking partitions and giving them up.
extension Worker {
  /// Carries out what the group has decided, between two batches.
  func carryOut(_ news: GroupNews, _ now: Instant) throws(LogFailure) {
    let isSound = !recovery.isNeeded
    defer {
      aside += partitions
      partitions = []
    }
    switch news {
    case .revoked(let lost):
      report.occurrences.append(.givenUp(assignment, lost: lost))
      assignment = []
      if isSound, !lost { try commit() }
    case .assigned(let numbers):
      assignment = numbers.sorted()
      report.isStandingBy = numbers.isEmpty
      // For each partition that is not named, somebody else writes from here on.
      aside.filter { !numbers.contains($0.number) }.forEach(discard)
      aside.removeAll { !numbers.contains($0.number) }
    }
    recovery.require(transaction.isOpen ? .abort : .adopt)
    transaction.fail()
    unfinished = nil
  }

  /// Takes the partitions of the assignment: those whose memory is current as they are, the others
  /// by folding their changelogs.
  func adopt(_ now: Instant) throws(LogFailure) {
    try requireTopics()
    let known = aside + partitions
    var adopted: [Partition<Log>] = []
    var kept: [Int32] = []
    for committed in assignment.isEmpty ? [] : try log.committed(assignment) {
      let former = known.first { $0.number == committed.partition }
      if let former, former.isCurrent(committed) {
        adopted.append(former)
        kept.append(former.number)
      } else {
        adopted.append(try take(committed, former, now))
      }
    }
    try assignLanes(of: adopted)
    partitions = adopted
    guard !assignment.isEmpty else { return }
    for former in known where !adopted.contains(where: { $0 === former }) { discard(former) }
    aside = []
    report.occurrences.append(.taken(assignment, kept: kept))
  }

  /// Has the log give out exactly what the partitions wait for, from their own positions on.
  func assignLanes() throws(LogFailure) {
    try assignLanes(of: partitions)
    isAssignmentStale = false
  }

  /// Folds what the changelog has ready.
  ///
  /// - Parameter share: how much of a step's work may be done for it.
  func fold(
    _ restore: Restore<Log>, of partition: Partition<Log>, share: Int, _ now: Instant
  ) throws(LogFailure) {
    if !restore.hasRecord {
      let lane = Lane(.state, partition.number)
      do throws(LogFailure) { try log.fetch(lane, into: restore.batch) } catch {
        return try retake(partition, lane, after: error)
      }
      restore.refill()
    }
    var budget = share
    defer { report.work += share - budget }
    do throws(StateError) {
      while restore.hasRecord, budget > 0 {
        budget -= try restore.takeNext()
        report.restoredRecords += 1
      }
    } catch {
      return stop(partition, .unreadableState(error.label))
    }
    if restore.isRead { isAssignmentStale = true }
  }

  /// Goes on filling the machine of a partition whose changelog is read.
  ///
  /// - Parameter share: how much of a step's work may be done for it.
  func count(
    _ restore: Restore<Log>, of partition: Partition<Log>, share: Int, _ now: Instant
  ) throws(LogFailure) {
    var budget = share
    defer { report.work += share - budget }
    let found = (tally: restore.fold.tally, claimant: restore.fold.claimant)
    let filled: (machine: Machine, partition: PartitionRecord?)?
    do throws(StateError) {
      filled = try restore.fold.fill(
        rules: configuration.rules, partition: partition.number, on: &budget)
    } catch {
      return stop(partition, .unreadableState(error.label))
    }
    guard let filled else { return }
    partition.machine = filled.machine
    try finish(restore, of: partition, found, filled.partition, now)
  }

  private func assignLanes(of partitions: [Partition<Log>]) throws(LogFailure) {
    var positions: [(lane: Lane, offset: Int64)] = []
    for partition in partitions {
      switch partition.phase {
      case .restoring(let restore):
        restore.forgetBatch()
        guard !restore.isRead else { continue }
        positions.append((Lane(.state, partition.number), restore.position))
      case .claiming(let look):
        if look.target != nil { positions.append((Lane(.state, partition.number), look.position)) }
      case .running:
        for input in InputTopic.allCases {
          // What is in hand is given out again.
          partition.lanes[input].restart(at: partition.lanes[input].position)
          let lane = Lane(Topic(input), partition.number)
          positions.append((lane, partition.lanes[input].start))
        }
      case .stopped: break
      }
    }
    try log.assign(positions)
  }

  /// Begins to restore a partition, or goes on where a rebalance has interrupted it.
  private func take(
    _ committed: CommittedPosition, _ former: Partition<Log>?, _ now: Instant
  ) throws(LogFailure) -> Partition<Log> {
    let number = committed.partition
    // In this order: a target taken before the offsets could miss a predecessor's last transaction.
    let changelog = try log.bounds(Lane(.state, number))
    let inputs = try PerInput<Range<Int64>> { input throws(LogFailure) in
      try log.bounds(Lane(Topic(input), number))
    }
    if let former, case .restoring(let restore) = former.phase,
      restore.canGoOn(in: changelog)
    {
      restore.begin(committed, inputs, target: changelog.upperBound, now)
      former.note(committed, inputs)
      former.isInDoubt = false
      return former
    }
    let restore = Restore<Log>(batch: log.makeBatch(), from: changelog.lowerBound, startedAt: now)
    restore.begin(committed, inputs, target: changelog.upperBound, now)
    let partition = Partition(
      number: number, rules: configuration.rules, log: log, skips: configuration.skips(of: number),
      phase: .restoring(restore))
    partition.note(committed, inputs)
    return partition
  }

  /// Ends the restoring: the partition runs, or is stopped.
  private func finish(
    _ restore: Restore<Log>, of partition: Partition<Log>,
    _ found: (tally: StateTally, claimant: String?), _ record: PartitionRecord?, _ now: Instant
  ) throws(LogFailure) {
    isAssignmentStale = true
    if let record {
      try check(record, found.claimant, of: partition.number)
      if found.claimant == nil { try requireOwner(of: record, restore.committed) }
    }
    if let written = record?.tally, written != found.tally {
      return stop(partition, .stateIncomplete(written: written, found: found.tally))
    }
    let takeover: Takeover
    do throws(PartitionFault) {
      takeover = try Takeover.decide(
        committed: restore.committed, record: record, bounds: restore.inputBounds,
        gaps: configuration.gaps)
    } catch {
      return stop(partition, error)
    }
    partition.changelogStart = restore.beginning
    partition.changelogEnd = restore.position
    partition.lookedTo = restore.position
    partition.resume(found.tally, record, takeover, committed: restore.committed)
    if zip(takeover.positions, restore.inputBounds).allSatisfy({ $0 >= $1.upperBound }) {
      partition.noteRead(clock: min(restore.boundsAt, now))
    }
    if restore.beginning > 0 {
      report.occurrences.append(.changelogBegins(partition.number, at: restore.beginning))
    }
    for gap in takeover.gaps { report.occurrences.append(.gap(partition.number, gap)) }
    noteRules(record, takeover, of: partition)
    let owner = found.claimant ?? record?.group
    if record != nil, owner != configuration.group {
      partition.takenOverFrom = owner ?? configuration.takesOverGroup
    }
    if owner != configuration.group {
      partition.phase = .claiming(LookBack(batch: log.makeBatch(), from: restore.position))
      partition.isDirty = true
    }
    if partition.isDirty { transaction.begin(now) }
    tellPassedSkips(partition)
    report.occurrences.append(
      .restored(
        partition.number, records: restore.records,
        milliseconds: max(0, now.millisecondsSince(restore.startedAt))))
  }

  /// Notes since when the rules in force hold.
  private func noteRules(
    _ record: PartitionRecord?, _ takeover: Takeover, of partition: Partition<Log>
  ) {
    guard let record, record.rules != configuration.rules else { return }
    partition.rulesSince = takeover.positions[.messages]
    guard let former = record.rules else { return }
    report.occurrences.append(
      .rulesChanged(
        partition.number, from: former, to: configuration.rules, since: partition.rulesSince))
  }

  func stop(_ partition: Partition<Log>, _ fault: PartitionFault) {
    // What runs may have something to be committed still.
    if case .restoring = partition.phase { discard(partition) }
    partition.phase = .stopped(fault)
    isAssignmentStale = true
    report.occurrences.append(.stopped(partition.number, fault))
  }
}
