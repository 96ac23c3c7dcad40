import Kafka
import Wire

extension DemoCommand {
  /// How many events are told each second, of each kind in turn; the others are only counted.
  private static let toldPerSecond = 4

  /// Tells of what is announced as it comes, until the process is ended.
  func watch() throws(KafkaError) -> Int32 {
    let reader = try TopicReader(clients, try eventPartitions(), notify: Console.notify)
    let clock = ContinuousClock()
    var next = clock.now + .seconds(1)
    var events = 0
    var told: [EventGlance.Kind: [String]] = [:]
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
      let counts = EventGlance.Kind.allCases.map { "\(told[$0]?.count ?? 0) \($0.words)" }
      let sum = "\(events) events in a second: \(counts.joined(separator: ", "))"
      let code = Console.show((Self.selection(of: told) + [sum]).joined(separator: "\n"))
      guard code == ExitCode.done else { return code }
    }
  }

  /// The first of each kind, then the second of each.
  private static func selection(of told: [EventGlance.Kind: [String]]) -> [String] {
    let kinds = EventGlance.Kind.allCases.map { told[$0] ?? [] }
    let rounds = (0..<toldPerSecond).flatMap { round in
      kinds.compactMap { $0.dropFirst(round).first }
    }
    return Array(rounds.prefix(toldPerSecond))
  }
}

/// An event in words.
struct EventSentence {
  let kind: EventGlance.Kind
  let text: String

  /// Nil for events that are not worth a sentence.
  init?(event: Span<UInt8>?) {
    guard let event, let glance = EventGlance(event), let first = glance.ids.first,
      let last = glance.ids.last
    else { return nil }
    kind = glance.kind
    let (count, detail) = (glance.ids.count, glance.detail)
    let messages =
      count > 1 ? "\(count) messages from \(first) to \(last) are" : "message \(first) is"
    let sentence =
      switch kind {
      case .readByAll, .deliveredToAll: "\(messages) \(kind.words)"
      case .deleted: "\(messages) deleted by \(detail)"
      case .threadUpdated: "message \(first) has \(detail) \(detail == "1" ? "reply" : "replies")"
      }
    text = "\(glance.conversation): \(sentence)"
  }
}

extension EventGlance.Kind {
  /// What the sum of a second calls them.
  fileprivate var words: String {
    switch self {
    case .readByAll: "read by all"
    case .deliveredToAll: "delivered to all"
    case .deleted: "deleted"
    case .threadUpdated: "thread updates"
    }
  }
}
