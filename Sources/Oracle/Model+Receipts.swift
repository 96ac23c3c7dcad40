extension Model {
  /// Applies what can be applied of a receipt now. Gives false where it has to wait (still).
  mutating func attempt(
    _ receipt: ModelReceiptRecord, _ waiter: ModelWaiting, in conversation: ModelConversation
  ) -> Bool {
    waiter.waitsForMembership =
      conversation.roster == .known && !conversation.hasMembership(receipt.sender)
    if waiter.waitsForMembership { return false }
    let at = receipt.at ?? waiter.source.timestamp
    switch receipt.covers {
    case .upTo(let id):
      if conversation.isGone(id) {
        let list = list(named: receipt)
        if receipt.kind == .read {
          read(receipt, [list: id], at: at, in: conversation, waiter.source)
        }
        // Of a thread of which nothing is known nothing is kept; but the member is told.
        if list > 0, conversation.threads[list] == nil { conversation.forget(list) }
        return true
      }
      guard let known = conversation.known[id] else { return false }
      let list = known.message?.list ?? 0
      if receipt.kind == .unread {
        unread(receipt, known, at: at, in: conversation, waiter.source)
        return true
      }
      let claim = ModelClaim(
        uid: receipt.sender, kind: receipt.kind, at: at, list: list, upTo: id)
      apply(claim, receipt, in: conversation, waiter.source)
      if receipt.kind == .read {
        read(receipt, [list: id], at: at, in: conversation, waiter.source)
      }
      return true
    case .conversation:
      let time = min(at, waiter.source.timestamp)
      let claim = ModelClaim(uid: receipt.sender, kind: receipt.kind, at: at, sentUpTo: time)
      apply(claim, receipt, in: conversation, waiter.source)
      if receipt.kind == .read {
        let moves = newest(sentUpTo: time, in: conversation)
        read(receipt, moves, at: at, in: conversation, waiter.source)
        readEverywhere(receipt, at: at, in: conversation)
      }
      return true
    case .exactly:
      return attemptExactly(receipt, waiter, at: at, in: conversation)
    }
  }

  /// The thread that a receipt names beside a message that does not tell.
  private func list(named receipt: ModelReceiptRecord) -> Int64 {
    rules.threads == "separate" ? max(0, receipt.parentMessageId) : 0
  }

  /// What is known now is covered, and what is expired is passed over; the rest waits.
  private mutating func attemptExactly(
    _ receipt: ModelReceiptRecord, _ waiter: ModelWaiting, at time: Int64,
    in conversation: ModelConversation
  ) -> Bool {
    var messages: [Int64: ModelMessage] = [:]
    for target in waiter.missing {
      switch target {
      case .id(let id):
        guard let known = conversation.known[id] else {
          if conversation.isGone(id) { waiter.missing.remove(target) }
          continue
        }
        messages[id] = known.message
      case .uid(let uid):
        guard let message = conversation.holder(of: uid) else { continue }
        messages[message.id] = message
      }
      waiter.missing.remove(target)
    }
    let named = messages.values.sorted { $0.id < $1.id }
    let added = cover(named, receipt, at: time, in: conversation, waiter.source)
    if receipt.kind == .read { respond(to: added, receipt, at: time, waiter.source) }
    return waiter.missing.isEmpty
  }

  /// A cumulative receipt is accepted. Past the second limit it is passed over.
  private mutating func apply(
    _ claim: ModelClaim, _ receipt: ModelReceiptRecord, in conversation: ModelConversation,
    _ source: ModelSource
  ) {
    guard isKept(claim.uid, in: conversation) else { return }
    conversation.claims.append(claim)
    let covered = conversation.messages.filter(claim.covers)
    _ = cover(covered, receipt, at: claim.at, in: conversation, source)
  }

  /// Whether what somebody says of himself is kept. Past the second limit nothing is; while the
  /// roster is unknown anybody's is, but of no more uids than a group can have.
  func isKept(_ uid: Bytes, in conversation: ModelConversation) -> Bool {
    switch conversation.roster {
    case .known: return true
    case .tooLarge: return false
    case .unknown:
      if conversation.strangers.count < 2 * rules.maxGroupMembers {
        conversation.strangers.insert(uid)
      }
      return conversation.strangers.contains(uid)
    }
  }

  /// Notes that the receipt's sender has these messages; gives those that this is new for.
  private mutating func cover(
    _ messages: [ModelMessage], _ receipt: ModelReceiptRecord, at time: Int64,
    in conversation: ModelConversation, _ source: ModelSource
  ) -> [ModelMessage] {
    let uid = receipt.sender
    let added = messages.filter { message in
      message.tracking == .on && message.audience[uid] != nil
        && !message.done(receipt.kind).contains(uid)
    }
    guard !added.isEmpty else { return [] }
    for message in added {
      message.delivered.insert(uid)
      if receipt.kind == .read { message.read.insert(uid) }
      guard !conversation.isGroup else { continue }
      if message.deliveredAt == nil { message.deliveredAt = time }
      if receipt.kind == .read { message.readAt = time }
      outputs.touch(conversation.name.id, message.id)
    }
    tellSenders(of: added, receipt, source)
    announce(among: added, in: conversation, cause: "receipt", at: time)
    return added
  }
}
