extension Model {
  /// A message, of whatever category.
  mutating func apply(
    _ record: ModelMessageRecord, _ source: ModelSource, in conversation: ModelConversation
  ) {
    guard isNew(record.id, record.sentAt, by: record.sender, source, in: conversation) else {
      return
    }
    if let fault = fault(ofParent: record, in: conversation) {
      reject(source, fault)
      applyAction(record.id, record.sentAt, source, in: conversation)
      return
    }
    if conversation.roster == .unknown { conversation.strangers.insert(record.sender) }
    let message = message(record, in: conversation)
    add(ModelKnown(id: record.id, sentAt: record.sentAt, message: message), to: conversation)
    cover(message, in: conversation)
    outputs.touch(record.id, in: conversation)
    if let early = conversation.earlyDeletes.removeValue(forKey: record.id) {
      message.delete(early.deletion)
      message.story.deletes = early.records
    }
    if message.parent > 0 { addReply(message, to: conversation, source) }
    // A delete that waited and the message are applied as one: nothing is announced with it.
    retry(conversation, [.id(record.id)], deletesOnly: true)
    announce(among: [message], in: conversation, cause: .message, at: record.sentAt)
    retry(conversation, [.id(record.id)] + (record.messageUId.map { [.uid($0)] } ?? []))
  }

  /// An action record that is passed over, or what is from now on like one.
  mutating func applyAction(
    _ id: Int64, _ sentAt: Int64, _ source: ModelSource, in conversation: ModelConversation
  ) {
    guard isNew(id, sentAt, source, in: conversation) else { return }
    add(ModelKnown(id: id, sentAt: sentAt), to: conversation)
    retry(conversation, [.id(id)])
  }

  /// Whether an id of the message topic is neither known nor expired. What is known under it must
  /// be the same: of the same time and, where both are messages, of the same sender.
  mutating func isNew(
    _ id: Int64, _ sentAt: Int64, by sender: Bytes? = nil, _ source: ModelSource,
    in conversation: ModelConversation
  ) -> Bool {
    guard let known = conversation.known[id] else { return !conversation.isGone(id) }
    let other = known.message?.sender
    let isOfAnother = sender != nil && other != nil && sender != other
    if isOfAnother || sentAt != known.sentAt { reject(source, ModelFault("ERR_ID_IN_USE", "id")) }
    return false
  }

  /// An id is known from now on, for one window.
  mutating func add(_ known: ModelKnown, to conversation: ModelConversation) {
    conversation.add(known)
    if !isTimeless {
      due.messages.append(ModelApplied(conversation: conversation, id: known.id, at: now))
    }
    if conversation.roster == .tooLarge {
      conversation.pastLimit.highestId = max(conversation.pastLimit.highestId, known.id)
    }
  }

  private func fault(
    ofParent record: ModelMessageRecord, in conversation: ModelConversation
  ) -> ModelFault? {
    let parent = record.parentMessageId
    if parent == 0 { return nil }
    if parent < 0 || parent >= record.id { return ModelFault("ERR_INVALID_PARENT_MESSAGE_ID") }
    let isReply = conversation.known[parent]?.message.map { $0.parent > 0 } ?? false
    return isReply ? ModelFault("ERR_WRONG_MESSAGE_THREAD") : nil
  }

  private func message(
    _ record: ModelMessageRecord, in conversation: ModelConversation
  ) -> ModelMessage {
    let presence = conversation.presence(at: record.id)
    var tracking = ModelTracking.on
    if isTooLarge(conversation, at: record.id, presence.count) {
      tracking = .off(.groupTooLarge)
    } else if isBeforeRoster(conversation, at: record.id) {
      tracking = .off(.rosterUnknown)
    } else if !record.needReceipt {
      tracking = .off(.notRequested)
    }
    let isFirst = record.messageUId.map { conversation.holder(of: $0) == nil } ?? false
    let sender = conversation.member(record.sender)
    return ModelMessage(
      record, sender: sender?.uid ?? record.sender,
      list: rules.threads == "separate" ? record.parentMessageId : 0,
      messageUId: isFirst ? record.messageUId : nil, tracking: tracking,
      presence: tracking == .on ? presence : nil, senderNumber: sender?.number,
      waitsForLeavers: rules.waitsForLeavers)
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
    guard
      message.id <= conversation.highestClaim || message.sentAt <= conversation.highestClaimedTime
    else { return }
    for membership in message.audience {
      let member = membership.member
      let readAt = member.coveredAt(.read, message)
      let deliveredAt = member.coveredAt(.delivered, message) ?? readAt
      guard deliveredAt != nil else { continue }
      let isWaitedFor = membership.end == nil || rules.waitsForLeavers
      _ = message.mark(readAt == nil ? .delivered : .read, membership, isWaitedFor: isWaitedFor)
      message.story.hasWaited = true
      guard !conversation.isGroup else { continue }
      message.doneAt = ModelByKind(delivered: deliveredAt, read: readAt)
    }
  }
}
