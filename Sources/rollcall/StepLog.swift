import Core
import Ops
import Worker

/// What a shard's steps did, as lines of the log.
struct StepLog {
  /// A busy worker says so often how it gets on, in milliseconds.
  private static let interval: Int64 = 10_000

  private let logger: Logger
  private let names: TopicNames
  private let group: String
  private var since: Instant
  private var inputRecords = 0
  private var outputRecords = 0
  private var restoredRecords = 0
  private var rejections: [ErrorCode: Int] = [:]

  init(_ logger: Logger, names: TopicNames, group: String, now: Instant) {
    self.logger = logger
    self.names = names
    self.group = group
    since = now
  }

  /// Takes the report of a step.
  mutating func note(_ report: StepReport, _ restores: [RestoreProgress], now: Instant) {
    for occurrence in report.occurrences { note(occurrence) }
    inputRecords += report.inputRecords.reduce(0, +)
    outputRecords += report.outputRecords
    restoredRecords += report.restoredRecords
    for (code, count) in report.rejections { rejections[code, default: 0] += count }
    let elapsed = now.millisecondsSince(since)
    guard elapsed >= StepLog.interval || elapsed < 0 else { return }
    tell(restores, elapsed: max(1, elapsed))
    since = now
    inputRecords = 0
    outputRecords = 0
    restoredRecords = 0
    rejections.removeAll()
  }

  private func tell(_ restores: [RestoreProgress], elapsed: Int64) {
    for restore in restores {
      logger.log(
        .info, "restoring",
        [
          "partition": .number(Int64(restore.partition)), "records": .count(restore.records),
          "left": .number(restore.target - restore.position),
          "recordsPerSecond": .number(Int64(restoredRecords) * 1000 / elapsed),
        ])
    }
    guard inputRecords > 0 else { return }
    var fields: [(String, Logger.Value)] = [
      ("inputRecords", .count(inputRecords)), ("outputRecords", .count(outputRecords)),
      ("recordsPerSecond", .number(Int64(inputRecords) * 1000 / elapsed)),
    ]
    for code in ErrorCode.allCases {
      if let count = rejections[code] { fields.append((code.rawValue, .count(count))) }
    }
    logger.log(.info, "working", fields)
  }

  private func note(_ occurrence: Occurrence) {
    switch occurrence {
    case .taken(let partitions, let kept):
      logger.log(
        .info, "partitions taken", ["partitions": .numbers(partitions), "kept": .numbers(kept)])
    case .givenUp(let partitions, let lost):
      logger.log(
        lost ? .warning : .info, "partitions given up",
        ["partitions": .numbers(partitions), "lost": .truth(lost)])
    case .restored(let partition, let records, let milliseconds):
      logger.log(
        .info, "partition restored",
        [
          "partition": .number(Int64(partition)), "records": .count(records),
          "milliseconds": .number(milliseconds),
        ])
    case .stopped(let partition, let fault):
      logger.log(
        .error, "partition stopped",
        [
          "partition": .number(Int64(partition)), "reason": .text(fault.label),
          "detail": .text(fault.detail(names, group: group, partition: partition)),
        ])
    case .changelogBegins(let partition, let offset):
      logger.log(
        .warning, "a changelog does not begin at offset 0: has its cleanup.policy been delete?",
        [
          "topic": .text(names[.state]), "partition": .number(Int64(partition)),
          "offset": .number(offset),
        ])
    case .gap(let partition, let gap):
      logger.log(
        .error, "an input has a gap, and its partition goes on behind it",
        [
          "topic": .text(names[gap.topic]), "partition": .number(Int64(partition)),
          "position": .number(gap.position), "resumed": .number(gap.resumed),
          "lostRecords": .number(gap.lostRecords),
        ])
    case .rulesChanged(let partition, let former, let rules, let since):
      logger.log(
        .warning, "rules changed",
        [
          "partition": .number(Int64(partition)),
          "changes": .text(rules.changes(since: former)),
          "from": .text("\(names[.messages]) \(since)"),
        ])
    case .committed(let inputRecords, let outputRecords, let outputBytes):
      logger.log(
        .debug, "committed",
        [
          "inputRecords": .count(inputRecords), "outputRecords": .count(outputRecords),
          "outputBytes": .count(outputBytes),
        ])
    case .failed(let failure):
      logger.log(
        .warning, "a transaction failed and is done again",
        [
          "next": .text(failure.disposition.rawValue), "reason": .text(failure.label),
          "detail": .text(failure.detail),
        ])
    case .outputTooLarge(let topic, let partition, let bytes):
      logger.log(
        .warning, "an output is too large for its topic and was rejected instead",
        [
          "topic": .text(names[topic]), "partition": .number(Int64(partition)),
          "bytes": .count(bytes),
        ])
    case .pinned(let pinned):
      logger.log(
        .warning, "an open transaction upstream holds a topic, and its partition, back",
        [
          "topic": .text(names[pinned.lane.topic]),
          "partition": .number(Int64(pinned.lane.partition)),
          "stableOffset": .number(pinned.stableOffset), "end": .number(pinned.endOffset),
          "since": .text(WallClock.text(pinned.since.milliseconds)),
          "remedy": .text(
            "find its producer: kafka-transactions.sh describe-producers --topic "
              + "\(names[pinned.lane.topic]) --partition \(pinned.lane.partition), or "
              + "find-hanging; have it commit or abort"),
        ])
    case .unpinned(let lane, let milliseconds):
      logger.log(
        .info, "a topic is no longer held back",
        [
          "topic": .text(names[lane.topic]), "partition": .number(Int64(lane.partition)),
          "milliseconds": .number(milliseconds),
        ])
    case .clockSet(let milliseconds):
      logger.log(
        .warning, "the clock was set; stream time takes no notice",
        ["milliseconds": .number(milliseconds)])
    case .retaken(let lane, let failure):
      logger.log(
        .warning, "a topic cannot be read on; its partition is taken anew",
        [
          "topic": .text(names[lane.topic]), "partition": .number(Int64(lane.partition)),
          "reason": .text(failure.label), "detail": .text(failure.detail),
        ])
    case .topicsMissing(let missing):
      for topic in missing {
        logger.log(
          .error, "a topic is missing; nothing is applied until it is there again",
          [
            "topic": .text(topic.name),
            "remedy": .text("create it with rollcall topics apply"),
          ])
      }
    case .topicsFound:
      logger.log(.info, "the topics that were missing are there again")
    case .partitionerDoubt(let topic, let likely):
      logger.log(
        .warning, "keys do not lie where the other topics' keys or a default partitioner lead",
        [
          "topic": .text(names[topic]),
          "likelyPartitioner": .text(likely?.rawValue ?? "neither murmur2 nor crc32"),
        ])
    case .idJump(let partition, let offset):
      logger.log(
        .warning, "an id lies more than 2^40 above all others of its conversation",
        [
          "topic": .text(names[.messages]), "partition": .number(Int64(partition)),
          "offset": .number(offset),
        ])
    }
  }
}
