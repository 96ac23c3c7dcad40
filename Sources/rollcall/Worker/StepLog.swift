import Core
import Ops
import Worker

/// What a shard's steps did, as lines of the log.
struct StepLog {
  /// How often a busy worker logs its progress, in milliseconds, and an idle one that it is alive.
  private static let interval: Int64 = 10_000
  private static let idleInterval: Int64 = 60_000
  /// A shorter restore after a failure is not logged, in milliseconds.
  private static let briefly: Int64 = 1000

  private let logger: Logger
  private let names: TopicNames
  /// The number of partitions in all, and who the shard is in which group.
  private let partitionCount: Int32
  private let group: String
  private let member: String

  private var since: Instant
  private var inputRecords = 0
  private var outputRecords = 0
  private var rejections: [ErrorCode: Int] = [:]
  private var hasJoined = false
  /// The partitions that were told of as taken; nil when they were given up since.
  private var taken: [Int32]?
  /// What is taken now was taken before: a transaction failed, and is done again.
  private var isRecovering = false
  /// The restores whose beginning was told of.
  private var restoring: Set<Int32> = []
  /// When a failure of a label was told last: what is tried again fails again.
  private var failures: [String: Instant] = [:]

  init(_ logger: Logger, _ settings: WorkerSettings, shard: Int, partitions: Int32, now: Instant) {
    self.logger = logger
    names = settings.connection.names
    partitionCount = partitions
    group = settings.group
    member = settings.member(shard)
    since = now
  }

  /// Takes the report of a step.
  ///
  /// - Parameters:
  ///   - start: when the step began, as the worker was told.
  ///   - status: what the worker has in hand after it; asked for only where it is told.
  mutating func note(
    _ report: StepReport, from start: Instant, to now: Instant, status: () -> WorkerStatus?
  ) {
    for occurrence in report.occurrences {
      note(occurrence, start, now)
      if case .taken = occurrence, !isRecovering, let status = status() {
        begin(status.restores, now)
      }
    }
    tellTakeover(report)
    if report.isStandingBy { standBy() }
    inputRecords += report.inputRecords.reduce(0, +)
    outputRecords += report.outputRecords
    for (code, count) in report.rejections { rejections[code, default: 0] += count }
    let elapsed = now.millisecondsSince(since)
    guard elapsed >= StepLog.interval || elapsed < 0, let status = status() else { return }
    for restore in status.restores { tell(restore, now) }
    guard inputRecords > 0 || elapsed >= StepLog.idleInterval || elapsed < 0 else { return }
    tell(status, elapsed: max(1, elapsed))
    since = now
    inputRecords = 0
    outputRecords = 0
    rejections.removeAll()
  }

  private mutating func begin(_ restores: [RestoreProgress], _ now: Instant) {
    for restore in restores where restoring.insert(restore.partition).inserted {
      tell(restore, now)
    }
  }

  private func tell(_ restore: RestoreProgress, _ now: Instant) {
    let milliseconds = max(1, now.millisecondsSince(restore.startedAt))
    logger.log(
      .info, "restoring",
      [
        "partition": .number(Int64(restore.partition)), "phase": .text(restore.phase.rawValue),
        "records": .count(restore.records), "left": .number(restore.target - restore.position),
        "recordsPerSecond": .number(Int64(restore.records) * 1000 / milliseconds),
        "pieces": .count(restore.pieces), "counted": .count(restore.counted),
      ])
  }

  private func tell(_ status: WorkerStatus, elapsed: Int64) {
    var fields: [(String, Logger.Value)] = [
      ("inputRecords", .count(inputRecords)), ("outputRecords", .count(outputRecords)),
      ("recordsPerSecond", .number(Int64(inputRecords) * 1000 / elapsed)),
    ]
    for code in ErrorCode.allCases {
      if let count = rejections[code] { fields.append((code.rawValue, .count(count))) }
    }
    fields.append(("partitions", .count(status.partitions.count)))
    if let lag = status.lagRecords { fields.append(("lagRecords", .number(lag))) }
    fields += [
      ("conversations", .count(status.conversations)), ("messages", .count(status.messages)),
      ("openMessages", .count(status.openMessages)),
      ("waitingRecords", .count(status.waitingRecords)),
    ]
    if !status.stopped.isEmpty {
      fields.append(
        ("stopped", .list(status.stopped.map { .text("\($0.partition): \($0.fault.label)") })))
    }
    if !status.pinned.isEmpty {
      let records = status.pinned.reduce(0) { $0 + $1.endOffset - $1.stableOffset }
      fields.append(("heldBackRecords", .number(records)))
      fields.append(("heldBack", .list(status.pinned.map { .text(text(of: $0)) })))
    }
    if let bytes = ProcessMemory.residentBytes { fields.append(("memoryBytes", .number(bytes))) }
    logger.log(.info, "working", fields)
  }

