import Kafka
import Lab
import Worker

extension DemoCommand {
  /// So many happenings are told each second, of each kind in turn; the others are only counted.
  private static let toldPerSecond = 5

  /// Tells of what is announced as it comes, until the process is ended.
  func watch() throws(KafkaError) -> Int32 {
    let reader = try TopicReader(
      clients, try partitions(of: [.events]), notify: Console.notify)
    let clock = ContinuousClock()
    var next = clock.now + .seconds(1)
    var events = 0
    var fresh: [ExampleTraffic.Happening] = []
    while true {
      try reader.poll(max(.zero, clock.now.duration(to: next))) { _, _, value in
        events += 1
        fresh += ExampleTraffic.happenings(inEvent: String(copying: value))
      }
      guard clock.now >= next else { continue }
      next += .seconds(1)
      defer {
        events = 0
        fresh.removeAll()
      }
      guard events > 0 else { continue }
      let lines = Self.selection(of: fresh).map(\.sentence) + [Self.sum(of: fresh, events)]
      let code = Console.show(lines.joined(separator: "\n"))
      guard code == ExitCode.done else { return code }
    }
  }

  /// A line for all of a second's events. It has no totals: once a worker was killed, noida-db may
  /// keep the rest of that worker's partitions from a reader that was up to date with them.
  private static func sum(of happenings: [ExampleTraffic.Happening], _ events: Int) -> String {
    func count(_ kind: Kind) -> Int { happenings.count { $0.kind == kind } }
    return """
      \(events) events in a second: \(count(.deliveredToAll)) messages delivered to all, \
      \(count(.readByAll)) read by all, \(count(.deleted)) deleted, \
      \(count(.threadUpdated)) thread updates
      """
  }

  /// Some of a second's happenings: the first of each kind, then the second of each.
  private static func selection(
    of happenings: [ExampleTraffic.Happening]
  ) -> [ExampleTraffic.Happening] {
    var places: [Kind: Int] = [:]
    let ranked = happenings.filter(\.isNews).map { happening in
      places[happening.kind, default: 0] += 1
      return (place: places[happening.kind] ?? 0, happening: happening)
    }
    let first = ranked.sorted { a, b in
      (a.place, a.happening.kind.rawValue) < (b.place, b.happening.kind.rawValue)
    }
    return first.prefix(toldPerSecond).map(\.happening)
  }

  /// The kinds of happenings, as they are told within a second.
  fileprivate enum Kind: Int {
    case deliveredToAll, readByAll, deleted, threadUpdated, unreadChanged
  }
}

extension ExampleTraffic.Happening {
  fileprivate var kind: DemoCommand.Kind {
    switch self {
    case .announced(let announcement):
      announcement.kind == .delivered ? .deliveredToAll : .readByAll
    case .deleted: .deleted
    case .threadUpdated: .threadUpdated
    case .unreadChanged: .unreadChanged
    }
  }

  /// Whether it is worth a line: that somebody has read everything is not.
  fileprivate var isNews: Bool {
    if case .unreadChanged(_, count: 0, _) = self { false } else { true }
  }

  /// It in words.
  fileprivate var sentence: String {
    switch self {
    case .announced(let announcement):
      let done = announcement.kind == .read ? "read by all" : "delivered to all"
      return "\(announcement.conversation): message \(announcement.messageId) is \(done)"
    case .deleted(let message, let uid):
      return "\(message.conversation): message \(message.id) is deleted by \(uid)"
    case .threadUpdated(let parent, let count):
      let replies = count == 1 ? "1 reply" : "\(count) replies"
      return "\(parent.conversation): message \(parent.id) has \(replies)"
    case .unreadChanged(let member, let count, _):
      return "\(member.conversation): \(member.uid) has \(count) unread"
    }
  }
}

extension String {
  /// The text of a record's key or value; empty without one.
  init(copying bytes: Span<UInt8>?) {
    guard let bytes else {
      self = ""
      return
    }
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    for index in bytes.indices { copy.append(bytes[index]) }
    self.init(decoding: copy, as: UTF8.self)
  }
}
