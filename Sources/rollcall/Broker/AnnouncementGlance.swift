import Core

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
