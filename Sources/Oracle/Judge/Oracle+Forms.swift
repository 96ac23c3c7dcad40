/// Whether an event could be, whatever came first: its form, and what it must have of its record.
extension Oracle {
  func isPossible(_ event: OracleEvent, _ value: JSON) -> Bool {
    guard value.has(Self.fields(of: event.name), or: ["unreadFrom", "parentMessageId"]) else {
      return false
    }
    switch event.name {
    case "threadUpdated": return isPossibleThread(value, at: event.conversation)
    case "messageDeleted": return value["to"] == conversations[event.conversation].name.everybody
    default: break
    }
    guard event.source.topic == .receipts, let receipt = receipts[event.source.offset],
      receipt.conversation == event.conversation, let to = value["to"]
    else { return false }
    switch (event.name, receipt.kind) {
    case ("messagesDelivered", .delivered), ("messagesRead", .read):
      let guid = conversations[event.conversation].name.guid
      let events = model.rules.receiptEvents
      guard events == "all" || events == "direct" && guid == nil else { return false }
      return value["receipt"].map { OracleDigest($0) } == receipt.value
        && (to.uids != nil || guid.map { to == ["guid": .string($0)] } ?? false)
    case ("readReceiptResponse", .read):
      return to.uids?.count == 1 && isPossibleResponse(value, to: receipt)
    case ("unreadChanged", .read), ("unreadChanged", .unread):
      let events = model.rules.unreadEvents
      guard events == "all" || events == "requested" && receipt.kind == .unread else {
        return false
      }
      return to.uids.map { $0.map { OracleDigest($0).short } } == [receipt.sender]
        && isPossibleUnread(value, at: event.conversation)
    default: return false
    }
  }

  private static func fields(of event: String) -> [Bytes] {
    let own: [Bytes] =
      switch event {
      case "messagesDelivered", "messagesRead": ["receipt"]
      case "readReceiptResponse": ["sender", "readAt", "responses"]
      case "unreadChanged": ["unreadMessageCount", "lastReadMessageId"]
      case "threadUpdated": ["parentMessageId", "replyCount", "lastReplyId", "lastReplyAt"]
      default: ["message"]
      }
    return ["event", "eventId", "conversationId", "to"] + own
  }

  private func isPossibleThread(_ value: JSON, at place: Int) -> Bool {
    guard let count = value["replyCount"]?.whole, let last = value["lastReplyId"] else {
      return false
    }
    let isEmpty = last == .null && value["lastReplyAt"] == .null
    let reply = last.whole.flatMap { conversations[place].messages[$0] }
    return value["to"] == conversations[place].name.everybody && count >= 0
      && (isEmpty || reply != nil && count > 0 && reply?.sentAt == value["lastReplyAt"]?.time)
  }

  private func isPossibleResponse(_ value: JSON, to receipt: OracleReceipt) -> Bool {
    guard value["sender"]?["uid"]?.text.map({ OracleDigest($0).short }) == receipt.sender,
      value["readAt"]?.time == receipt.time, case .array(let responses)? = value["responses"],
      !responses.isEmpty
    else { return false }
    return responses.allSatisfy { response in
      guard
        response.has(["messageId", "readCount", "unreadCount", "totalCount"], or: ["messageUId"]),
        let id = response["messageId"]?.whole,
        conversations[receipt.conversation].messages[id] != nil,
        let read = response["readCount"]?.whole, let unread = response["unreadCount"]?.whole
      else { return false }
      return read > 0 && unread >= 0 && response["totalCount"] == .int(read + unread)
    }
  }

  private func isPossibleUnread(_ value: JSON, at place: Int) -> Bool {
    guard let count = value["unreadMessageCount"]?.whole,
      let lastRead = value["lastReadMessageId"]?.whole
    else { return false }
    let from = value["unreadFrom"]?.whole
    guard count >= 0, count <= conversations[place].messages.count, lastRead >= 0,
      (count > 0) == (from.map { conversations[place].messages[$0] != nil } ?? false)
    else { return false }
    guard let from, let uid = value["to"]?.uids?.first else { return true }
    return isBeforeEnd(of: uid, from: from, count: count, at: place)
  }

  /// Of a member who has left for good nothing is counted that came afterwards, unless its id is
  /// below the end of the membership.
  private func isBeforeEnd(of uid: Bytes, from: Int64, count: Int64, at place: Int) -> Bool {
    let conversation = conversations[place]
    guard
      let end = model.conversations[conversation.id]?.member(uid)?.memberships.last?.end,
      let arrival = conversation.membershipChanges[end]
    else { return true }
    let sender = OracleDigest(uid)
    let counted = conversation.messages.filter { id, message in
      id >= from && message.sender != sender && message.arrival > 0
        && (id <= end || message.arrival < arrival)
    }
    return counted[from] != nil && count <= counted.count
  }
}
