/// A model that begins with a state.
extension Model {
  /// What is put in order once all of the state is there.
  struct Beginning {
    fileprivate var messages: [(offset: Int64, applied: ModelApplied)] = []
    fileprivate var ends: [(offset: Int64, end: ModelMembershipEnd)] = []
    fileprivate var earlyDeletes: [ModelApplied] = []
  }

  /// Takes a conversation of the state.
  ///
  /// - Returns: the conversation; nil where the id is none.
  mutating func begin(
    _ state: OracleStart.Conversation, _ beginning: inout Beginning
  ) -> ModelConversation? {
    guard let name = ModelConversationName(id: state.id) else { return nil }
    let conversation = conversation(name)
    conversation.begin(state)
    conversation.lastRecordAt = state.lastRecordAt ?? now
    var past = ModelPast(window: rules.trackingWindow)
    var slots: [Int: ModelMember] = [:]
    for state in state.members {
      let member = conversation.begin(state, &past)
      slots[state.slot] = member
      for membership in member.memberships {
        guard let at = membership.endedAt else { continue }
        let end = ModelMembershipEnd(membership: membership, at: at)
        beginning.ends.append((past.endOffset(of: membership), end))
      }
    }
    let earlier = Dictionary(state.replyCounts.map { ($0.parent, $0.count) }) { $1 }
    let deletions = Dictionary(
      state.deletions.map { deletion in
        let (id, by, at, acceptedAt) = deletion
        return (id, ModelDeletion(by: Bytes(by), at: at, acceptedAt: acceptedAt ?? 0))
      }
    ) { $1 }
    for state in state.messages {
      let message = state.body.flatMap { body in
        slots[body.sender].map {
          self.message(state, body, by: $0, in: conversation, &past, deletions[state.id])
        }
      }
      if let message, let body = state.body { cover(message, body, slots, in: conversation) }
      conversation.add(ModelKnown(id: state.id, sentAt: state.sentAt, message: message))
      let applied = ModelApplied(conversation: conversation, id: state.id, at: state.appliedAt)
      beginning.messages.append((state.offset, applied))
    }
    beginThreads(of: conversation, earlier)
    for (id, _, _, _) in state.deletions where conversation.known[id]?.message == nil {
      guard let early = deletions[id] else { continue }
      conversation.earlyDeletes[id] = ModelEarlyDelete(
        deletion: early, records: [ModelOutcome.Delete(accepted: early)])
      beginning.earlyDeletes.append(
        ModelApplied(conversation: conversation, id: id, at: early.acceptedAt))
    }
    if conversation.roster == .unknown {
      let kept = conversation.members.filter { member in
        member.hasClaims || conversation.hasKnownMessages(of: member.uid)
      }
      conversation.strangers = Set(kept.map(\.uid))
    }
    conversation.pastLimit.highestId = conversation.known.all.last?.id ?? 0
    schedule(conversation)
    return conversation
  }

  private func message(
    _ state: OracleStart.Message, _ body: OracleStart.Body, by sender: ModelMember,
    in conversation: ModelConversation, _ past: inout ModelPast, _ deletion: ModelDeletion?
  ) -> ModelMessage {
    let tracking = ModelTracking(body.tracking)
    // A deleted one was tracked before.
    let isOn = tracking == .on || tracking == .ended(.deleted)
    var presence: ModelPresence?
    if isOn {
      presence =
        conversation.isGroup
        ? past.presence(at: state, of: conversation.members.count)
        : conversation.presence(at: state.id)
    }
    let record = ModelMessageRecord(
      id: state.id, conversation: conversation.name, sender: sender.uid, sentAt: state.sentAt,
      messageUId: nil, parentMessageId: body.parent, needReceipt: true)
    let message = ModelMessage(
      record, sender: sender.uid, list: rules.threads == "separate" ? body.parent : 0,
      messageUId: body.messageUId.map { Bytes($0) }, tracking: isOn ? .on : tracking,
      presence: presence, senderNumber: sender.number, waitsForLeavers: rules.waitsForLeavers)
    message.doneAt = ModelByKind(delivered: body.doneAt.delivered, read: body.doneAt.read)
    guard let deletion else { return message }
    message.delete(deletion)
    message.story.deletes = [ModelOutcome.Delete(accepted: deletion)]
    return message
  }

  /// Counts again who has a message.
  private func cover(
    _ message: ModelMessage, _ body: OracleStart.Body, _ slots: [Int: ModelMember],
    in conversation: ModelConversation
  ) {
    let exactly = ModelByKind(
      delivered: Set(body.exactly.delivered.compactMap { slots[$0]?.number }),
      read: Set(body.exactly.read.compactMap { slots[$0]?.number }))
    for membership in message.audience {
      let member = membership.member
      func has(_ kind: ModelReceiptRecord.Kind) -> Bool {
        exactly[kind].contains(member.number) || member.coveredAt(kind, message) != nil
      }
      let isRead = has(.read)
      guard isRead || has(.delivered) else { continue }
      let isWaitedFor = membership.end == nil || rules.waitsForLeavers
      _ = message.mark(isRead ? .read : .delivered, membership, isWaitedFor: isWaitedFor)
    }
    for kind in [ModelReceiptRecord.Kind.delivered, .read] {
      message.story.isPossible[kind] = message.doneAt[kind] != nil || message.isComplete(kind)
    }
    if let counts = body.finalCounts { message.begin(ModelCounts(counts)) }
  }

