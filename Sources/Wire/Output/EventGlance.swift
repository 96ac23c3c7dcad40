package import Core

/// What is to be seen of an event at a glance, as Rollcall writes it: it looks for names, whose
/// quotes stand nowhere else, and is no JSON parser.
package struct EventGlance {
  /// The events that are worth a glance, by their names.
  package enum Kind: String, CaseIterable, Sendable {
    case readByAll = "messagesReadByAll"
    case deliveredToAll = "messagesDeliveredToAll"
    case deleted = "messageDeleted"
    case threadUpdated
  }

  /// What has happened.
  package let kind: Kind
  /// The conversation's id.
  package let conversation: String
  /// The messages that are announced, the one that is deleted, or the parent of a thread.
  package let ids: [Int64]
  /// When the completing record of an announcement was made, as it tells it.
  package let time: Instant?
  /// Who has deleted a message; how many replies a thread has.
  package let detail: String

  /// Whether it says that messages are received or read by all.
  package var isAnnouncement: Bool { kind == .readByAll || kind == .deliveredToAll }

  /// Nil for other events.
  package init?(_ event: Span<UInt8>) {
    guard let kind = Kind(rawValue: Self.text("event", in: event)) else { return nil }
    self.kind = kind
    conversation = Self.text("conversationId", in: event)
    let names: (ids: String, time: String, detail: String) =
      switch kind {
      case .readByAll: ("messageIds", "readAt", "receiptType")
      case .deliveredToAll: ("messageIds", "deliveredAt", "receiptType")
      case .deleted: ("id", "deletedAt", "deletedBy")
      case .threadUpdated: ("parentMessageId", "lastReplyAt", "replyCount")
      }
    ids = Self.value(names.ids, in: event, isList: names.ids == "messageIds")
      .split(separator: ",").compactMap { Int64($0) }
    time = Self.instant(Self.text(names.time, in: event))
    detail = Self.text(names.detail, in: event)
  }

  /// A value without its quotes; empty where there is none.
  private static func text(_ name: String, in event: Span<UInt8>) -> String {
    value(name, in: event, isList: false).filter { $0 != "\"" }
  }

  /// What stands behind a name for the first time.
  private static func value(_ name: String, in event: Span<UInt8>, isList: Bool) -> String {
    let word = Array((isList ? "\"\(name)\":[" : "\"\(name)\":").utf8)
    let start = event.indices.first { start in
      event.count - start >= word.count && word.indices.allSatisfy { event[start + $0] == word[$0] }
    }
    guard let start else { return "" }
    var value: [UInt8] = []
    let ends = Array((isList ? "]" : ",}").utf8)
    for index in start + word.count..<event.count {
      if ends.contains(event[index]) { break }
      value.append(event[index])
    }
    return String(decoding: value, as: UTF8.self)
  }

  /// A number of seconds, in whole milliseconds.
  private static func instant(_ seconds: String) -> Instant? {
    let parts = seconds.split(separator: ".")
    guard let whole = parts.first.flatMap({ Int64($0) }),
      let fraction = Int64(((parts.count > 1 ? parts[1] : "") + "000").prefix(3))
    else { return nil }
    let (milliseconds, overflow) = whole.multipliedReportingOverflow(by: 1000)
    return overflow ? nil : Instant(milliseconds: milliseconds).later(byMilliseconds: fraction)
  }
}
