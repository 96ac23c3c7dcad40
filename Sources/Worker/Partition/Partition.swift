import Core
import Wire

/// One partition that the group has given to this worker.
final class Partition<Log: RecordLog> {
  /// How far a partition has come since it was taken.
  ///
  ///     restoring ──counted─▶ running ──▶ (dropped when it is given away or a transaction fails)
  ///      │     └─────fault─────▶ stopped
  ///      └─nobody's yet─▶ claiming ─alone─▶ running
  enum Phase {
    case restoring(Restore<Log>)
    /// The state names no group, or another one that gives it up: the name is written first, then
    /// it is looked whether somebody else has done so at the same time. Also where the changelog
    /// has more than was written here.
    case claiming(LookBack<Log>)
    case running
    case stopped(PartitionFault)
  }

  let number: Int32
  var phase: Phase
  var machine: Machine
  /// Where each input stands.
  var lanes: PerInput<LaneCursor<Log.Batch>>
  /// The version of the last transaction.
  var version: Int64 = 0
  /// The messages offset from which the rules of this worker are known to hold.
  var rulesSince: Int64 = 0
  /// How many records of each input were gone before they were read.
  var lostRecords: PerInput<Int64> = [0, 0, 0]
  /// How many gaps of each input the partition has gone on behind.
  var gaps: PerInput<Int64> = [0, 0, 0]
  /// The group whose state is being taken over.
  var takenOverFrom: String?
  /// Where the changelog began when it was folded.
  var changelogStart: Int64 = 0
  /// Where it ends, if nobody else has written to it.
  var changelogEnd: Int64 = 0
  /// How far it was seen that nobody has, and when.
  var lookedTo: Int64 = 0
  var lookedAt: Instant?
  /// The live pieces that the changelog has.
  var tally = StateTally()
  /// The note and the offsets of the last transaction that the log has acknowledged; nil while
  /// there is none that the group knows of.
  var acknowledged: CommittedPosition?
  /// The clock less the stream time when the newest record was applied, in milliseconds, and the
  /// time since then in which stream time had to stand still; nil while it is not known.
  var clockDistance: Int64?
  /// The part of it that no transaction has saved yet.
  var unsavedStandstill: Int64 = 0
  /// As far as stream time goes on before the next record is applied: to where the clock had taken
  /// it when all three inputs were last known to be read to their ends.
  var passedTime: Instant?
  /// When that was in the course of a step, by the time that passes evenly.
  var caughtUpAt: Int64?
  /// What was told to hold each lane.
  var toldPins: PerInput<Pin?> = [nil, nil, nil]
  /// The state or a position has moved since.
  var isDirty = false
  /// A lane may not be what it was: the partition is taken anew.
  var isInDoubt = false
  /// How far each input is applied, and where it ended when the partition was taken.
  private(set) var taken: PerInput<(position: Int64, end: Int64)> = [(0, 0), (0, 0), (0, 0)]
  /// The offsets of the inputs to be skipped.
  let skips: PerInput<Set<Int64>>

  init(number: Int32, rules: Rules, log: Log, skips: PerInput<Set<Int64>>, phase: Phase) {
    self.number = number
    self.phase = phase
    self.skips = skips
    machine = Machine(partition: number, rules: rules)
    lanes = PerInput<LaneCursor<Log.Batch>> { _ in LaneCursor(batch: log.makeBatch()) }
  }

  /// Runs with the machine that a restore has filled.
  func resume(
    _ tally: StateTally, _ record: PartitionRecord?, _ takeover: Takeover,
    committed: CommittedPosition
  ) {
    machine.sequenceBase = record?.sequenceBase ?? 0
    self.tally = tally
    version = record?.version ?? 0
    clockDistance = record?.clockDistance
    rulesSince = record?.rulesSince ?? 0
    if let record { (lostRecords, gaps) = (record.lostRecords, record.gaps) }
    for input in InputTopic.allCases {
      lanes[input].restart(at: takeover.positions[input], behind: takeover.landmarks[input])
      lanes[input].lastApplied = record?.lastApplied[input]
    }
    for gap in takeover.gaps { pass(gap) }
    acknowledged = takeover.needsCommit ? nil : committed
    // What a landmark may still stop changes nothing before it is passed.
    isDirty = takeover.needsCommit && lanes.allSatisfy { $0.landmark == nil }
    phase = .running
  }

