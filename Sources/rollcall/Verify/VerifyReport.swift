import Core
import Lab
import Ops
import Oracle
import Wire
import Worker

/// What `rollcall verify` has found, of all partitions together.
struct VerifyReport {
  /// What the oracle says.
  var verdict = OracleVerdict()
  private var partitions = 0
  /// Applied records of messages, receipts and deletes.
  private var inputs: PerInput<Int> = [0, 0, 0]
  /// Input records that the workers have not applied.
  private var notApplied: Int64 = 0
  /// Partitions with a state of which the group has no offset at all.
  private var partitionsWithoutOffsets = 0
  /// What may explain faults, and is none of the workers'.
  private var doubts: [String] = []
  private var statePieces = 0
  private var stateFaults = 0
  private var stateExamples: [String] = []
  /// What does not hold within the states: told first, as it may explain the others.
  private var violations: [String] = []
  private var stateExceptions: [OracleVerdict.Exception: Int] = [:]

  /// What it took: a record counts as often as it was read.
  var recordsRead: Int64 = 0
  var elapsed = Duration.zero

  /// How many faults are told one by one.
  private static let told = OracleVerdict.mostExamples

  /// Adds how much there is of a partition.
  mutating func add(_ cut: VerifyCut) {
    partitions += 1
    notApplied += cut.notApplied
    if cut.record != nil, cut.committed.allSatisfy({ $0 == nil }) { partitionsWithoutOffsets += 1 }
    for (input, range) in zip(InputTopic.allCases, cut.inputs) { inputs[input] += range.count }
    guard let record = cut.record else { return }
    if record.rulesSince > cut.inputs[0].lowerBound {
      doubts.append(
        "partition \(cut.partition): the rules in force are known to hold from "
          + "\(Topic.messages.defaultName) \(record.rulesSince) on; what was before went by "
          + "others")
    }
    for (input, gaps) in zip(InputTopic.allCases, cut.gaps) where gaps > 0 {
      doubts.append(
        "partition \(cut.partition) has gone on behind \(gaps) gaps of "
          + "\(Topic(input).defaultName), of which \(record.lostRecords[input]) records were "
          + "deleted unread")
    }
  }

  /// Adds what is wrong with a state.
  mutating func add(_ state: VerifyState) {
    statePieces += state.pieces
    stateFaults += state.violations.count + state.differences.count
    let room = Self.told - stateExamples.count
    violations += state.violations.prefix(max(0, Self.told - violations.count))
    stateExamples += state.differences.prefix(room).map {
      "\($0.piece.name): \($0.text)"
    }
    stateExceptions.merge(state.exceptions, uniquingKeysWith: +)
  }

  /// Whether nothing is wrong.
  var isRight: Bool { verdict.isRight && stateFaults == 0 }

  /// What the process exits with.
  var code: Int32 {
    if isRight { return ExitCode.done }
    return doubts.isEmpty ? ExitCode.failed : ExitCode.undecided
  }

  private var conclusion: String {
    if isRight { return "PASSED: \(reason)\(reserve)" }
    return doubts.isEmpty
      ? "FAILED" : "UNDECIDED: these may be faults, or come of what is told above"
  }

  /// The verdict in words.
  var text: String {
    let applied =
      "\(inputs.reduce(0, +)) applied: "
      + "\(inputs[.messages]) of messages, \(inputs[.receipts]) of receipts, "
      + "\(inputs[.deletes]) of deletes"
    var rows = [
      ("partitions", "\(partitions)"), ("inputs", applied), ("not applied yet", "\(notApplied)"),
      ("announced", "\(verdict[.announced]) of \(verdict[.expected]) expected"),
    ]
    rows += Self.faults.map { ($0.word, "\(verdict[$0])") }
    rows += [
      ("rejected", Self.list(verdict.rejections)), ("exceptions", Self.list(exceptions)),
      ("reordered", "\(verdict[.reordered])"),
      ("state", "\(statePieces) pieces, \(stateFaults) faults"),
    ]
    var lines = rows.map { Console.column($0, 17) + $1 }
    if partitionsWithoutOffsets > 0 {
      lines.append(
        "of \(partitionsWithoutOffsets) partitions with a state the group has no offsets: it has "
          + "forgotten them, or is another one")
    }
    lines += doubts
    let examples = (violations + verdict.examples + stateExamples).prefix(Self.told)
    if !examples.isEmpty { lines.append("the first faults:") }
    lines += examples.map { "  \($0)" }
    lines.append(conclusion)
    return lines.joined(separator: "\n")
  }

  private var reason: String {
    verdict[.expected] > 0
      ? "every announcement came exactly once" : "nothing had to be announced, and nothing was"
  }

  /// What the verdict leaves open.
  private var reserve: String {
    let granted = exceptions.values.reduce(0, +)
    let open = [
      granted > 0 ? "\(granted) exceptions granted" : nil,
      notApplied > 0 ? "\(notApplied) records not applied yet" : nil,
    ].compactMap(\.self)
    return open.isEmpty ? "" : " (" + open.joined(separator: ", ") + ")"
  }

  private static let faults = OracleVerdict.Counter.allCases.filter(\.isFault)

  private var exceptions: [String: Int] {
    let all = verdict.exceptions.merging(stateExceptions, uniquingKeysWith: +)
    return Dictionary(uniqueKeysWithValues: all.map { ($0.key.rawValue, $0.value) })
  }

  private static func list(_ counts: [String: Int]) -> String {
    let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return "\(counts.values.reduce(0, +))"
      + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
  }

  /// The same as a line of JSON.
  var json: String {
    var fields: [(String, JSONValue)] = [
      ("verdict", .text(isRight ? "passed" : doubts.isEmpty ? "failed" : "undecided")),
      ("partitions", .count(partitions)),
      ("messages", .count(inputs[.messages])), ("receipts", .count(inputs[.receipts])),
      ("deletes", .count(inputs[.deletes])), ("notApplied", .number(notApplied)),
      ("expected", .count(verdict[.expected])), ("announced", .count(verdict[.announced])),
    ]
    fields += Self.faults.map { ($0.rawValue, .count(verdict[$0])) }
    fields += [
      ("rejections", Self.object(verdict.rejections)), ("exceptions", Self.object(exceptions)),
      ("reordered", .count(verdict[.reordered])), ("statePieces", .count(statePieces)),
      ("stateFaults", .count(stateFaults)), ("recordsRead", .number(recordsRead)),
      ("seconds", .seconds(elapsed)),
    ]
    return JSONValue.object(fields).json
  }

  private static func object(_ counts: [String: Int]) -> JSONValue {
    .object(counts.sorted { $0.key < $1.key }.map { ($0.key, .count($0.value)) })
  }
}

extension OracleVerdict.Counter {
  /// The counter in words.
  fileprivate var word: String {
    switch self {
    case .disordered: "out of order"
    case .badCounts: "bad counts"
    case .badRejections: "bad rejections"
    default: rawValue
    }
  }
}
