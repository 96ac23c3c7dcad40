extension ExampleTraffic {
  /// What a record of `chat.events` says that the traffic has expectations of.
  package enum Happening: Hashable, Sendable {
    /// All have received or read a message.
    case announced(Announcement)
    /// A message was deleted.
    case deleted(MessageName, by: String)
    /// A parent has so many replies now.
    case threadUpdated(MessageName, replyCount: Int)
    /// A member has so many unread messages now, from this one on.
    case unreadChanged(MemberName, count: Int, from: Int64?)
  }

  /// What a record of `chat.events` says; an announcement of several messages is several.
  ///
  /// It reads what Rollcall writes for this traffic, whose names need no escaping; it is no JSON
  /// parser.
  package static func happenings(inEvent text: String) -> [Happening] {
    // Most events are none of these, and are passed over before all else.
    guard let event = text.between(#"{"event":""#, "\""), !event.hasSuffix("Read"),
      let conversation = text.between(#""conversationId":""#, "\"").map({ String($0) })
    else { return [] }
    func message(_ id: Int64) -> MessageName { MessageName(conversation: conversation, id: id) }
    switch event {
    case "messageDeleted":
      guard let id = text.number(after: #""message":{"id":"#),
        let uid = text.between(#""deletedBy":""#, "\"")
      else { return [] }
      return [.deleted(message(id), by: String(uid))]
    case "threadUpdated":
      guard let parent = text.number(after: #""parentMessageId":"#),
        let count = text.number(after: #""replyCount":"#)
      else { return [] }
      return [.threadUpdated(message(parent), replyCount: Int(count))]
    case "unreadChanged":
      guard let uid = text.between(#""uids":[""#, "\""),
        let count = text.number(after: #""unreadMessageCount":"#)
      else { return [] }
      let member = MemberName(conversation: conversation, uid: String(uid))
      let from = text.number(after: #""unreadFrom":"#)
      return [.unreadChanged(member, count: Int(count), from: from)]
    default: return announcements(inEvent: text).map { .announced($0) }
    }
  }

  /// What a record of `chat.events` announces: each message of it; empty for other events.
  package static func announcements(inEvent text: String) -> [Announcement] {
    let kind: Announcement.Kind
    if text.hasPrefix(#"{"event":"messagesDeliveredToAll""#) {
      kind = .delivered
    } else if text.hasPrefix(#"{"event":"messagesReadByAll""#) {
      kind = .read
    } else {
      return []
    }
    guard let conversation = text.between(#""conversationId":""#, "\""),
      let ids = text.between(#""messageIds":["#, "]")
    else { return [] }
    return ids.split(separator: ",").compactMap { Int64($0) }.map {
      Announcement(kind: kind, conversation: String(conversation), messageId: $0)
    }
  }
}

extension String {
  /// What stands between the first `start` and the next `end`.
  func between(_ start: String, _ end: Unicode.Scalar) -> Substring? {
    guard let rest = rest(behind: start), let end = rest.firstIndex(of: UInt8(ascii: end)) else {
      return nil
    }
    return Substring(rest[..<end])
  }

  /// The integer behind the first `start`.
  fileprivate func number(after start: String) -> Int64? {
    guard let rest = rest(behind: start) else { return nil }
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return Int64(Substring(rest.prefix { digits.contains($0) }))
  }

  /// In bytes, which are compared faster than characters.
  private func rest(behind start: String) -> Substring.UTF8View? {
    utf8.firstRange(of: start.utf8).map { utf8[$0.upperBound...] }
  }
}
