import Core
import Wire

/// Whose a partition's state is, and whether its inputs are still those that it was made of.
extension Worker {
  /// Refuses state of another group, and state that was written under rules which cannot be changed
  /// afterwards.
  func check(
    _ record: PartitionRecord, _ claimant: String?, of partition: Int32
  ) throws(LogFailure) {
    let rules = configuration.rules
    if let owner = claimant ?? record.group, owner != configuration.group,
      owner != configuration.takesOverGroup
    {
      throw groupDiffers(partition, "the state of partition \(partition) is that of group \(owner)")
    }
    if record.threads != rules.threads {
      let detail =
        "partition \(partition) was written under threads \(record.threads.rawValue), "
        + "this worker runs under threads \(rules.threads.rawValue): "
        + "start it with --threads \(record.threads.rawValue)"
      throw LogFailure(.exit, label: LogFailure.threadsChanged, detail: detail)
    }
    if record.partitionCount != configuration.partitionCount {
      let detail =
        "partition \(partition) was written when the topics had "
        + "\(record.partitionCount) partitions, now they have \(configuration.partitionCount): "
        + "conversations may have moved; make the topics anew with the former count, or begin "
        + "with a new --group and a new state topic"
      throw LogFailure(.exit, label: LogFailure.partitionCountChanged, detail: detail)
    }
  }

  /// Refuses state that names no group where nothing says that it is ours: its group, which may be
  /// at work, has committed offsets along with it.
  func requireOwner(
    of record: PartitionRecord, _ committed: CommittedPosition
  ) throws(LogFailure) {
    guard record.group == nil, configuration.takesOverGroup == nil,
      committed.offsets.allSatisfy({ $0 == nil })
    else { return }
    let partition = committed.partition
    throw groupDiffers(
      partition,
      "the state of partition \(partition) names no group (Rollcall 0.1.0 wrote it), and group "
        + "\(configuration.group) has committed nothing of it")
  }

  private func groupDiffers(_ partition: Int32, _ found: String) -> LogFailure {
    LogFailure(
      .exit, label: LogFailure.groupDiffers,
      detail: found
        + ", this worker is of group \(configuration.group), and two groups on one state "
        + "announce everything twice: start it with the other --group, or give this group a prefix "
        + "and topics of its own; to move the state, stop the other group and start with "
        + "--take-over-group")
  }

  /// Goes on with a claim: waits until it is committed, then looks whether it was the first.
  func lookBack(
    _ look: LookBack<Log>, of partition: Partition<Log>, _ now: Instant
  ) throws(LogFailure) {
    let lane = Lane(.state, partition.number)
    guard look.target != nil else {
      guard !partition.isDirty else { return }
      look.target = try log.bounds(lane).upperBound
      isAssignmentStale = true
      return
    }
    try log.fetch(lane, into: look.batch)
    do throws(StateError) { try look.take(besides: configuration.group) } catch {
      return stop(partition, .unreadableState(error.label))
    }
    guard look.isComplete else { return }
    partition.changelogEnd = look.position
    partition.lookedTo = look.position
    guard look.first != nil || !look.isForClaim else {
      return stop(partition, .unreadableState("claim_missing"))
    }
    if let other = look.other(than: configuration.group) {
      throw groupDiffers(
        partition.number,
        "the state of partition \(partition.number) was written meanwhile by "
          + (other.group.map { "group \($0)" } ?? "a worker of Rollcall 0.1.0")
          + " (\(other.writer))")
    }
    partition.phase = .running
    isAssignmentStale = true
    guard look.hasPieces, !look.isForClaim else { return }
    // Folded again it shows what is missing, or too much.
    partition.isInDoubt = true
    recovery.require(.adopt)
  }

  /// Tells of a partition whose state names our group from the transaction on that was committed.
  func noteTakeover(of partition: Partition<Log>) {
    guard let former = partition.takenOverFrom else { return }
    partition.takenOverFrom = nil
    hasTakenOver = true
    report.takenOver.append(StateMove(partition: partition.number, from: former))
  }

  /// Says once where there is nothing to be taken over that was to be.
  func watchTakeover() {
    guard !hasTakenOver, let former = configuration.takesOverGroup, !partitions.isEmpty,
      !recovery.isNeeded, partitions.allSatisfy(\.isRunning)
    else { return }
    hasTakenOver = true
    report.vainTakeover = former
  }

  /// Once a minute, right after a commit and for one partition at a time, looks whether its
  /// changelog ends where our own records do. A worker of another group, or of a version that does
  /// not look whose the state is, writes there as well; what else lies there (a mark that Kafka has
  /// written twice) is found harmless.
  func watchChangelog(_ now: Instant) throws(LogFailure) {
    let due = partitions.first { partition in
      guard partition.isRunning, !partition.isDirty else { return false }
      return partition.lookedAt.map { now.millisecondsSince($0) >= Self.lookInterval } ?? true
    }
    guard let partition = due else { return }
    let isFirst = partition.lookedAt == nil
    partition.lookedAt = now
    // It has just been folded to its end.
    guard !isFirst else { return }
    let bounds = try log.bounds(Lane(.state, partition.number))
    let end = bounds.upperBound
    guard end >= partition.changelogEnd, bounds.lowerBound <= partition.changelogStart else {
      // It has lost what was written here, or was made anew: the restore says what is missing.
      partition.isInDoubt = true
      return recovery.require(.adopt)
    }
    guard end > partition.changelogEnd else { return partition.lookedTo = end }
    partition.phase = .claiming(
      LookBack(batch: log.makeBatch(), from: partition.lookedTo, to: end))
    isAssignmentStale = true
  }

  private static var lookInterval: Int64 { 60_000 }

  /// After a pause in which the worker was stopped, has each input show its last record again
  /// before anything more is applied: it may have been made anew meanwhile, and filled past the
  /// position.
  func doubtInputs() {
    for partition in partitions + aside where partition.isRunning {
      for input in InputTopic.allCases { partition.lanes[input].doubt() }
      if partition.lookedAt != nil { partition.lookedAt = .distantPast }
      isAssignmentStale = true
    }
  }

  /// Acts where a lane has something else in the place of the last record applied.
  func meetStranger(
    _ input: InputTopic, of partition: Partition<Log>, _ now: Instant
  ) throws(LogFailure) {
    let lane = partition.lanes[input]
    guard let stranger = lane.stranger, let applied = lane.landmark else { return }
    let topic = Topic(input)
    let bounds = try log.bounds(Lane(topic, partition.number))
    var time: Instant?
    if case .record(let found) = stranger { time = found }
    var fault: PartitionFault? = .madeAnew(topic, applied: applied, found: time)
    if stranger == .nothing, !bounds.contains(applied.offset) {
      // It has been deleted since the takeover asked.
      fault = Takeover.fault(of: topic, at: lane.position, bounds)
    }
    guard let fault else {
      partition.lanes[input].restart(at: lane.position, behind: nil)
      isAssignmentStale = true
      return
    }
    guard configuration.gaps == .continue else { return stop(partition, fault) }
    let gap = Gap(topic, at: lane.position, bounds)
    partition.pass(gap)
    begin(partition, now)
    isAssignmentStale = true
    report.occurrences.append(.gap(partition.number, gap))
  }
}
