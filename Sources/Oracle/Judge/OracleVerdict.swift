/// What an oracle has found; verdicts of partitions and shares add up.
package struct OracleVerdict: Sendable {
  /// What is counted.
  package enum Counter: String, CaseIterable, Sendable {
    /// Input records, and output records looked at.
    case inputs, outputs
    /// Announcements that must be there, and that are: one for each message and kind.
    case expected, announced
    /// Differences from the model that the order between topics can explain.
    case reordered
    /// Outputs that must be there and are not, rejections aside.
    case missing
    /// Outputs that are there again, rejections aside.
    case doubled
    /// Outputs that must not be there, or say something wrong.
    case wrong
    /// Announcements that stand before the receipt that completed them.
    case early
    /// Outputs that do not stand in the order that the contract has.
    case disordered
    /// Counts that are not what the inputs come to.
    case badCounts
    /// Rejections that are missing, doubled, or not of a record that must be rejected.
    case badRejections

    /// Whether it counts what must never be.
    package var isFault: Bool {
      switch self {
      case .inputs, .outputs, .expected, .announced, .reordered: false
      case .missing, .doubled, .wrong, .early, .disordered, .badCounts, .badRejections: true
      }
    }
  }

  /// What the contract lets the order of application decide.
  package enum Exception: String, CaseIterable, Sendable {
    /// A delete against the receipts of its message.
    case deleteAgainstReceipts
    /// A delete against its author's memberships and scopes.
    case deleteAgainstScopes
    /// Passing the second limit against receipts.
    case secondLimit
    /// What is due against a record whose timestamp is ahead of the clock.
    case timestampAhead
    /// What is due, and times that are nobody's, against records without a timestamp.
    case noTimestamp
    /// What waits for about the grace, where timestamps are out of order by as much.
    case disorder
  }

  /// How many sentences are kept.
  package static let mostExamples = 20

  /// How often what is counted was found; absent is never.
  package private(set) var counts: [Counter: Int] = [:]
  /// Rejections by their code.
  package private(set) var rejections: [String: Int] = [:]
  /// How often each exception was made use of.
  package private(set) var exceptions: [Exception: Int] = [:]
  /// The first faults as sentences, without anybody's words or names.
  package private(set) var examples: [String] = []

  /// A verdict about nothing.
  package init() {}

  /// How often something was found.
  package subscript(counter: Counter) -> Int { counts[counter] ?? 0 }

  /// Whether nothing is wrong.
  package var isRight: Bool { Counter.allCases.allSatisfy { !$0.isFault || self[$0] == 0 } }

  /// Adds what another verdict has found.
  package static func += (verdict: inout OracleVerdict, other: OracleVerdict) {
    verdict.counts.merge(other.counts, uniquingKeysWith: +)
    verdict.rejections.merge(other.rejections, uniquingKeysWith: +)
    verdict.exceptions.merge(other.exceptions, uniquingKeysWith: +)
    let room = mostExamples - verdict.examples.count
    verdict.examples += other.examples.prefix(max(0, room))
  }

  mutating func count(_ counter: Counter, _ number: Int = 1) {
    if number != 0 { counts[counter, default: 0] += number }
  }

  mutating func count(rejection code: String) { rejections[code, default: 0] += 1 }

  mutating func use(_ exception: Exception) { exceptions[exception, default: 0] += 1 }

  /// Counts a fault, and keeps it in words if it is one of the first.
  mutating func find(_ fault: Counter, _ sentence: @autoclosure () -> String) {
    count(fault)
    if examples.count < Self.mostExamples { examples.append("\(fault.rawValue): \(sentence())") }
  }
}
