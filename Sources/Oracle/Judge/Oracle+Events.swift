/// The events of `chat.events`.
extension Oracle {
  mutating func checkEvent(_ output: OracleRecord) {
    guard let value = JSON.parsed(output.value), let key = output.key,
      let name = value["event"]?.text?.description, let eventId = value["eventId"]?.text,
      value["conversationId"]?.text?.bytes == key
    else { return find(.wrong, "\(output.place) is no event") }
    guard let place = places[Bytes(key)] else {
      return find(.wrong, "\(output.place) is of a conversation of which nothing came")
    }
    let digest = OracleDigest(eventId)
    if let kind = ModelReceiptRecord.Kind(announcedBy: name) {
      return checkAnnouncement(value, kind, at: place, output.place)
    }
    guard let id = OracleEventId(eventId), id.conversation.bytes == key, id.partition == partition,
      id.event == Bytes(name)
    else { return find(.wrong, "the eventId of \(output.place) is not of its form") }
    clocks.note(id.source, at: output.timestamp)
    let found = OracleEvent(
      name: name, conversation: place, source: id.source, number: id.number,
      content: OracleDigest(value))
    if var event = events[digest] {
      if event.hasCome { return find(.doubled, event.description) }
      event.hasCome = true
      events[digest] = event
      if event.isAwaited {
        judge(
          order == .any ? .reordered : nil, .early,
          "an announcement that \(event.description) makes")
      }
      if event.content != found.content { checkDifference(of: found, value) }
    } else if otherEvents.insert(digest).inserted {
      checkStranger(found, value)
    } else {
      return find(.doubled, found.description)
    }
    note(found, value)
  }

  /// Notes what later outputs are held against.
  private mutating func note(_ event: OracleEvent, _ value: JSON) {
    switch event.name {
    case "messagesDelivered", "messagesRead": noteTold(event)
    case "threadUpdated":
      guard let parent = value["parentMessageId"]?.whole else { return }
      conversations[event.conversation].threads[parent, default: OracleThread()].found =
        value["replyCount"]?.whole
    case "readReceiptResponse":
      guard case .array(let responses)? = value["responses"] else { return }
      for case .int(let id)? in responses.map({ $0["messageId"] }) {
        receipts[event.source.offset]?.responses &-= OracleDigest(.int(id)).short
      }
    case "messageDeleted":
      guard let message = value["message"], let id = message["id"]?.whole else { return }
      noteDeleted(message, at: event.conversation)
      conversations[event.conversation].messages[id]?.isDeleted = true
      conversations[event.conversation].actionsAhead[id, default: 0] -= 1
    default: break
    }
  }

  /// Of an announcement that had to wait for this receipt nothing may have been seen.
  private mutating func noteTold(_ event: OracleEvent) {
    guard let receipt = receipts[event.source.offset] else { return }
    if let awaited = receipt.awaited, !receipt.hasTold {
      judge(
        awaited == .perhaps ? .reordered : nil, .early,
        "an announcement that \(event.source.description) completes")
    }
    receipts[event.source.offset]?.hasTold = true
  }

  /// An event that the model has, but with another content.
  private mutating func checkDifference(of event: OracleEvent, _ value: JSON) {
    let isCount = ["readReceiptResponse", "unreadChanged", "threadUpdated"].contains(event.name)
    let isPossible = isPossible(event, value)
    judge(
      isPossible ? explanation(ofContentOf: event) : nil, isCount ? .badCounts : .wrong,
      "\(event.description) says otherwise")
  }

  /// Why an event that comes in any order may say something else.
  private func explanation(ofContentOf event: OracleEvent) -> OracleExplanation? {
    guard order == .any else { return nil }
    let conversation = conversations[event.conversation]
    switch event.name {
    case "messageDeleted": return timelessExplains(differenceIn: event.conversation)
    case "readReceiptResponse": return .reordered
    case "threadUpdated": return conversation.hasDeletes ? .reordered : nil
    case "unreadChanged":
      // What comes later in the conversation is counted if it is there already.
      let isLast = receipts[event.source.offset]?.names(conversation.lastId) ?? true
      return isLast && !conversation.hasDeletes ? explanation(of: event) : .reordered
    default: return explanation(of: event)
    }
  }

  /// An event that the model does not have.
  private mutating func checkStranger(_ event: OracleEvent, _ value: JSON) {
    var explanation: OracleExplanation?
    if isPossible(event, value) {
      switch event.name {
      case "messageDeleted": explanation = explain(stranger: value, event)
      case "threadUpdated":
        let parent = value["parentMessageId"]?.whole ?? 0
        explanation = self.explanation(ofThread: parent, at: event.conversation)
      default: explanation = self.explanation(of: event)
      }
      if event.source.topic == .receipts {
        explanation = explanation ?? timelessExplains(differenceIn: event.conversation)
      }
    }
    judge(explanation, .wrong, "\(event.description), which nothing asks for")
  }
}