  private func text(of pinned: PinnedLane) -> String {
    "\(names[pinned.lane.topic]) \(pinned.lane.partition): \(pinned.stableOffset) to "
      + "\(pinned.endOffset) since \(WallClock.text(pinned.since.milliseconds))"
  }

  private mutating func join(_ partitions: Int) {
    guard !hasJoined else { return }
    hasJoined = true
    logger.log(
      .info, "joined the group",
      ["group": .text(group), "member": .text(member), "partitions": .count(partitions)])
  }

  private func tellTakeover(_ report: StepReport) {
    for move in report.takenOver {
      logger.log(
        .info, "partition taken over from another group",
        [
          "partition": .number(Int64(move.partition)), "from": .text(move.from),
          "group": .text(group),
        ])
    }
    if let former = report.vainTakeover {
      logger.log(
        .warning, "nothing to take over",
        [
          "from": .text(former), "group": .text(group),
          "remedy": .text(
            "take --take-over-group out, or name the group whose state it is: of \(former) no "
              + "partition here has any"),
        ])
    }
  }

  private mutating func standBy() {
    join(0)
    guard taken != [] else { return }
    taken = []
    logger.log(
      .info, "standing by: other members have all partitions",
      ["partitions": .number(Int64(partitionCount))])
  }

  private mutating func note(_ occurrence: Occurrence, _ start: Instant, _ now: Instant) {
    switch occurrence {
    case .taken(let partitions, let kept):
      join(partitions.count)
      isRecovering = taken == partitions
      logger.log(
        isRecovering ? .debug : .info, "partitions taken",
        ["partitions": .numbers(partitions), "kept": .numbers(kept)])
      taken = partitions
    case .givenUp(let partitions, let lost):
      taken = nil
      restoring.removeAll()
      guard !partitions.isEmpty else { return }
      logger.log(
        lost ? .warning : .info, "partitions given up",
        ["partitions": .numbers(partitions), "lost": .truth(lost)])
    case .restored(let partition, let records, let milliseconds):
      restoring.remove(partition)
      // The worker's clock stands still in a step, also in the last one.
      let whole = milliseconds + max(0, now.millisecondsSince(start))
      logger.log(
        isRecovering && whole < StepLog.briefly ? .debug : .info, "partition restored",
        [
          "partition": .number(Int64(partition)), "records": .count(records),
          "milliseconds": .number(whole),
        ])
    case .failed(let failure): note(failure, now)
    default: note(occurrence)
    }
  }

  private mutating func note(_ failure: LogFailure, _ now: Instant) {
    let last = failures[failure.label]
    let isNew = last.map { abs(now.millisecondsSince($0)) >= StepLog.interval } ?? true
    if isNew { failures[failure.label] = now }
    var fields: [(String, Logger.Value)] = [
      ("next", .text(failure.disposition.rawValue)), ("reason", .text(failure.label)),
      ("detail", .text(failure.detail)),
    ]
    if failure.label == LogFailure.fenced {
      let remedy = "see that no other worker has the --instance-id of \(member)"
      fields.append(("remedy", .text(remedy)))
    }
    // A topic that takes less than its producers may send refuses the same record each time.
    let isForGood = failure.label == "msg_size_too_large"
    if isForGood {
      fields.append(("remedy", .text("raise the max.message.bytes of the topic that it names")))
    }
    logger.log(
      isNew ? isForGood ? .error : .warning : .debug, "a transaction failed and is done again",
      fields)
  }

