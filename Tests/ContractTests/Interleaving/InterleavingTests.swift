import Testing

@testable import Histories
@testable import Oracle
@testable import Scenarios

@Suite("The order between topics") struct InterleavingTests {
  @Test(arguments: History.seeds(120))
  func `any order announces the same messages, each once, with the same final counts and replies`(
    _ seed: UInt64
  ) {
    let failure = HistoryGenerator.historyFreeOfOrder(seed).failure { try Self.fault(of: $0) }
    #expect(failure == nil)
  }

  /// What an order of the topics gives that it cannot; nil where nothing is.
  private static func fault(of history: History) throws -> String? {
    var random = HistoryRandom(seed: ~history.seed)
    let outcomes = try InterleavingOutcomes(history)
    let numbers = Array(history.lines.indices)
    let topics = [History.HistoryLine.Source.messages, .receipts, .deletes].map { source in
      numbers.filter { history.lines[$0].source == source }
    }
    let expected = try InterleavingResult(of: history, in: numbers)
    let faults = expected.repeated + outcomes.faults(of: expected)
    if faults != [] { return "\(faults.prefix(5))" }
    for turn in 0..<6 {
      let order = random.interleaved(topics, turn)
      let other = try InterleavingResult(of: history, in: order)
      let unlike = Set(expected.replies.keys).union(other.replies.keys).filter { thread in
        expected.replies[thread] != other.replies[thread] && !outcomes.isExcepted(thread: thread)
      }
      let faults =
        other.repeated + outcomes.faults(of: other)
        + unlike.sorted().map { "replies of \($0), in another order" }
      if faults != [] { return "\(faults.prefix(5))\nwith the lines in the order \(order)" }
    }
    return nil
  }
}

/// A message, by the key of its status.
typealias MessageKey = Bytes

extension MessageKey {
  static func message(_ conversation: Bytes, _ id: Int64) -> MessageKey {
    conversation + "#" + Bytes(String(id))
  }
}

/// What a history comes to in an order, and what must not depend on the order of the topics.
struct InterleavingResult {
  static let announcements: [(kind: ModelReceiptRecord.Kind, event: Bytes)] = [
    (.delivered, "messagesDeliveredToAll"), (.read, "messagesReadByAll"),
  ]
  /// In the end the window passes: what is tracked is closed with the last counts.
  static let end = Bytes("{\"tick\":\(ScenarioScript.start * 1000 + 500 * 86_400_000)}")

  /// The announcements of each message that were made, with the lines that were applied before.
  private(set) var announced: [MessageKey: [Bytes: Set<Int>]] = [:]
  /// The fields of each message's last status, but for the times and the replies.
  private(set) var counts: [MessageKey: JSON] = [:]
  /// What the last `threadUpdated` says of each thread.
  private(set) var replies: [MessageKey: JSON] = [:]
  /// Announcements that were made twice.
  private(set) var repeated: [String] = []

  /// - Parameter order: the numbers of the history's lines.
  init(of history: History, in order: [Int]) throws {
    var engine = try ReplayEngine(history.options)
    var applied: Set<Int> = []
    for number in order {
      applied.insert(number)
      for output in try engine.apply(history.lines[number].text) { note(output, applied) }
    }
    for output in try engine.apply(Self.end) { note(output, applied) }
  }

  private mutating func note(_ output: WrittenRecord, _ applied: Set<Int>) {
    guard let value = output.value, let key = output.key else { return }
    if output.topic == "status" {
      counts[key] = Self.counts(of: value)
      return
    }
    guard case .string(let event)? = value["event"] else { return }
    if event == "threadUpdated", case .int(let parent)? = value["parentMessageId"] {
      replies[.message(key, parent)] = value.leaving(["replyCount", "lastReplyId", "lastReplyAt"])
    }
    guard Self.announcements.contains(where: { $0.event == event }),
      case .array(let ids)? = value["receipt"]?["messageIds"]
    else { return }
    for case .int(let id) in ids
    where announced[.message(key, id), default: [:]].updateValue(applied, forKey: event) != nil {
      repeated.append("\(event) of \(id) in \(key)")
    }
  }

  /// The fields of a status that must not depend on the order.
  static func counts(of status: JSON?) -> JSON {
    (status ?? .null).leaving([
      "tracking", "reason", "totalCount", "deliveredCount", "undeliveredCount", "readCount",
      "unreadCount",
    ])
  }
}

extension JSON {
  /// The object with the members that have one of these names.
  fileprivate func leaving(_ names: [Bytes]) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { names.contains($0.name) })
  }
}
