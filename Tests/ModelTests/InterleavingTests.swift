import Testing

@testable import Oracle

@Suite("The order between topics")
struct InterleavingTests {
  @Test(
    "any order announces the same messages, each once, with the same final counts and replies",
    arguments: History.seeds(120))
  func interleavings(_ seed: UInt64) throws {
    let history = HistoryGenerator.historyFreeOfOrder(seed)
    var random = HistoryRandom(seed: ~seed)
    let exceptions = try InterleavingExceptions(history)
    let expected = try InterleavingResult(of: history.lines, history.options)
    try #require(expected.repeated == [], "\(history.command)")
    for turn in 0..<6 {
      let lines = Self.interleaved(history.lines, turn, &random)
      let other = try InterleavingResult(of: lines, history.options)
      try #require(other.repeated == [], "order \(turn): \(history.command)")
      let unlike = expected.differences(from: other, but: exceptions)
      try #require(unlike.prefix(5) == [], "order \(turn): \(history.command)")
    }
  }

  /// The lines with each topic in its own order: one topic after the other in the first turns,
  /// then at random, in runs of various length.
  private static func interleaved(
    _ lines: [History.HistoryLine], _ turn: Int, _ random: inout HistoryRandom
  ) -> [History.HistoryLine] {
    var topics = [History.HistoryLine.Source.messages, .receipts, .deletes].map { source in
      lines.filter { $0.source == source }[...]
    }
    if turn == 0 { return topics.flatMap(\.self) }
    if turn == 1 { return topics.reversed().flatMap(\.self) }
    var mixed: [History.HistoryLine] = []
    while mixed.count < lines.count {
      let topic = random.pick(topics.indices.filter { !topics[$0].isEmpty })
      let run = topics[topic].prefix(random.count(1...(turn * turn)))
      mixed += run
      topics[topic] = topics[topic].dropFirst(run.count)
    }
    return mixed
  }
}

/// A message, by the key of its status.
typealias MessageKey = Bytes

extension MessageKey {
  static func message(_ conversation: Bytes, _ id: Int64) -> MessageKey {
    conversation + "#" + Bytes(String(id))
  }
}

/// What a history comes to, and what must not depend on the order of the topics.
struct InterleavingResult {
  /// The announcements of each message that were made.
  private var announced: [MessageKey: Set<Bytes>] = [:]
  /// The fields of each message's last status, but for the times and the replies.
  private var counts: [MessageKey: JSON] = [:]
  /// What the last `threadUpdated` says of each thread.
  private var replies: [MessageKey: JSON] = [:]
  /// Announcements that were made twice.
  private(set) var repeated: [String] = []

  init(of lines: [History.HistoryLine], _ options: [String: String]) throws {
    var engine = try Engine(options)
    // In the end the window passes: what is tracked is closed with the last counts.
    let end = ScenarioScript.start * 1000 + 500 * 86_400_000
    for line in lines.map(\.text) + [Bytes("{\"tick\":\(end)}")] {
      for output in try engine.apply(line) { note(output) }
    }
  }

  private mutating func note(_ output: WrittenRecord) {
    guard let value = output.value, let key = output.key else { return }
    if output.topic == "status" {
      counts[key] = value.leaving([
        "tracking", "reason", "totalCount", "deliveredCount", "undeliveredCount", "readCount",
        "unreadCount",
      ])
      return
    }
    guard case .string(let event)? = value["event"] else { return }
    if event == "threadUpdated", case .int(let parent)? = value["parentMessageId"] {
      replies[.message(key, parent)] = value.leaving(["replyCount", "lastReplyId", "lastReplyAt"])
    }
    guard ["messagesDeliveredToAll", "messagesReadByAll"].contains(event),
      case .array(let ids)? = value["receipt"]?["messageIds"]
    else { return }
    for case .int(let id) in ids where !announced[.message(key, id), default: []].insert(event).0 {
      repeated.append("\(event) of \(id) in \(key)")
    }
  }

  /// The messages of which two orders say something else, in words.
  func differences(
    from other: InterleavingResult, but exceptions: InterleavingExceptions
  ) -> [String] {
    func unlike<Value: Equatable>(
      _ name: String, _ mine: [MessageKey: Value], _ others: [MessageKey: Value],
      _ isExcepted: (MessageKey) -> Bool
    ) -> [String] {
      Set(mine.keys).union(others.keys).sorted().compactMap { key in
        guard mine[key] != others[key], !isExcepted(key) else { return nil }
        let (mine, other) = (mine[key].map { "\($0)" }, others[key].map { "\($0)" })
        return "\(name) of \(key): \(mine ?? "none"), or \(other ?? "none")"
      }
    }
    return unlike("announcements", announced, other.announced, exceptions.touch)
      + unlike("status", counts, other.counts, exceptions.touch)
      + unlike("replies", replies, other.replies) { exceptions.threads.contains($0) }
  }
}

extension JSON {
  /// The object with the members that have one of these names.
  fileprivate func leaving(_ names: [Bytes]) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { names.contains($0.name) })
  }
}
