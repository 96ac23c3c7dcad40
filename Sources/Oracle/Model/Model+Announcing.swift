extension Model {
  /// `messagesDelivered` or `messagesRead`: a receipt added something for these messages.
  mutating func tellSenders(of added: [ModelMessage], _ accepted: ModelAccepted) {
    let receipt = accepted.receipt
    let isGroup = receipt.conversation.guid != nil
    guard rules.receiptEvents == "all" || rules.receiptEvents == "direct" && !isGroup else {
      return
    }
    var seen: Set<Bytes> = []
    let senders = added.map(\.sender).filter { seen.insert($0).inserted }
    let event = ModelEvent(
      conversation: receipt.conversation, origin: accepted.source.nextOrigin(),
      content: .receipt(receipt.kind, senders: senders))
    outputs.add(event, .receipts)
  }

  /// Announces, to each sender, what is complete now and was not before; `messages` rise by id.
  mutating func announce(
    among messages: [ModelMessage], in conversation: ModelConversation, cause: ModelCause,
    at time: Int64
  ) {
    guard rules.enhancedMessagingStatus, conversation.isGroup else { return }
    announce(.delivered, among: messages, in: conversation, cause, time)
    announce(.read, among: messages, in: conversation, cause, time)
  }

  private mutating func announce(
    _ kind: ModelReceiptRecord.Kind, among messages: [ModelMessage],
    in conversation: ModelConversation, _ cause: ModelCause, _ time: Int64
  ) {
    let complete = messages.filter { $0.doneAt[kind] == nil && $0.isComplete(kind) }
    for message in complete { message.story.isPossible[kind] = true }
    let announced = complete.filter { $0.tracking == .on }
    for message in announced {
      message.doneAt[kind] = time
      message.story.causes[kind] = cause
      outputs.touch(message.id, in: conversation)
    }
    for (sender, messages) in Model.bySender(announced) {
      for start in stride(from: 0, to: messages.count, by: 1000) {
        let ids = messages[start..<min(start + 1000, messages.count)].map(\.id)
        let event = ModelEvent(
          conversation: conversation.name, origin: nil,
          content: .announced(kind, sender: sender, ids: ids, cause: cause, at: time))
        outputs.add(event, kind == .delivered ? .deliveredToAll : .readByAll)
      }
    }
  }

  /// `readReceiptResponse`, to each sender of what an exact read receipt newly covers.
  mutating func respond(to added: [ModelMessage], _ accepted: ModelAccepted) {
    for (sender, messages) in Model.bySender(added) {
      let responses = messages.map { message in
        ModelResponse(id: message.id, messageUId: message.messageUId, counts: message.counts)
      }
      let event = ModelEvent(
        conversation: accepted.receipt.conversation, origin: accepted.source.nextOrigin(),
        content: .response(accepted.receipt, at: accepted.at, to: sender, responses))
      outputs.add(event, .responses)
    }
  }

  /// Messages, which rise by id, by sender: the senders in the order of their lowest id.
  private static func bySender(
    _ messages: [ModelMessage]
  ) -> [(sender: Bytes, messages: [ModelMessage])] {
    guard messages.count > 1 else { return messages.map { (sender: $0.sender, messages: [$0]) } }
    var groups: [(sender: Bytes, messages: [ModelMessage])] = []
    var places: [Bytes: Int] = [:]
    for message in messages {
      if let place = places[message.sender] {
        groups[place].messages.append(message)
      } else {
        places[message.sender] = groups.count
        groups.append((sender: message.sender, messages: [message]))
      }
    }
    return groups
  }
}
