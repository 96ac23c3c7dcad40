package import Core

/// The traffic of a chat service, made from a seed, record by record and without an end.
///
/// It keeps its conversations and their members, however long it runs. Its time begins long ago, so
/// that what a receipt says of time always bounds it, and not the broker's clock. What must come of
/// it can be told from the records alone: whatever waits for something waits for `lateRecords`
/// records at most, or, where it is forged, for ever.
package struct Workload: Sendable {
  /// When the workload's own time begins.
  package static let start = Instant(milliseconds: 1_000_000_000_000)

  private var pen: WorkloadPen
  private(set) var conversations: [WorkloadConversation]
  private var turns: WorkloadTurns
  private var held = WorkloadHeld()
  /// Records made, and records given out.
  private var madeCount: Int64 = 0
  private var givenCount = 0
  private var hasEnded = false
  private var single = WorkloadArena()

  /// The traffic of a seed; the same seed and options give the same bytes in every process.
  ///
  /// - Parameter partitionCount: how many partitions each topic has; at least 1.
  package init(seed: UInt64, options: WorkloadOptions, partitionCount: Int32) {
    precondition(partitionCount > 0)
    pen = WorkloadPen(
      options: options, partitionCount: partitionCount, random: SplitMix64(seed: seed),
      now: Self.start.milliseconds)
    conversations = WorkloadPlan(seed: seed).conversations(&pen)
    turns = WorkloadTurns(
      weights: conversations.map { $0.weight(options) }, busyCount: options.busy)
  }

  /// The next record; nil only after `end`, once what was written late is given, too.
  package mutating func next() -> WorkloadRecord? {
    var arena = WorkloadArena()
    swap(&arena, &single)
    defer { swap(&arena, &single) }
    arena.removeAll()
    return next(into: &arena) ? arena[0] : nil
  }

  /// Begins nothing new: what is still to be written late is given, then no more.
  package mutating func end() { hasEnded = true }

  /// Adds the next record to others in one piece of memory; false where `next` gives nil.
  package mutating func next(into arena: inout WorkloadArena) -> Bool {
    while true {
      if let record = held.release(due: hasEnded ? .max : givenCount) {
        arena.append(record.record, isRepeat: record.isRepeat)
        givenCount += 1
        return true
      }
      guard !hasEnded, !conversations.isEmpty else { return false }
      make(into: &arena)
      let mayStray = pen.mayStray && held.hasRoom
      if mayStray, pen.chance(pen.options.late) {
        held.hold(arena.removeLast(), isRepeat: false, until: strayTime())
        continue
      }
      if mayStray, pen.chance(pen.options.duplicates) {
        held.hold(arena[arena.count - 1], isRepeat: true, until: strayTime())
      }
      givenCount += 1
      return true
    }
  }

  private mutating func strayTime() -> Int {
    givenCount + 1 + pen.below(max(1, pen.options.lateRecords))
  }

  private mutating func make(into arena: inout WorkloadArena) {
    pen.now =
      Self.start.milliseconds + madeCount * 1000 / Int64(max(1, pen.options.recordsPerSecond))
    madeCount += 1
    let turn = turns.pick(&pen)
    swap(&pen.bytes, &arena.bytes)
    conversations[turn.conversation].step(&pen)
    swap(&pen.bytes, &arena.bytes)
    if conversations[turn.conversation].isDone { turns.replace(turn.place, &pen) }
    arena.append(
      topic: pen.topic, partition: pen.partition, key: pen.keyStart..<pen.valueStart,
      time: Instant(milliseconds: pen.now))
  }
}
