extension Model {
  /// `messagesDelivered` or `messagesRead`: a receipt added something for these messages.
  mutating func tellSenders(
    of added: [ModelMessage], _ receipt: ModelReceiptRecord, _ source: ModelSource
  ) {
    let isGroup = receipt.conversation.guid != nil
    guard rules.receiptEvents == "all" || rules.receiptEvents == "direct" && !isGroup else {
      return
    }
    let senders = Model.bySender(added).map(\.sender)
    var to: JSON = ["uids": .array(senders.map(JSON.string))]
    if senders.count > 100 { to = ["guid": .string(receipt.conversation.receiver)] }
    var event = output(
      receipt.kind == .delivered ? "messagesDelivered" : "messagesRead", source,
      receipt.conversation, ["to": to, "receipt": Model.value(of: source.record)])
    event.verbatim = [source.record.value].compactMap(\.self)
    outputs.receipts.append(event)
  }

  /// Announces, to each sender, what is complete now and was not before.
  mutating func announce(
    among messages: [ModelMessage], in conversation: ModelConversation, cause: String,
    at time: Int64
  ) {
    guard rules.enhancedMessagingStatus, conversation.isGroup else { return }
    let open = messages.filter { $0.tracking == .on }
    let delivered = open.filter {
      $0.deliveredAt == nil && $0.isComplete(.delivered, rules.leavers)
    }
    let read = open.filter { $0.readAt == nil && $0.isComplete(.read, rules.leavers) }
    for message in delivered { message.deliveredAt = time }
    for message in read { message.readAt = time }
    for message in delivered + read { outputs.touch(conversation.name.id, message.id) }
    outputs.deliveredToAll += announcements(.delivered, of: delivered, conversation, cause, time)
    outputs.readByAll += announcements(.read, of: read, conversation, cause, time)
  }

  private func announcements(
    _ kind: ModelReceiptRecord.Kind, of messages: [ModelMessage],
    _ conversation: ModelConversation, _ cause: String, _ time: Int64
  ) -> [ModelOutput] {
    let word = kind == .delivered ? "deliveredToAll" : "readByAll"
    let event = kind == .delivered ? "messagesDeliveredToAll" : "messagesReadByAll"
    let name = conversation.name
    var events: [ModelOutput] = []
    for (sender, all) in Model.bySender(messages) {
      for start in stride(from: 0, to: all.count, by: 1000) {
        let ids = all[start..<min(start + 1000, all.count)].map(\.id)
        let highest = ids[ids.count - 1]
        let receipt: JSON = [
          "messageId": .int(highest),
          "messageIds": .array(ids.map(JSON.int)),
          "sender": ["uid": "app_system", "name": "System"],
          "receiverId": .string(name.receiver),
          "receiverType": "group",
          "receiptType": .string(Bytes(kind.rawValue)),
          kind.timeField: .seconds(time),
        ]
        events.append(
          output(
            event, id: "\(name.id)/\(word)/\(highest)", name,
            [
              "to": ["uids": [.string(sender)]], "cause": .string(Bytes(cause)),
              "receipt": receipt,
            ]))
      }
    }
    return events
  }

  /// `readReceiptResponse`, to each sender of what an exact read receipt newly covers.
  mutating func respond(
    to added: [ModelMessage], _ receipt: ModelReceiptRecord, at time: Int64,
    _ source: ModelSource
  ) {
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
          "readReceiptResponse", source, receipt.conversation,
          [
            "to": ["uids": [.string(sender)]], "readAt": .seconds(time),
            "sender": ["uid": .string(receipt.sender)], "responses": .array(responses),
          ]))
    }
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
    do { return try JSONParser.parse(record.value ?? "") } catch { return .null }
  }

  /// An event of a record other than the announcements.
  func output(
    _ event: String, _ source: ModelSource, _ name: ModelConversationName, _ rest: JSON
  ) -> ModelOutput {
    output(event, id: source.nextEventId(event, name), name, rest)
  }

  private func output(
    _ event: String, id: String, _ name: ModelConversationName, _ rest: JSON
  ) -> ModelOutput {
    let value = rest.adding("event", .string(Bytes(event)))
      .adding("eventId", .string(Bytes(id)))
      .adding("conversationId", .string(name.id))
    return ModelOutput(topic: "events", key: name.id, value: value)
  }
}
