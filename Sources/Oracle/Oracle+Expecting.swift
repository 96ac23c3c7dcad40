/// What must come of the inputs, as the model has it.
extension Oracle {
  mutating func expect(_ outputs: [ModelOutput]) {
    for output in outputs {
      switch output.topic {
      case "events": expectEvent(output)
      case "actions": actions[output.content, default: 0] += 1
      case "status": expectStatus(output)
      default: expectRejection(output)
      }
    }
  }

  private mutating func expectEvent(_ output: ModelOutput) {
    guard let value = output.value, let key = output.key, let place = places[key],
      let name = value["event"]?.text?.description, let eventId = value["eventId"]?.text
    else { return }
    if let kind = OracleAnnouncement.Kind(event: name) {
      expect(value, kind, at: place)
      return
    }
    guard let id = OracleEventId(eventId) else { return }
    var event = OracleEvent(
      name: name, conversation: place, source: id.source, number: id.number,
      content: OracleDigest(value))
    if name == "threadUpdated", let parent = value["parentMessageId"]?.whole {
      event.subject = parent
      conversations[place].threads[parent, default: OracleThread()].expected =
        value["replyCount"]?.whole
    }
    if name == "messageDeleted" { event.subject = value["message"]?["id"]?.whole ?? 0 }
    events[OracleDigest(eventId)] = event
  }

  private mutating func expect(
    _ announcement: JSON, _ kind: OracleAnnouncement.Kind, at place: Int
  ) {
    let receipt = announcement["receipt"]
    guard case .array(let ids)? = receipt?["messageIds"],
      let cause = announcement["cause"]?.text?.description,
      let time = receipt?[kind.timeField]?.time
    else { return }
    let expected = OracleMessage.Expected(cause: cause, time: time)
    for id in ids.compactMap(\.whole) {
      verdict.count(.expected)
      conversations[place].messages[id, default: OracleMessage()].expected[kind] = expected
    }
    if order == .merged { announcements.insert(OracleDigest(announcement)) }
  }

  private mutating func expectStatus(_ output: ModelOutput) {
    guard let value = output.value, let id = value["messageId"]?.whole,
      let name = value["conversationId"]?.text, let place = places[name]
    else { return }
    var message = conversations[place].messages[id] ?? OracleMessage()
    message.sender = value["sender"]?["uid"]?.text.map { OracleDigest($0) }
    message.sentAt = value["sentAt"]?.time
    message.expectedStatus = OracleStatus(value)
    conversations[place].messages[id] = message
  }

  private mutating func expectRejection(_ output: ModelOutput) {
    guard let headers = output.headers, let code = headers["error.code"],
      let offset = headers["source.offset"].flatMap(Int64.init),
      let timestamp = headers["source.timestamp"].flatMap(Int64.init),
      let topic = ModelRecord.Topic.allCases.first(where: {
        headers["source.topic"] == "chat." + $0.rawValue
      })
    else { return }
    rejections[OracleSource(topic: topic, offset: offset)] = OracleRejection(
      code: code, field: headers["error.field"],
      record: OracleDelivery(
        timestamp: timestamp, key: output.key.map { OracleDigest($0) },
        value: output.raw.map { OracleDigest($0) }),
      omittedBytes: headers["source.bytes"].flatMap(Int.init))
  }
}

extension ModelOutput {
  /// Stands for key and value.
  fileprivate var content: OracleDigest {
    OracleDigest(OracleDigest(key ?? ""), OracleDigest(value ?? .null))
  }
}
