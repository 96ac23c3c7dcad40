import Core
import Wire

/// The straight line for one record: decode, apply, encode, produce. And the same for the time that
/// passes.
extension Worker {
  /// Applies the next record of an input.
  func apply(
    _ input: InputTopic, of partition: Partition<Log>, _ now: Instant
  ) throws(LogFailure) {
    begin(partition, now)
    let changes = partition.machine.changeCount
    var isMore = false
    let batch = partition.lanes[input].batch
    let index = partition.lanes[input].index
    let source = Coordinates(
      topic: input, partition: partition.number, offset: batch.offset(index),
      timestamp: batch.timestamp(index))
    let isSkipped = partition.skips[input].contains(source.offset)
    batch.withRecord(index) { key, value in
      isMore = engine.apply(
        source, key: key, value: value, isSkipped: isSkipped, to: &partition.machine, clock: now,
        limit: recordLimit)
      inputs.note(source, key: key, hasIdJump: engine.outputs.hasIdJump, &report)
    }
    if isSkipped {
      report.skipped.append(
        .init(topic: source.topic, partition: source.partition, offset: source.offset))
    }
    report.work += engine.outputs.work
    partition.lanes[input].advance()
    partition.noteApplied(clock: now)
    transaction.addInput()
    transaction.add(changes: partition.machine.changeCount - changes)
    report.inputRecords[input] += 1
    unfinished = isMore ? partition : nil
    if !isMore { try tellAndProduce(partition) }
  }

  /// Goes on with a record that has woken more receipts than one step may apply.
  ///
  /// - Returns: whether it is done; nothing else may be applied or committed before.
  func finishRecord(limit: Int) throws(LogFailure) -> Bool {
    guard let partition = unfinished else { return true }
    let (changes, work) = (partition.machine.changeCount, engine.outputs.work)
    let isMore = engine.resume(&partition.machine, limit: limit)
    report.work += engine.outputs.work - work
    transaction.add(changes: partition.machine.changeCount - changes)
    guard !isMore else { return false }
    unfinished = nil
    try tellAndProduce(partition)
    return true
  }

  /// How much work a record may be in one step.
  var recordLimit: Int { max(remainingWork, configuration.stepWork / 8) }

  private func tellAndProduce(_ partition: Partition<Log>) throws(LogFailure) {
    report.count(engine.outputs)
    try produce(engine.records, for: partition.number)
  }

  /// Does some of what is due before a record, where that is much: after a long pause everything
  /// that is open may be. And moves stream time on by the time for which the partition was idle: a
  /// record with an old time, or none, waits, or is tracked, from now on.
  ///
  /// - Returns: whether there was so much.
  func passTime(
    of partition: Partition<Log>, before input: InputTopic, _ now: Instant
  ) throws(LogFailure) -> Bool {
    let headTime = min(partition.lanes[input].headTime, now)
    let time = max(headTime, partition.passedTime ?? headTime)
    let isMuchDue = partition.machine.isMuchDue(by: time, limit: tickLimit)
    if let streamTime = partition.machine.streamTime, time > max(headTime, streamTime) {
      noteTick(of: partition, to: time)
    } else if !isMuchDue {
      return false
    }
    _ = try tick(partition, to: time, now)
    return isMuchDue
  }

  /// What an idle partition that is read to its end still has to do: what time alone makes due,
  /// and committing a position that has passed control records.
  func catchUp(_ partition: Partition<Log>, _ now: Instant) throws(LogFailure) {
    partition.beginCounting(clock: now)
    if let due = partition.machine.nextDue, let streamTime = partition.streamTime(at: now),
      due <= streamTime
    {
      var isMore = true
      while isMore, remainingWork > 0, !transaction.isFull {
        noteTick(of: partition, to: streamTime)
        isMore = try tick(partition, to: streamTime, now)
      }
    }
    partition.noteRead(clock: now)
    partition.caughtUpAt = time?.uptime
    if !partition.isDirty, partition.hasMoved { begin(partition, now) }
  }

  private func noteTick(of partition: Partition<Log>, to streamTime: Instant) {
    let moved = Tick(partition: partition.number, to: streamTime)
    if report.ticked.last != moved { report.ticked.append(moved) }
  }

  /// Moves a partition's stream time on.
  ///
  /// - Returns: whether more is due.
  private func tick(
    _ partition: Partition<Log>, to time: Instant, _ now: Instant
  ) throws(LogFailure) -> Bool {
    begin(partition, now)
    let changes = partition.machine.changeCount
    let isMore = engine.tick(&partition.machine, to: time, limit: tickLimit)
    report.work += engine.outputs.work
    transaction.add(changes: partition.machine.changeCount - changes)
    try tellAndProduce(partition)
    return isMore
  }
}

extension StepReport {
  fileprivate mutating func count(_ outputs: Outputs) {
    for rejected in outputs.rejected { rejections[rejected.rejection.code, default: 0] += 1 }
    passedOver.covered += outputs.tally.covered
    passedOver.own += outputs.tally.own
    passedOver.notInAudience += outputs.tally.notInAudience
    passedOver.notTracked += outputs.tally.notTracked
    passedOver.tooOld += outputs.tally.tooOld
  }
}
