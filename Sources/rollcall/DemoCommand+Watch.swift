import Kafka
import Lab
import Worker

extension DemoCommand {
  /// So many announcements are told each second; the others are only counted.
  private static let toldPerSecond = 3

  /// Tells of announcements as they come, until the process is ended.
  func watch() throws(KafkaError) -> Int32 {
    let reader = try TopicReader(
      clients, try partitions(of: [.events]), notify: Console.notify)
    let clock = ContinuousClock()
    var next = clock.now + .seconds(1)
    var events = 0
    var eventsBefore = 0
    var counts: [ExampleTraffic.Announcement.Kind: Int] = [:]
    var fresh: [ExampleTraffic.Announcement] = []
    while true {
      try reader.poll(max(.zero, clock.now.duration(to: next))) { _, _, value in
        events += 1
        fresh += ExampleTraffic.announcements(inEvent: value)
      }
      guard clock.now >= next else { continue }
      next += .seconds(1)
      for announcement in fresh { counts[announcement.kind, default: 0] += 1 }
      var lines = fresh.prefix(Self.toldPerSecond).map { announcement in
        let done = announcement.kind == .read ? "read by all" : "delivered to all"
        return "\(announcement.conversation): message \(announcement.messageId) is \(done)"
      }
      if events > eventsBefore {
        lines.append(
          """
          \(events) events, \(events - eventsBefore) a second; \
          \(counts[.delivered] ?? 0) messages delivered to all, \(counts[.read] ?? 0) read by all
          """)
      }
      eventsBefore = events
      fresh.removeAll()
      guard !lines.isEmpty else { continue }
      let code = Console.show(lines.joined(separator: "\n"))
      guard code == ExitCode.done else { return code }
    }
  }
}

extension ExampleTraffic {
  /// What a record announces.
  static func announcements(inEvent value: Span<UInt8>?) -> [Announcement] {
    guard let value else { return [] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.count)
    for index in value.indices { bytes.append(value[index]) }
    return announcements(inEvent: String(decoding: bytes, as: UTF8.self))
  }
}
