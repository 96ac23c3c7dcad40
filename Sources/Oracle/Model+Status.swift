extension Model {
  /// The newest status of a message.
  func status(_ conversation: Bytes, _ id: Int64) -> ModelOutput? {
    guard let conversation = conversations[conversation],
      let message = conversation.known[id]?.message
    else { return nil }
    let counts = message.counts(rules.leavers)
    var status: JSON = [
      "conversationId": .string(conversation.name.id), "messageId": .int(id),
      "sender": ["uid": .string(message.sender)], "sentAt": .seconds(message.sentAt),
      "totalCount": .int(Int64(counts.read + counts.unread)),
      "deliveredCount": .int(Int64(counts.delivered)),
      "undeliveredCount": .int(Int64(counts.undelivered)),
      "readCount": .int(Int64(counts.read)), "unreadCount": .int(Int64(counts.unread)),
      "replyCount": .int(Int64(conversation.replies(to: id).count)),
    ]
    switch message.tracking {
    case .on: status = status.adding("tracking", "on")
    case .off(let reason):
      status = status.adding("tracking", "off").adding("reason", .string(Bytes(reason)))
    case .ended(let reason):
      status = status.adding("tracking", "ended").adding("reason", .string(Bytes(reason)))
    }
    status = status.adding("messageUId", message.messageUId.map(JSON.string))
      .adding("deliveredAt", message.deliveredAt.map(JSON.seconds))
      .adding("readAt", message.readAt.map(JSON.seconds))
      .adding("deletedAt", message.deletion.map { .seconds($0.at) })
      .adding("deletedBy", message.deletion.map { .string($0.by) })
    let key = conversation.name.id + Bytes("#\(id)")
    return ModelOutput(topic: "status", key: key, value: status)
  }
}