  /// Notes what the group has committed of the inputs, and where they begin and end.
  func note(_ committed: CommittedPosition, _ bounds: PerInput<Range<Int64>>) {
    taken = PerInput<(position: Int64, end: Int64)> { input in
      let bounds = bounds[input]
      return (max(bounds.lowerBound, committed.offsets[input] ?? .min), bounds.upperBound)
    }
  }

  /// Goes on behind a gap of an input, with the state as it is.
  func pass(_ gap: Gap) {
    if let input = gap.topic.input {
      gaps[input] += 1
      lostRecords[input] += gap.lostRecords
      lanes[input].restart(at: gap.resumed, behind: nil)
      lanes[input].lastApplied = nil
      lanes[input].witness = nil
    }
    if gap.topic == .messages { machine.sequenceBase &+= gap.sequenceStep }
  }

  /// What the next transaction writes of the partition itself.
  func record(_ configuration: WorkerConfiguration) -> PartitionRecord {
    var record = PartitionRecord(
      version: version + 1, writer: configuration.writer,
      nextOffsets: lanes.map(\.position), streamTime: machine.streamTime,
      nextTicket: machine.nextTicket, threads: configuration.rules.threads,
      partitionCount: configuration.partitionCount)
    record.group = configuration.group
    if case .claiming(let look) = phase { record.isClaim = look.isForClaim }
    record.rules = configuration.rules
    record.rulesSince = rulesSince
    record.clockDistance = clockDistance
    record.lastApplied = lanes.map(\.savedLandmark)
    record.sequenceBase = machine.sequenceBase
    record.lostRecords = lostRecords
    record.gaps = gaps
    record.tally = tally
    return record
  }

  /// Whether inputs are applied.
  var isRunning: Bool {
    if case .running = phase { true } else { false }
  }

  /// Whether its changelog is read, or its machine is being filled.
  var isRestoring: Bool {
    if case .restoring = phase { true } else { false }
  }

  /// Whether its changelog is read, and its machine is being filled.
  var isCounting: Bool {
    if case .restoring(let restore) = phase { restore.isRead } else { false }
  }

  /// Whether records of its changelog are in hand, to be folded.
  var isFolding: Bool {
    if case .restoring(let restore) = phase { restore.hasRecord } else { false }
  }

  /// Whether everything in the three lanes is applied, as far as is known.
  var isCaughtUp: Bool { lanes.allSatisfy(\.isAtEnd) }

  /// Whether a lane waits for the end of an open transaction, and the partition with it.
  var isPinned: Bool { lanes.contains(where: \.isPinned) }

  /// Whether a position has passed what was committed: records that are not given out lie there.
  var hasMoved: Bool {
    guard let acknowledged else { return true }
    return InputTopic.allCases.contains { lanes[$0].position != acknowledged.offsets[$0] }
  }

  /// The lane whose record is to be applied next; nil while a lane that might be behind has no
  /// record in hand, or when there is nothing.
  ///
  /// Records are applied in the order of their timestamps, ties in the order of the topics. A
  /// timestamp ahead of the clock counts as the clock, so that it holds up nothing for long.
  func nextLane(clock: Instant) -> InputTopic? {
    var next: InputTopic?
    var nextTime = Instant.distantFuture
    for input in InputTopic.allCases {
      guard lanes[input].hasRecord else {
        if lanes[input].isAtEnd { continue }
        return nil
      }
      let time = min(lanes[input].headTime, clock)
      if next == nil || time < nextTime {
        next = input
        nextTime = time
      }
    }
    return next
  }

  /// Whether the memory is what the group's committed position speaks of.
  func isCurrent(_ committed: CommittedPosition) -> Bool {
    isRunning && !isDirty && !isInDoubt && acknowledged == committed
  }
}
