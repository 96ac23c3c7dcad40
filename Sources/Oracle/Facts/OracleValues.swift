extension ModelEvent {
  /// The value that must be written, in the contract's words.
  var value: JSON {
    content.value(in: conversation, origin).adding("event", .string(Bytes(name)))
      .adding("eventId", .string(Bytes(id)))
      .adding("conversationId", .string(conversation.id))
  }
}

extension ModelEvent.Content {
  fileprivate func value(in name: ModelConversationName, _ origin: ModelEvent.Origin?) -> JSON {
    switch self {
    case .deleted(let deleted): ["to": name.everybody, "message": deleted.messageValue]
    case .receipt(_, let senders):
      [
        "to": senders.count > 100
          ? ["guid": .string(name.receiver)] : ["uids": .array(senders.map(JSON.string))],
        "receipt": Self.value(of: origin),
      ]
    case .announced(let kind, let sender, let ids, let cause, let at):
      [
        "to": ["uids": [.string(sender)]], "cause": .string(Bytes(cause.rawValue)),
        "receipt": [
          "messageId": .int(ids[ids.count - 1]), "messageIds": .array(ids.map(JSON.int)),
          "sender": ["uid": "app_system", "name": "System"],
          "receiverId": .string(name.receiver), "receiverType": "group",
          "receiptType": .string(Bytes(kind.rawValue)), kind.timeField: .seconds(at),
        ],
      ]
    case .response(let receipt, let at, let sender, let responses):
      [
        "to": ["uids": [.string(sender)]], "readAt": .seconds(at),
        "sender": ["uid": .string(receipt.sender)],
        "responses": .array(responses.map(\.value)),
      ]
    case .unread(let unread): unread.value
    case .thread(let thread):
      [
        "to": name.everybody, "parentMessageId": .int(thread.parent),
        "replyCount": .int(Int64(thread.replyCount)),
        "lastReplyId": thread.last.map { .int($0.id) } ?? .null,
        "lastReplyAt": thread.last.map { .seconds($0.at) } ?? .null,
      ]
    }
  }

  /// The value of a good record, which is JSON.
  private static func value(of origin: ModelEvent.Origin?) -> JSON {
    do { return try JSON.parse(Bytes(origin?.input.value ?? [])) } catch { return .null }
  }
}

extension ModelResponse {
  fileprivate var value: JSON {
    let value: JSON = [
      "messageId": .int(id), "readCount": .int(Int64(counts.done.read)),
      "unreadCount": .int(Int64(counts.waiting.read)),
      "totalCount": .int(Int64(counts.done.read + counts.waiting.read)),
    ]
    return value.adding("messageUId", messageUId.map(JSON.string))
  }
}

extension ModelUnread {
  fileprivate var value: JSON {
    let value: JSON = [
      "to": ["uids": [.string(uid)]], "unreadMessageCount": .int(Int64(count)),
      "lastReadMessageId": .int(lastRead),
    ]
    return value.adding("unreadFrom", from.map(JSON.int))
      .adding("parentMessageId", list > 0 ? .int(list) : nil)
  }
}

extension ModelDeleted {
  /// The thread of the message, or 0.
  var parent: Int64 { message?.parent ?? record.parentOfOriginal }

  /// The deleted message: the original, or what is tracked of it.
  var messageValue: JSON {
    let name = record.conversation
    let known: JSON = [
      "id": .int(record.messageId), "conversationId": .string(name.id),
      "receiverId": .string(name.receiver), "receiverType": name.guid == nil ? "user" : "group",
      "parentMessageId": .int(parent),
    ]
    let tracked = known.adding("messageUId", message?.messageUId.map(JSON.string))
      .adding("sender", message.map { ["uid": .string($0.sender)] })
      .adding("sentAt", message.map { .seconds($0.sentAt) })
    return (record.original.map { JSON($0) } ?? tracked)
      .adding("deletedAt", .seconds(at)).adding("deletedBy", .string(record.deletedBy))
      .adding("updatedAt", .seconds(at))
  }

  /// The action message.
  var actionValue: JSON {
    let name = record.conversation
    let receiver: JSON = .string(name.receiver)
    return [
      "muid": .string(Bytes("deleted-\(record.messageId)")), "category": "action",
      "type": "message", "action": "deleted", "message": "Message is deleted.",
      "actionBy": JSON(record.deletedByObject), "actionOn": messageValue,
      "actionFor": name.guid == nil ? ["uid": receiver] : ["guid": receiver],
      "conversationId": .string(name.id), "receiverId": receiver,
      "receiverType": name.guid == nil ? "user" : "group", "sentAt": .seconds(at),
      "parentMessageId": .int(parent),
    ]
  }
}

extension ModelConversationName {
  /// The group, or both parties, as an event names its recipients.
  var everybody: JSON {
    if let guid { return ["guid": .string(guid)] }
    return ["uids": .array(users.map(JSON.string))]
  }
}
