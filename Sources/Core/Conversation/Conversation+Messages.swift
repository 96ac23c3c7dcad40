extension Conversation {
  /// Applies a message that is not known: fixes its audience and counts who has covered it already.
  /// One that names no possible parent is rejected, and known from then on like an action record.
  mutating func apply(_ message: Event.Message, text: Span<UInt8>, _ turn: inout Turn) -> Rejection?
  {
    if let rejection = rejection(ofParent: message) {
      applyAction(id: message.id, sentAt: message.sentAt, &turn)
      return rejection
    }
    let sender = slot(of: text.extracting(message.sender.range))
    members[Int(sender)].messageCount += 1
    if !members[Int(sender)].isWritten { memberChanged(sender) }
    let facts = MessageFacts(
      id: message.id, sequence: turn.record.sequence, appliedAt: turn.now,
      sentAt: message.sentAt, sender: sender)
    let thread = turn.rules.threads == .separate ? message.parentMessageId : 0
    turn.scratch.work += members.count + rowsBehind(message.id)
    let audience = audience(of: facts, in: thread, turn.rules)
    let tracking = tracking(of: message, members: audience.members, turn.rules)
    let index = timeline.insert(
      Timeline.Entry(
        id: message.id, sequence: facts.sequence, appliedAt: facts.appliedAt,
        sentAt: message.sentAt, sender: sender, parent: message.parentMessageId,
        messageUIdSlot: own(message.messageUId.map { $0.range }, of: message.id, in: text),
        tracking: tracking, counts: tracking == .on ? audience.counts : Counts()))
    messageChanged(index)
    turn.scratch.touched.append(message.id)
    turn.scratch.begin()
    if isDirect, tracking == .on {
      // Its counts have what was said before it came; so have its times, even of a deleted one.
      settle(index, at: message.sentAt, &turn)
      takeTimes(of: index, turn.rules)
    }
    let isDeleted = deletions[message.id] != nil
    if isDeleted { deleteOnArrival(index) }
    if message.parentMessageId != 0 { addReply(index, isDeleted: isDeleted, &turn) }
    if !isDeleted, thread == 0 { unread.insert(message.id, by: sender) }
    return nil
  }

  /// Announces a message that has just come, if it was complete on arrival and is not deleted.
  mutating func complete(_ message: Event.Message, _ turn: inout Turn) {
    guard !isDirect, let index = timeline.index(of: message.id), timeline.isTracked(index) else {
      return
    }
    turn.scratch.begin()
    settle(index, at: message.sentAt, &turn)
    emitAnnouncements(cause: .message, at: message.sentAt, &turn)
  }

  /// Makes the id of an action record known.
  mutating func applyAction(id: Int64, sentAt: Instant, _ turn: inout Turn) {
    let index = timeline.insert(
      Timeline.Entry(id: id, sequence: turn.record.sequence, appliedAt: turn.now, sentAt: sentAt))
    messageChanged(index)
  }

  /// Whether a record says the same of the known id at an index: its time and, of a message that
  /// was not rejected for its parent, its sender.
  func isRepeated(_ event: Event, _ index: Int) -> Bool {
    switch event.body {
    case .message(let message):
      guard message.sentAt == timeline.sentAt[index] else { return false }
      let sender = timeline.senders[index]
      return sender < 0
        || uids[Int(sender)].holdsSame(as: event.text.span.extracting(message.sender.range))
    case .membership(let membership): return membership.sentAt == timeline.sentAt[index]
    case .action(_, let sentAt): return sentAt == timeline.sentAt[index]
    case .edit, .receipt, .delete, .invalid: return true
    }
  }

  /// Whether an id lies so far above all that was seen that it may be a mistake: all ids to come
  /// would be late ones.
  func isFarAbove(_ id: Int64) -> Bool {
    let highest = max(highestExpiredId, timeline.highestId ?? 0)
    // Both are positive: the difference fits.
    return highest > 0 && id - highest > 1 << 40
  }

  /// Whether an id that is not known is so old that its message has expired.
  func isExpired(_ id: Int64) -> Bool {
    guard id <= highestExpiredId else { return false }
    guard let lowest = timeline.lowestId else { return true }
    return id < lowest
  }

  /// Gives a `messageUId` to a message, unless an earlier one has it.
  ///
  /// - Returns: its slot, or -1.
  private mutating func own(_ uid: Range<Int>?, of id: Int64, in text: Span<UInt8>) -> Int32 {
    guard let uid else { return -1 }
    let bytes = text.extracting(uid)
    return messageUIds.find(bytes) == nil ? own(bytes, of: id) : -1
  }

  /// Gives a `messageUId` that nobody has to a message.
  mutating func own(_ uid: Span<UInt8>, of id: Int64) -> Int32 {
    let slot = messageUIds.intern(uid)
    while messageUIdOwners.count <= Int(slot) { messageUIdOwners.append(0) }
    messageUIdOwners[Int(slot)] = id
    return slot
  }

  /// Whether the receipts of a message are counted, and why not: the first reason that holds.
  private func tracking(of message: Event.Message, members: Int, _ rules: Rules) -> Tracking {
    if !isDirect {
      if roster == .tooLarge || members > rules.maxGroupMembers { return .offTooLarge }
      if let largeFloor, message.id < largeFloor { return .offTooLarge }
      guard roster == .known, let firstRosterId, message.id >= firstRosterId else {
        return .offUnknown
      }
    }
    return message.needReceipt ? .on : .offNotRequested
  }

  /// The members at the time of a message, and the counts of those who have to receive it.
  private func audience(
    of message: MessageFacts, in thread: Int64, _ rules: Rules
  ) -> (members: Int, counts: Counts) {
    var counts = Counts()
    // The usual message is newer than every membership record and every receipt: then its
    // audience is the group as it is, and nobody has received it.
    if message.id > highestMembershipId, message.id > highestUpTo, message.sentAt > highestSentUpTo
    {
      let author = members[Int(message.sender)]
      let authors = author.isActive && !author.isActiveExempt ? 1 : 0
      counts.pendingDelivered = Int32(activeCount - activeExemptCount - authors)
      counts.pendingRead = counts.pendingDelivered
      return (activeCount, counts)
    }
    var present = 0
    for slot in members.indices where !members[slot].periods.isEmpty {
      let standing = member(Int32(slot), in: thread, rules).standing(of: message, marks: nil)
      if standing.role != .outside { present += 1 }
      counts += standing.counts
    }
    return (present, counts)
  }

  /// In a conversation of two a late message has the times of the receipts that cover it.
  private mutating func takeTimes(of index: Int, _ rules: Rules) {
    for slot in members.indices
    where members[slot].isActive && slot != Int(timeline.senders[index]) {
      let standing = standing(of: Int32(slot), at: index, rules)
      if let at = standing.watermarkReceivedAt { timeline.deliveredAt[index] = at }
      if let at = standing.watermarkReadAt { timeline.readAt[index] = at }
    }
  }
}