  private func note(_ occurrence: Occurrence) {
    switch occurrence {
    case .stopped(let partition, let fault):
      let detail = fault.detail(names, group: group, partition: partition)
      logger.log(
        .error, "partition stopped",
        [
          ("partition", .number(Int64(partition))), ("reason", .text(fault.label)),
          ("detail", .text(detail)),
        ])
    case .changelogBegins(let partition, let offset):
      logger.log(
        .warning, "a changelog does not begin at offset 0: has its cleanup.policy been delete?",
        place(.state, partition) + [("offset", .number(offset))])
    case .gap(let partition, let gap): tell(gap, partition)
    case .rulesChanged(let partition, let former, let rules, let since):
      logger.log(
        .warning, "rules changed",
        [
          ("partition", .number(Int64(partition))),
          ("changes", .text(rules.changes(since: former))),
          ("from", .text("\(names[.messages]) \(since)")),
        ])
    case .committed(let inputRecords, let outputRecords, let outputBytes):
      logger.log(
        .debug, "committed",
        [
          ("inputRecords", .count(inputRecords)), ("outputRecords", .count(outputRecords)),
          ("outputBytes", .count(outputBytes)),
        ])
    case .outputTooLarge(let topic, let partition, let bytes):
      logger.log(
        .warning, "an output is too large for its topic and was rejected instead",
        place(topic, partition) + [("bytes", .count(bytes))])
    case .pinned(let pinned): tell(pinned)
    case .unpinned(let lane, let milliseconds):
      logger.log(
        .info, "a topic is no longer held back",
        place(lane.topic, lane.partition) + [("milliseconds", .number(milliseconds))])
    case .clockSet(let milliseconds):
      logger.log(
        .warning, "the clock was set; stream time takes no notice",
        [("milliseconds", .number(milliseconds))])
    case .retaken(let lane, let failure):
      logger.log(
        .warning, "a topic cannot be read on; its partition is taken anew",
        place(lane.topic, lane.partition) + [
          ("reason", .text(failure.label)), ("detail", .text(failure.detail)),
        ])
    case .topicsMissing(let missing): missing.forEach(tellMissing)
    case .topicsFound:
      logger.log(.info, "the topics that were missing are there again")
    case .partitionerDoubt(let topic, let likely):
      let found = likely?.rawValue ?? "neither murmur2 nor crc32"
      logger.log(
        .warning, "keys do not lie where the other topics' keys or a default partitioner lead",
        [("topic", .text(names[topic])), ("likelyPartitioner", .text(found))])
    case .idJump(let partition, let offset):
      logger.log(
        .warning, "an id lies more than 2^40 above all others of its conversation",
        place(.messages, partition) + [("offset", .number(offset))])
    // Told of with the state that they change, or elsewhere.
    case .taken, .givenUp, .restored, .failed: return
    }
  }

  private func place(_ topic: Topic, _ partition: Int32) -> [(String, Logger.Value)] {
    [("topic", .text(names[topic])), ("partition", .number(Int64(partition)))]
  }

  private func tell(_ gap: Gap, _ partition: Int32) {
    logger.log(
      .error, "an input has a gap, and its partition goes on behind it",
      place(gap.topic, partition) + [
        ("position", .number(gap.position)), ("resumed", .number(gap.resumed)),
        // Offsets that begin again are those of a topic made anew: nobody knows what was lost.
        ("lostRecords", gap.resumed < gap.position ? .text("unknown") : .number(gap.lostRecords)),
      ])
  }

  private func tell(_ pinned: PinnedLane) {
    let (topic, partition) = (names[pinned.lane.topic], pinned.lane.partition)
    logger.log(
      .warning, "an open transaction upstream holds a topic, and its partition, back",
      place(pinned.lane.topic, partition) + [
        ("stableOffset", .number(pinned.stableOffset)), ("end", .number(pinned.endOffset)),
        ("since", .text(WallClock.text(pinned.since.milliseconds))),
        (
          "remedy",
          .text(
            "find its producer: kafka-transactions.sh describe-producers --topic "
              + "\(topic) --partition \(partition), and list; have "
              + "it commit or abort; of a dead one forceTerminateTransaction ends it")
        ),
      ])
  }

  private func tellMissing(_ topic: TopicCount) {
    logger.log(
      .error, "a topic is missing; nothing is applied until it is there again",
      [
        ("topic", .text(topic.name)),
        ("remedy", .text("create it with rollcall topics apply")),
      ])
  }
}
