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
      throw LogFailure(.exit, label: "threads_changed", detail: detail)
    }
    if record.partitionCount != configuration.partitionCount {
      let detail =
        "partition \(partition) was written when the topics had "
        + "\(record.partitionCount) partitions, now they have \(configuration.partitionCount): "
        + "conversations may have moved; make the topics anew with the former count, or begin "
        + "with a new --group and a new state topic"
      throw LogFailure(.exit, label: "partition_count_changed", detail: detail)
    }
  }

  private func groupDiffers(_ partition: Int32, _ found: String) -> LogFailure {
    LogFailure(
      .exit, label: "group_differs",
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
    do throws(StateError) { try look.take() } catch {
      return stop(partition, .unreadableState(error.label))
    }
    guard look.isComplete else { return }
    guard let first = look.first else {
      return stop(partition, .unreadableState("claim_missing"))
    }
    guard first.group == configuration.group else {
      throw groupDiffers(
        partition.number,
        "the state of partition \(partition.number) was taken at the same time by "
          + (first.group.map { "group \($0)" } ?? "a worker of Rollcall 0.1.0")
          + " (\(first.writer))")
    }
    partition.phase = .running
    isAssignmentStale = true
  }

  /// Acts where a lane has something else in the place of the last record applied.
  func meetStranger(
    _ index: Int, of partition: Partition<Log>, _ now: Instant
  ) throws(LogFailure) {
    let lane = partition.lanes[index]
    guard let stranger = lane.stranger, let applied = lane.landmark else { return }
    let topic = LogTopic(InputTopic.allCases[index])
    let bounds = try log.bounds(Lane(topic, partition.number))
    var time: Instant?
    if case .record(let found) = stranger { time = found }
    var fault: PartitionFault? = .madeAnew(topic, applied: applied, found: time)
    if stranger == .nothing, !bounds.contains(applied.offset) {
      // It has been deleted since the takeover asked.
      fault = Takeover.fault(of: topic, at: lane.position, bounds)
    }
    guard let fault else {
      partition.lanes[index].restart(at: lane.position, behind: nil)
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
