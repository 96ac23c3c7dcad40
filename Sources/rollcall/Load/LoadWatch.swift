import Core
import Kafka
import Worker

/// The thread of `rollcall load` that reads the announcements.
struct LoadWatch {
  private let reader: TopicReader
  private let stop: StopRequest

  /// How long it may read what is there already.
  private static let patience = Duration.seconds(2)

  init(
    _ clients: Settings, _ events: [TopicPartition], stop: StopRequest
  ) throws(KafkaError) {
    reader = try TopicReader(clients, events, from: .end, notify: Console.notify)
    self.stop = stop
  }

  /// Reads until it is asked to end.
  func run(_ meter: LoadMeter) throws(KafkaError) {
    defer { reader.close() }
    // In the end what is there already is still read.
    var limit: ContinuousClock.Instant?
    while ContinuousClock.now < limit ?? .now + .seconds(1) {
      if stop.isRequested, limit == nil { limit = .now + Self.patience }
      var events = 0
      try reader.poll(.milliseconds(100)) { _, _, value in
        events += 1
        guard let value, let announcement = AnnouncementGlance(value) else { return }
        meter.noteAnnounced(announcement.messages, completedAt: announcement.time)
      }
      if limit != nil, events == 0 { return }
    }
  }
}

/// What is to be seen of an event at a glance, when it announces messages: as Rollcall writes it,
/// the event's name comes first and the completing record's time last.
struct AnnouncementGlance {
  /// How many messages are announced.
  let messages: Int
  /// When the completing record was made, as it tells it.
  let time: Instant?

  private static let starts = ["messagesDeliveredToAll", "messagesReadByAll"].map {
    Array(#"{"event":"\#($0)""#.utf8)
  }
  private static let ids = Array(#""messageIds":["#.utf8)
  private static let time = Array(#"At":"#.utf8)

  init?(_ value: Span<UInt8>) {
    guard Self.starts.contains(where: { Self.stands($0, at: 0, in: value) }) else { return nil }
    messages = Self.messages(in: value)
    time = Self.time(in: value)
  }

  private static func messages(in value: Span<UInt8>) -> Int {
    guard let start = value.indices.first(where: { stands(ids, at: $0, in: value) }) else {
      return 0
    }
    var count = 1
    for index in start + ids.count..<value.count {
      if value[index] == UInt8(ascii: "]") { break }
      if value[index] == UInt8(ascii: ",") { count += 1 }
    }
    return count
  }

  private static func time(in value: Span<UInt8>) -> Instant? {
    guard let start = value.indices.last(where: { stands(time, at: $0, in: value) }) else {
      return nil
    }
    var milliseconds: Int64 = 0
    var decimals: Int?
    for index in start + time.count..<value.count {
      switch value[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard decimals ?? 0 < 3 else { continue }
        let (next, overflow) = milliseconds.multipliedReportingOverflow(by: 10)
        guard !overflow, next <= .max - 9 else { return nil }
        milliseconds = next + Int64(value[index] - UInt8(ascii: "0"))
        decimals? += 1
      case UInt8(ascii: "."): decimals = 0
      default:
        for _ in (decimals ?? 0)..<3 {
          let (next, overflow) = milliseconds.multipliedReportingOverflow(by: 10)
          guard !overflow else { return nil }
          milliseconds = next
        }
        return Instant(milliseconds: milliseconds)
      }
    }
    return nil
  }

  private static func stands(_ word: [UInt8], at index: Int, in value: Span<UInt8>) -> Bool {
    guard index + word.count <= value.count else { return false }
    return word.indices.allSatisfy { value[index + $0] == word[$0] }
  }
}
