extension Model {
  /// `messagesDelivered` or `messagesRead`: a receipt added something for these messages.
  mutating func tellSenders(of added: [ModelMessage], _ waiter: ModelWaiting) {
    guard rules.receiptEvents == "all" else { return }
    let event = waiter.receipt.kind == .delivered ? "messagesDelivered" : "messagesRead"
    let conversation = waiter.receipt.conversation
    let senders = Model.bySender(added).map(\.sender)
    var to: JSON = ["uids": .array(senders.map(JSON.string))]
    if senders.count > 100 { to = ["guid": .string(conversation.receiver)] }
    outputs.receipts.append(
      output(
        event, waiter.nextEventId(event), conversation,
        ["to": to, "receipt": Model.value(of: waiter.record)]))
  }

  /// Announces, to each sender, what is complete now and was not before.
  mutating func announce(
    among messages: [ModelMessage], in group: ModelGroup, cause: String, at time: Int64
  ) {
    guard rules.enhancedMessagingStatus else { return }
    let open = messages.filter { $0.tracking == .on }
    let delivered = open.filter {
      $0.deliveredAt == nil && $0.isComplete(.delivered, rules.leavers)
    }
    let read = open.filter { $0.readAt == nil && $0.isComplete(.read, rules.leavers) }
    for message in delivered { message.deliveredAt = time }
    for message in read { message.readAt = time }
    for message in delivered + read { outputs.touch(group.name.id, message.id) }
    outputs.deliveredToAll += announcements(.delivered, of: delivered, group, cause, time)
    outputs.readByAll += announcements(.read, of: read, group, cause, time)
  }

  private func announcements(
    _ kind: ModelReceiptRecord.Kind, of messages: [ModelMessage], _ group: ModelGroup,
    _ cause: String, _ time: Int64
  ) -> [ModelOutput] {
    let word = kind == .delivered ? "deliveredToAll" : "readByAll"
    let event = kind == .delivered ? "messagesDeliveredToAll" : "messagesReadByAll"
    var events: [ModelOutput] = []
    for (sender, all) in Model.bySender(messages) {
      for start in stride(from: 0, to: all.count, by: 1000) {
        let ids = all[start..<min(start + 1000, all.count)].map(\.id)
        let highest = ids[ids.count - 1]
        let receipt: JSON = [
          "messageId": .int(highest),
          "messageIds": .array(ids.map(JSON.int)),
          "sender": ["uid": "app_system", "name": "System"],
          "receiverId": .string(group.name.receiver),
          "receiverType": "group",
          "receiptType": .string(Bytes(kind.rawValue)),
          kind.timeField: .seconds(time),
        ]
        events.append(
          output(
            event, "\(group.name.id)/\(word)/\(highest)", group.name,
            [
              "to": ["uids": [.string(sender)]], "cause": .string(Bytes(cause)),
              "receipt": receipt,
            ]))
      }
    }
    return events
  }

  /// `readReceiptResponse`, to each sender of what an exact read receipt newly covers.
  mutating func respond(to added: [ModelMessage], _ waiter: ModelWaiting) {
    let event = "readReceiptResponse"
    for (sender, messages) in Model.bySender(added) {
      let responses: [JSON] = messages.map { message in
        let counts = message.counts(rules.leavers)
        let response: JSON = [
          "messageId": .int(message.id), "readCount": .int(Int64(counts.read)),
          "unreadCount": .int(Int64(counts.unread)),
          "totalCount": .int(Int64(counts.read + counts.unread)),
        ]
        return response.adding("messageUId", message.messageUId.map(JSON.string))
      }
      outputs.responses.append(
        output(
          event, waiter.nextEventId(event), waiter.receipt.conversation,
          [
            "to": ["uids": [.string(sender)]], "readAt": .seconds(waiter.at),
            "sender": ["uid": .string(waiter.receipt.sender)], "responses": .array(responses),
          ]))
    }
  }

  /// The newest status of a message.
  func status(_ conversation: Bytes, _ id: Int64) -> ModelOutput? {
    guard let message = groups[conversation]?.known[id]?.message else { return nil }
    let counts = message.counts(rules.leavers)
    var status: JSON = [
      "conversationId": .string(conversation), "messageId": .int(id),
      "sender": ["uid": .string(message.sender)], "sentAt": .seconds(message.sentAt),
      "totalCount": .int(Int64(counts.read + counts.unread)),
      "deliveredCount": .int(Int64(counts.delivered)),
      "undeliveredCount": .int(Int64(counts.undelivered)),
      "readCount": .int(Int64(counts.read)), "unreadCount": .int(Int64(counts.unread)),
      "replyCount": 0,
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
    let key = conversation + Bytes("#\(id)")
    return ModelOutput(topic: "status", key: key, value: status)
  }

  /// Messages by sender, the senders in the order of their lowest id.
  private static func bySender(
    _ messages: [ModelMessage]
  ) -> [(sender: Bytes, messages: [ModelMessage])] {
    Dictionary(grouping: messages, by: \.sender)
      .map { (sender: $0.key, messages: $0.value.sorted { $0.id < $1.id }) }
      .sorted { $0.messages[0].id < $1.messages[0].id }
  }

  /// The value of a good record, which is JSON.
  private static func value(of record: ModelRecord) -> JSON {
    do { return try JSONParser.parse(record.value) } catch { return .null }
  }

  private func output(
    _ event: String, _ id: String, _ conversation: ModelConversationName, _ rest: JSON
  ) -> ModelOutput {
    let value = rest.adding("event", .string(Bytes(event)))
      .adding("eventId", .string(Bytes(id)))
      .adding("conversationId", .string(conversation.id))
    return ModelOutput(topic: "events", key: conversation.id, value: value)
  }
}
