extension Model {
  /// A message of category `message`, `custom` or `call`.
  mutating func apply(_ record: ModelMessageRecord, _ source: ModelSource) {
    let conversation = conversation(record.conversation)
    guard isNew(record.id, in: conversation) else { return }
    if let fault = fault(ofParent: record, in: conversation) {
      reject(source, fault)
      applyAction(record.id, record.sentAt, conversation)
      return
    }
    if conversation.roster == .unknown { conversation.strangers.insert(record.sender) }
    let message = message(record, in: conversation)
    conversation.known[record.id] = ModelKnown(
      id: record.id, sentAt: record.sentAt, appliedAt: now, message: message)
    cover(message, in: conversation)
    outputs.touch(conversation.name.id, record.id)
    if let deletion = conversation.earlyDeletes.removeValue(forKey: record.id) {
      delete(message, deletion)
    }
    if message.parent > 0 { addReply(message, to: conversation, source) }
    announce(among: [message], in: conversation, cause: "message", at: record.sentAt)
    retry(conversation, [.id(record.id)] + (record.messageUId.map { [.uid($0)] } ?? []))
  }

  /// An action record that is passed over, or what is from now on like one.
  mutating func applyAction(_ id: Int64, _ sentAt: Int64, _ conversation: ModelConversation) {
    guard isNew(id, in: conversation) else { return }
    conversation.known[id] = ModelKnown(id: id, sentAt: sentAt, appliedAt: now)
    retry(conversation, [.id(id)])
  }

  /// Whether an id of the message topic is neither a duplicate nor expired.
  func isNew(_ id: Int64, in conversation: ModelConversation) -> Bool {
    conversation.known[id] == nil && !conversation.isGone(id)
  }

  private func fault(
    ofParent record: ModelMessageRecord, in conversation: ModelConversation
  ) -> ModelFault? {
    let parent = record.parentMessageId
    if parent < 0 || parent >= record.id { return ModelFault("ERR_INVALID_PARENT_MESSAGE_ID") }
    let isReply = conversation.known[parent]?.message.map { $0.parent > 0 } ?? false
    return isReply ? ModelFault("ERR_WRONG_MESSAGE_THREAD") : nil
  }

  private func message(
    _ record: ModelMessageRecord, in conversation: ModelConversation
  ) -> ModelMessage {
    let present = conversation.present(at: record.id)
    var tracking = ModelMessage.Tracking.on
    if isTooLarge(conversation, at: record.id, present.count) {
      tracking = .off("GROUP_TOO_LARGE")
    } else if isBeforeRoster(conversation, at: record.id) {
      tracking = .off("ROSTER_UNKNOWN")
    } else if !record.needReceipt {
      tracking = .off("NOT_REQUESTED")
    }
    let audience = present.filter { uid, membership in
      uid != record.sender && !membership.isExempt
    }
    let isFirst = record.messageUId.map { conversation.holder(of: $0) == nil } ?? false
    return ModelMessage(
      record, list: rules.threads == "separate" ? record.parentMessageId : 0,
      messageUId: isFirst ? record.messageUId : nil, tracking: tracking,
      audience: tracking == .on ? audience : [:])
  }

  private func isTooLarge(
    _ conversation: ModelConversation, at id: Int64, _ present: Int
  ) -> Bool {
    guard conversation.isGroup else { return false }
    if conversation.roster == .tooLarge { return true }
    if let floor = conversation.largeFloor, id < floor { return true }
    return present > rules.maxGroupMembers
  }

  private func isBeforeRoster(_ conversation: ModelConversation, at id: Int64) -> Bool {
    guard conversation.isGroup else { return false }
    return conversation.roster == .unknown || id < conversation.firstRosterId ?? 0
  }

  /// What was said before it came counts for a message.
  private func cover(_ message: ModelMessage, in conversation: ModelConversation) {
    for uid in message.audience.keys {
      let readAt = conversation.coveredAt(.read, by: uid, message)
      let deliveredAt = conversation.coveredAt(.delivered, by: uid, message) ?? readAt
      if readAt != nil { message.read.insert(uid) }
      if deliveredAt != nil { message.delivered.insert(uid) }
      guard !conversation.isGroup else { continue }
      message.readAt = readAt
      message.deliveredAt = deliveredAt
    }
  }
}
