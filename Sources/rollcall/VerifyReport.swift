import Oracle

/// What `rollcall verify` has found, of all partitions together.
struct VerifyReport {
  /// What the oracle says.
  var verdict = OracleVerdict()
  private var partitions = 0
  /// Applied records of messages, receipts and deletes.
  private var inputs = [0, 0, 0]
  /// Input records that the workers have not applied.
  private var notApplied: Int64 = 0
  private var statePieces = 0
  private var stateFaults: [String] = []

  private static let told = 20

  /// Adds how much there is of a partition.
  mutating func add(_ cut: VerifyCut) {
    partitions += 1
    notApplied += cut.notApplied
    for topic in inputs.indices { inputs[topic] += cut.inputs[topic].count }
  }

  /// Adds what is wrong with a state.
  mutating func add(_ state: VerifyState) {
    statePieces += state.pieces
    stateFaults += state.violations
    stateFaults += state.differences.map { "\($0.name): \($0.text)" }
  }

  /// Whether nothing is wrong.
  var isRight: Bool { verdict.isRight && stateFaults.isEmpty }

  /// The verdict in words.
  var text: String {
    let rejected = verdict.rejections.values.reduce(0, +)
    var lines = [
      """
      partitions    \(partitions)
      inputs        \(inputs.reduce(0, +)) applied: \(inputs[0]) of messages, \(inputs[1]) of \
      receipts, \(inputs[2]) of deletes; \(notApplied) not applied yet
      announced     \(verdict[.announced]) of \(verdict[.expected]) expected
      """
    ]
    lines += Self.faults.map { $0.word.padding(to: 14) + "\(verdict[$0])" }
    lines.append("rejected      \(rejected)" + Self.list(verdict.rejections))
    lines.append(
      "exceptions    \(exceptions.values.reduce(0, +))" + Self.list(exceptions))
    lines.append("reordered     \(verdict[.reordered])")
    lines.append("state         \(statePieces) pieces, \(stateFaults.count) faults")
    let examples = verdict.examples + stateFaults.prefix(Self.told)
    if !examples.isEmpty {
      lines.append("the first faults:")
      lines += examples.prefix(Self.told).map { "  \($0)" }
    }
    lines.append(isRight ? "PASSED: every announcement came exactly once" : "FAILED")
    return lines.joined(separator: "\n")
  }

  private static let faults = OracleVerdict.Counter.allCases.filter(\.isFault)

  private var exceptions: [String: Int] {
    Dictionary(uniqueKeysWithValues: verdict.exceptions.map { ($0.key.rawValue, $0.value) })
  }

  private static func list(_ counts: [String: Int]) -> String {
    guard !counts.isEmpty else { return "" }
    return ": "
      + counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  /// The same as a line of JSON.
  var json: String {
    var fields = [
      ("verdict", isRight ? "\"passed\"" : "\"failed\""), ("partitions", "\(partitions)"),
      ("messages", "\(inputs[0])"), ("receipts", "\(inputs[1])"), ("deletes", "\(inputs[2])"),
      ("notApplied", "\(notApplied)"), ("expected", "\(verdict[.expected])"),
      ("announced", "\(verdict[.announced])"),
    ]
    fields += Self.faults.map { ($0.rawValue, "\(verdict[$0])") }
    fields += [
      ("rejections", Self.object(verdict.rejections)),
      ("exceptions", Self.object(exceptions)), ("reordered", "\(verdict[.reordered])"),
      ("statePieces", "\(statePieces)"), ("stateFaults", "\(stateFaults.count)"),
    ]
    return Self.object(fields)
  }

  private static func object(_ counts: [String: Int]) -> String {
    object(counts.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") })
  }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
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

extension String {
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }
}
