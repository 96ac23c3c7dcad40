/// What must come of the inputs, as the model has it.
extension Oracle {
  /// Notes what the model has just said.
  mutating func expect(_ outputs: [ModelOutput]) {
    // Of one record's outputs these come before what is completed.
    var receipt: OracleDigest?
    noteForgotten()
    for output in outputs {
      switch output {
      case .event(let event):
        if case .receipt = event.content { receipt = OracleDigest(Bytes(event.id)) }
        expect(event, after: receipt)
      case .action(let deleted): expect(deleted)
      case .status(let status): expect(status)
      case .rejection(let rejection): expect(rejection)
      }
    }
    noteGivenUp()
    noteWaits()
    model.outcomes.forEach { note($0) }
    model.threadOutcomes.forEach { note($0) }
  }

  /// What is due is forgotten before a record is applied: of the same message that may tell more.
  private mutating func noteForgotten() {
    for status in model.outcomes.map(\.status) {
      guard let place = places[status.conversation] else { continue }
      conversations[place].hasExpired = true
      conversations[place].messages[status.id]?.isForgotten = true
    }
  }

  /// Notes what became of a message.
  mutating func note(_ outcome: ModelOutcome) {
    guard let place = places[outcome.status.conversation] else { return }
    conversations[place].messages[outcome.status.id]?.fate = OracleMessage.Fate(outcome)
    if outcome.deletes.contains(where: \.dependsOnOrder) {
      conversations[place].scopedDeletes.insert(outcome.status.id)
    }
  }

  /// Notes what became of a thread.
  mutating func note(_ outcome: ModelThreadOutcome) {
    guard outcome.isExcepted, let place = places[outcome.conversation] else { return }
    conversations[place].threads[outcome.parent]?.isExcepted = true
  }

  private mutating func expect(_ event: ModelEvent, after receipt: OracleDigest?) {
    guard let place = places[event.conversation.id] else { return }
    var subject: Int64 = 0
    switch event.content {
    case .announced(let kind, _, let ids, let cause, let time):
      for id in ids { expect(kind, of: id, at: place, cause, time) }
      announcements[OracleDigest(event.value)] = .some(cause == .receipt ? receipt : nil)
      return
    case .thread(let thread):
      subject = thread.parent
      conversations[place].threads[subject, default: OracleThread()].expected =
        Int64(thread.replyCount)
    case .deleted(let deleted):
      subject = deleted.record.messageId
      conversations[place].messages[subject, default: OracleMessage()].isDeletedInModel = true
    case .receipt:
      if let offset = event.origin?.input.offset { receipts[offset]?.mustTell = true }
    case .response(_, _, _, let responses):
      guard let offset = event.origin?.input.offset else { break }
      for response in responses {
        receipts[offset]?.responses &+= OracleDigest(.int(response.id)).short
      }
    case .unread: break
    }
    guard let origin = event.origin else { return }
    events[OracleDigest(Bytes(event.id))] = OracleEvent(
      name: event.name, conversation: place, source: OracleSource(origin.input),
      number: origin.number, content: OracleDigest(event.value), subject: subject)
  }

  private mutating func expect(
    _ kind: ModelReceiptRecord.Kind, of id: Int64, at place: Int, _ cause: ModelCause,
    _ time: Int64
  ) {
    verdict.count(.expected)
    var message = conversations[place].messages[id] ?? OracleMessage()
    let times = (message.expected[kind]?.times ?? 0) + 1
    message.expected[kind] = OracleMessage.Expected(cause: cause, time: time, times: times)
    if message.isDeletedInModel { message.outlivedDelete = true }
    conversations[place].messages[id] = message
  }

  /// Tells an action from others.
  func digest(of deleted: ModelDeleted) -> OracleDigest {
    OracleDigest(
      OracleDigest(deleted.record.conversation.id), OracleDigest(deleted.actionValue))
  }

  private mutating func expect(_ deleted: ModelDeleted) {
    guard let place = places[deleted.record.conversation.id] else { return }
    let digest = digest(of: deleted)
    let id = deleted.record.messageId
    actions[digest, default: OracleAction(conversation: place, id: id)].left += 1
  }

  private mutating func expect(_ status: ModelStatus) {
    guard let place = places[status.conversation] else { return }
    var message = conversations[place].messages[status.id] ?? OracleMessage()
    message.sender = status.sender.map { OracleDigest($0) }
    message.sentAt = status.sentAt
    let expected = OracleStatus(status)
    message.expectedStatus = expected
    if order == .merged { message.expectedStatuses.append(expected) }
    if message.isForgotten, expected.tracking != .ended(.expired) {
      message.isForgotten = false
      message.beginnings += 1
    }
    conversations[place].messages[status.id] = message
  }

  private mutating func expect(_ rejection: ModelRejection) {
    let input = rejection.input
    var record = OracleDelivery(input)
    record.timestamp = rejection.timestamp
    if rejection.isCut { record.value = nil }
    record.key = rejection.key.map { OracleDigest($0) }
    rejections[OracleSource(input)] = OracleRejection(
      code: rejection.fault.code, otherCode: rejection.fault.otherCode,
      field: rejection.fault.field, record: record,
      omittedBytes: rejection.isCut ? input.value?.count : nil,
      omittedKeyBytes: rejection.omittedKeyBytes)
  }
}
