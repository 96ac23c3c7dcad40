import Kafka

extension DemoCommand {
  /// So many events are told each second, of each kind in turn; the others are only counted.
  private static let toldPerSecond = 4

  /// Tells of what is announced as it comes, until the process is ended.
  func watch() throws(KafkaError) -> Int32 {
    let reader = try TopicReader(clients, try eventPartitions(), notify: Console.notify)
    let clock = ContinuousClock()
    var next = clock.now + .seconds(1)
    var events = 0
    var told: [EventSentence.Kind: [String]] = [:]
    while true {
      try reader.poll(max(.zero, clock.now.duration(to: next))) { _, _, value in
        events += 1
        guard let sentence = EventSentence(event: value) else { return }
        told[sentence.kind, default: []].append(sentence.text)
      }
      guard clock.now >= next else { continue }
      next += .seconds(1)
      defer {
        events = 0
        told.removeAll()
      }
      guard events > 0 else { continue }
      // It has no totals: once a worker was killed, noida-db may keep the rest of that worker's
      // partitions from a reader that was up to date with them.
      let counts = EventSentence.Kind.allCases.map { "\(told[$0]?.count ?? 0) \($0.rawValue)" }
      let sum = "\(events) events in a second: \(counts.joined(separator: ", "))"
      let code = Console.show((Self.selection(of: told) + [sum]).joined(separator: "\n"))
      guard code == ExitCode.done else { return code }
    }
  }

  /// The first of each kind, then the second of each.
  private static func selection(of told: [EventSentence.Kind: [String]]) -> [String] {
    let kinds = EventSentence.Kind.allCases.map { told[$0] ?? [] }
    let rounds = (0..<toldPerSecond).flatMap { round in
      kinds.compactMap { $0.dropFirst(round).first }
    }
    return Array(rounds.prefix(toldPerSecond))
  }
}

/// An event in words. It reads what Rollcall writes, where names need no escaping; it is no JSON
/// parser.
struct EventSentence {
  /// The events that are worth a sentence, each in a word for many of them.
  enum Kind: String, CaseIterable {
    case read = "read by all"
    case delivered = "delivered to all"
    case deleted
    case replied = "thread updates"
  }

  let kind: Kind
  let text: String

  /// Nil for other events.
  init?(event: Span<UInt8>?) {
    guard let event else { return nil }
    let json = String(decoding: event.indices.map { event[$0] }, as: UTF8.self)
    func value(_ name: String, to end: Character) -> Substring? {
      guard let start = json.firstRange(of: "\"\(name)\":")?.upperBound else { return nil }
      return json[start...].prefix { $0 != end }
    }
    guard let event = value("event", to: ","), let conversation = value("conversationId", to: ",")
    else { return nil }
    let place = conversation.filter { $0 != "\"" }
    switch event {
    case "\"messagesReadByAll\"", "\"messagesDeliveredToAll\"":
      guard let ids = value("messageIds", to: "]")?.dropFirst() else { return nil }
      kind = event.contains("Read") ? .read : .delivered
      text = "\(place): \(Self.messages(ids)) \(kind.rawValue)"
    case "\"messageDeleted\"":
      guard let id = value("id", to: ","), let uid = value("deletedBy", to: ",") else { return nil }
      kind = .deleted
      text = "\(place): message \(id) is deleted by \(uid.filter { $0 != "\"" && $0 != "}" })"
    case "\"threadUpdated\"":
      guard let id = value("parentMessageId", to: ","), let count = value("replyCount", to: ",")
      else { return nil }
      kind = .replied
      text = "\(place): message \(id) has \(count) \(count == "1" ? "reply" : "replies")"
    default: return nil
    }
  }

  private static func messages(_ ids: Substring) -> String {
    let list = ids.split(separator: ",")
    guard let first = list.first, let last = list.last, list.count > 1 else {
      return "message \(ids) is"
    }
    return "\(list.count) messages from \(first) to \(last) are"
  }
}
