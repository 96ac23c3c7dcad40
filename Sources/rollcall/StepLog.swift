import Core
import Ops
import Worker

/// What a shard's steps did, as lines of the log.
struct StepLog {
  /// A busy worker says so often how it gets on, in milliseconds.
  private static let interval: Int64 = 10_000

  private let logger: Logger
  private let names: TopicNames
  private var since: Instant
  private var inputRecords = 0
  private var outputRecords = 0
  private var restoredRecords = 0
  private var rejections: [ErrorCode: Int] = [:]

  init(_ logger: Logger, names: TopicNames, now: Instant) {
    self.logger = logger
    self.names = names
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
          "detail": .text(fault.detail(names)),
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
    case .partitionerDoubt(let topic, let likely):
      logger.log(
        .warning, "keys do not lie where the other topics' keys or a default partitioner lead",
        [
          "topic": .text(names[topic]),
          "likelyPartitioner": .text(likely?.rawValue ?? "neither murmur2 nor crc32"),
        ])
    }
  }
}

extension PartitionFault {
  /// A fixed word.
  fileprivate var label: String {
    switch self {
    case .offsetsDiffer: "offsets_differ"
    case .offsetWithoutState: "offset_without_state"
    case .versionsDiffer: "versions_differ"
    case .beyondEnd: "offset_beyond_end"
    case .belowStart: "offset_below_start"
    case .unreadableState: "unreadable_state"
    }
  }

  /// What is wrong and how to mend it.
  fileprivate func detail(_ names: TopicNames) -> String {
    let mend =
      "set the group's offset back to the changelog's, or begin the partition anew with "
      + "rollcall topics reset-state"
    switch self {
    case .offsetsDiffer(let topic, let committed, let changelog):
      return "the group's offset of \(names[topic]) is \(committed), the changelog's \(changelog): "
        + mend
    case .offsetWithoutState(let topic, let committed):
      return "the group's offset of \(names[topic]) is \(committed), and \(names[.state]) has no "
        + "state for it: " + mend
    case .versionsDiffer(let committed, let changelog):
      return
        "the group's offset was committed with version '\(committed)', the changelog ends with "
        + "'\(changelog)': " + mend
    case .beyondEnd(let topic, let offset, let end):
      return "the offset \(offset) of \(names[topic]) lies beyond its end \(end): the topic was "
        + "truncated or made anew; begin the partition anew with rollcall topics reset-state"
    case .belowStart(let topic, let offset, let start):
      return "the records \(offset) to \(start - 1) of \(names[topic]) were deleted unread: raise "
        + "the topic's retention; begin the partition anew with rollcall topics reset-state"
    case .unreadableState(let label):
      return "\(names[.state]) holds what this version cannot read (\(label)): start the version "
        + "that wrote it, or a later one"
    }
  }
}