  /// The replies that are known, and how many there were besides.
  private func beginThreads(of conversation: ModelConversation, _ counts: [Int64: Int64]) {
    for reply in conversation.messages where reply.parent > 0 {
      let thread = conversation.threads[reply.parent] ?? ModelThread()
      conversation.threads[reply.parent] = thread
      thread.add(reply)
    }
    for (parent, thread) in conversation.threads { thread.begin(at: counts[parent]) }
  }

  /// Takes a record that waits; they come in the order in which they began to.
  ///
  /// - Returns: the record as it is read.
  mutating func begin(
    _ waiting: OracleRecord, _ appliedAt: Int64, missing: [Int], events: Int
  ) -> ModelRecord? {
    guard let input = ModelInput(waiting) else { return nil }
    let record = ModelDecoder(maxRecordBytes: .max).record(input)
    let content: ModelWaiting.Record
    switch record.content {
    case .receipt(let receipt): content = .receipt(receipt)
    case .delete(let delete): content = .delete(delete)
    case .fault, .edit, .message, .membership, .action: return nil
    }
    guard let name = record.content.conversation else { return nil }
    let conversation = conversation(name)
    let source = ModelSource(input, at: input.timestamp ?? now, events: events)
    let waiter = ModelWaiting(content, source, in: conversation, appliedAt: appliedAt)
    if case .receipt(let receipt) = content {
      if case .exactly(let targets) = receipt.covers {
        waiter.missing = Set(missing.compactMap { $0 < targets.count ? targets[$0] : nil })
      }
      waiter.waitsForMembership =
        conversation.roster == .known && !conversation.hasMembership(receipt.sender)
    }
    self.waiting.add(waiter)
    conversation.waiting.add(waiter)
    return record
  }

  /// Puts in order what falls due, once all conversations are there.
  mutating func begun(_ beginning: Beginning) {
    for message in beginning.messages.sorted(by: { $0.offset < $1.offset }) {
      due.messages.append(message.applied)
    }
    for end in beginning.ends.sorted(by: { $0.offset < $1.offset }) {
      due.memberships.append(end.end)
    }
    for early in beginning.earlyDeletes.sorted(by: { $0.at < $1.at }) {
      due.earlyDeletes.append(early)
    }
    forgetMemberships()
  }
}

extension ModelConversation {
  fileprivate func begin(_ state: OracleStart.Conversation) {
    firstRosterId = state.firstRosterId
    largeFloor = state.largeFloor
    highestExpired = state.highestExpiredId
    pastLimit.wasPassed = state.roster == .tooLarge || state.largeFloor != nil
    guard isGroup else { return }
    roster = state.roster
    guard roster == .tooLarge else { return }
    scopes = Set(state.members.filter { $0.scope != "participant" }.map { Bytes($0.uid) })
  }

  /// Takes a member of the state.
  fileprivate func begin(_ state: OracleStart.Member, _ past: inout ModelPast) -> ModelMember {
    let member = ensureMember(Bytes(state.uid))
    for period in isGroup ? state.periods : [] {
      let membership = begin(
        period, of: member, scope: ModelScope(rawValue: state.scope) ?? .participant)
      past.add(membership, period)
    }
    for (list, progress) in state.lists {
      let (delivered, read) = progress.upTo
      member.claims.delivered.claim(list, upTo: delivered.value, at: delivered.at)
      member.claims.read.claim(list, upTo: read.value, at: read.at)
      member.cursors.begin(ModelCursor(progress), in: list)
      highestClaim = max(highestClaim, delivered.value, read.value)
    }
    let (delivered, read) = state.sentUpTo
    member.claims.delivered.claim(sentUpTo: delivered.value, at: delivered.at)
    member.claims.read.claim(sentUpTo: read.value, at: read.at)
    member.cursors.begin(readAllAt: state.newestConversationRead)
    highestClaimedTime = max(highestClaimedTime, delivered.value, read.value)
    return member
  }
}

extension ModelOutcome.Delete {
  fileprivate init(accepted deletion: ModelDeletion) {
    self.init(offset: -1, by: deletion.by, verdict: .accepted)
  }
}

extension ModelCounts {
  fileprivate init(_ counts: (delivered: Int, undelivered: Int, read: Int, unread: Int)) {
    self.init(waitingFor: 0)
    done = ModelByKind(delivered: counts.delivered, read: counts.read)
    waiting = ModelByKind(delivered: counts.undelivered, read: counts.unread)
  }
}

extension ModelTracking {
  fileprivate init(_ tracking: (word: String, reason: String?)) {
    let reason = tracking.reason.flatMap { Reason(rawValue: $0) }
    switch (tracking.word, reason) {
    case ("off", let reason?): self = .off(reason)
    case ("ended", let reason?): self = .ended(reason)
    default: self = .on
    }
  }
}

extension ModelConversationName {
  /// The conversation with an id.
  fileprivate convenience init?(id: [UInt8]) {
    let group = Bytes("group_")
    let text = Bytes(id)
    if text.hasPrefix(group) {
      let guid = Bytes(id.dropFirst(group.count))
      self.init(id: text, guid: guid, receiver: guid)
      return
    }
    let between = Array("_user_".utf8)
    guard id.count >= between.count,
      let place = (0...(id.count - between.count)).first(where: {
        id[$0..<($0 + between.count)].elementsEqual(between)
      })
    else { return nil }
    let users = [Bytes(id[..<place]), Bytes(id[(place + between.count)...])]
    self.init(
      id: text, guid: nil, receiver: users[1], users: users[0] == users[1] ? [users[0]] : users)
  }
}
