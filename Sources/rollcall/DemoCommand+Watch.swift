import Kafka
import Lab
import Worker

extension DemoCommand {
  /// So many happenings are told each second, of each kind in turn; the others are only counted.
  private static let toldPerSecond = 4

  /// Tells of what is announced as it comes, until the process is ended.
  func watch() throws(KafkaError) -> Int32 {
    let reader = try TopicReader(
      clients, try partitions(of: [.events]), notify: Console.notify)
    let clock = ContinuousClock()
    var next = clock.now + .seconds(1)
    var sum = Sum()
    var fresh: [ExampleTraffic.Happening] = []
    while true {
      try reader.poll(max(.zero, clock.now.duration(to: next))) { _, _, value in
        sum.events += 1
        fresh += ExampleTraffic.happenings(inEvent: String(copying: value))
      }
      guard clock.now >= next else { continue }
      next += .seconds(1)
      for happening in fresh { sum.add(happening) }
      var lines = Self.selection(of: fresh).map(\.sentence)
      if let line = sum.nextLine() { lines.append(line) }
      fresh.removeAll()
      guard !lines.isEmpty else { continue }
      let code = Console.show(lines.joined(separator: "\n"))
      guard code == ExitCode.done else { return code }
    }
  }

  /// Some of a second's happenings: the first of each kind, then the second of each.
  private static func selection(
    of happenings: [ExampleTraffic.Happening]
  ) -> [ExampleTraffic.Happening] {
    var places: [Int: Int] = [:]
    let ranked = happenings.map { happening in
      places[happening.kind, default: 0] += 1
      return (place: places[happening.kind] ?? 0, happening: happening)
    }
    let first = ranked.sorted { ($0.place, $0.happening.kind) < ($1.place, $1.happening.kind) }
    return first.prefix(toldPerSecond).map(\.happening)
  }

  /// What came so far.
  private struct Sum {
    var events = 0
    private var eventsBefore = 0
    /// By kind of happening.
    private var counts: [Int: Int] = [:]

    mutating func add(_ happening: ExampleTraffic.Happening) {
      counts[happening.kind, default: 0] += 1
    }

    /// A line for the second that has passed, if something came in it.
    mutating func nextLine() -> String? {
      guard events > eventsBefore else { return nil }
      defer { eventsBefore = events }
      return """
        \(events) events, \(events - eventsBefore) a second; \
        \(counts[0] ?? 0) messages delivered to all, \(counts[1] ?? 0) read by all, \
        \(counts[2] ?? 0) deleted, \(counts[3] ?? 0) thread updates
        """
    }
  }
}

extension ExampleTraffic.Happening {
  /// A number for its kind.
  fileprivate var kind: Int {
    switch self {
    case .announced(let announcement): announcement.kind == .delivered ? 0 : 1
    case .deleted: 2
    case .threadUpdated: 3
    case .unreadChanged: 4
    }
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
