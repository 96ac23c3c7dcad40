/// The events of `chat.events` that are of one record: all but the announcements.
extension Oracle {
  mutating func checkEvent(_ output: OracleRecord) {
    guard let value = JSON.parsed(output.value), let key = output.key,
      let name = value["event"]?.text?.description, let eventId = value["eventId"]?.text,
      value["conversationId"]?.text?.bytes == key
    else { return verdict.find(.wrong, "\(output.place) is no event") }
    guard let place = places[Bytes(key)] else {
      return verdict.find(.wrong, "\(output.place) is of a conversation of which nothing came")
    }
    let digest = OracleDigest(eventId)
    if let kind = OracleAnnouncement.Kind(event: name) {
      if !otherEvents.insert(digest).inserted {
        verdict.find(.doubled, "the eventId of \(output.place)")
      }
      return checkAnnouncement(value, kind, at: place, output.place)
    }
    guard let id = OracleEventId(eventId), id.conversation.bytes == key, id.partition == partition,
      id.event == Bytes(name)
    else { return verdict.find(.wrong, "the eventId of \(output.place) is not of its form") }
    let found = OracleEvent(
      name: name, conversation: place, source: id.source, number: id.number,
      content: OracleDigest(value))
    if var event = events[digest] {
      if event.hasCome { return verdict.find(.doubled, "\(event.description)") }
      event.hasCome = true
      events[digest] = event
      if event.content != found.content { checkDifference(of: found, value) }
    } else {
      guard otherEvents.insert(digest).inserted else {
        return verdict.find(.doubled, "\(found.description)")
      }
      checkStranger(found, value)
    }
    noteEvent(found, value)
  }

  /// Notes what later outputs are held against.
  private mutating func noteEvent(_ event: OracleEvent, _ value: JSON) {
    switch event.name {
    case "messagesDelivered", "messagesRead": noteTold(event)
    case "threadUpdated":
      guard let parent = value["parentMessageId"]?.whole else { return }
      conversations[event.conversation].threads[parent, default: OracleThread()].found =
        value["replyCount"]?.whole
    case "messageDeleted":
      guard let id = value["message"]?["id"]?.whole else { return }
      conversations[event.conversation].messages[id]?.isDeleted = true
    default: break
    }
  }

  /// Of an announcement that had to wait for this receipt nothing may have been seen.
  private mutating func noteTold(_ event: OracleEvent) {
    guard var receipt = receipts[event.source.offset] else { return }
    if receipt.isAwaited, !receipt.hasTold {
      verdict.find(.early, "an announcement that \(event.description) completes")
    }
    receipt.hasTold = true
    receipts[event.source.offset] = receipt
  }

  /// An event that the model has, but with another content.
  private mutating func checkDifference(of event: OracleEvent, _ value: JSON) {
    let isCount = ["readReceiptResponse", "unreadChanged", "threadUpdated"].contains(event.name)
    guard order == .any, isPossible(event, value), mayDiffer(event) else {
      return verdict.find(isCount ? .badCounts : .wrong, "\(event.description) says otherwise")
    }
    verdict.count(.reordered)
  }

  /// An event that the model does not have.
  private mutating func checkStranger(_ event: OracleEvent, _ value: JSON) {
    let isDelete = event.name == "messageDeleted"
    if isDelete || event.name == "threadUpdated" { return checkStrangeDelete(event, value) }
    guard order == .any, isPossible(event, value), isUnsettled(event) else {
      return verdict.find(.wrong, "\(event.description), which nothing asks for")
    }
    verdict.count(.reordered)
  }

  /// Whether the order of the topics may decide if a receipt has an event.
  func isUnsettled(_ event: OracleEvent) -> Bool {
    guard event.source.topic == .receipts, let receipt = receipts[event.source.offset] else {
      return false
    }
    let reader = conversations[receipt.conversation].readers[receipt.sender]
    let isOverruled = event.name == "unreadChanged" && reader?.hasMarkedUnread ?? false
    return isOverruled || conversations[receipt.conversation].isUnsettled(receipt)
  }

  /// Whether the order of the topics may decide what is in an event that comes in any order.
  private func mayDiffer(_ event: OracleEvent) -> Bool {
    switch event.name {
    case "messageDeleted": return false
    case "readReceiptResponse": return true
    case "threadUpdated": return conversations[event.conversation].hasDeletes
    case "unreadChanged":
      guard let receipt = receipts[event.source.offset] else { return false }
      // What comes later in the conversation is counted if it is there already.
      return isUnsettled(event) || !receipt.names(conversations[event.conversation].lastId)
        || conversations[event.conversation].hasDeletes
    default: return isUnsettled(event)
    }
  }
}
