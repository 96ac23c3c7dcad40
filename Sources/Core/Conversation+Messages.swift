extension Conversation {
  /// Applies a message that is not known: fixes its audience, counts who has covered it already,
  /// and announces it if that is everybody.
  mutating func apply(
    _ message: Event.Message, text: Span<UInt8>, rules: Rules, _ application: inout Application,
    _ scratch: inout Scratch, _ outputs: inout Outputs
  ) {
    let sender = slot(of: text.extracting(message.sender.range))
    if !members[Int(sender)].isWritten { memberChanged(sender) }
    let sequence = application.source.offset
    let audience = audience(
      of: message.id, sequence: sequence, sentAt: message.sentAt, sender: sender, rules: rules)
    let kind: Timeline.Kind
    if isTooLarge(message.id, members: audience.members, rules: rules) {
      kind = .offTooLarge
    } else if isUnknown(message.id) {
      kind = .offUnknown
    } else {
      kind = message.needReceipt ? .on : .offNotRequested
    }
    let index = timeline.insert(
      Timeline.Entry(
        id: message.id, sequence: sequence, appliedAt: application.now, sentAt: message.sentAt,
        sender: sender, parent: message.parentMessageId,
        messageUIdSlot: own(message.messageUId.map { $0.range }, of: message.id, in: text),
        kind: kind, counts: kind == .on ? audience.counts : Counts()))
    messageChanged(index)
    scratch.touched.append(message.id)
    guard kind == .on else { return }
    scratch.begin()
    settle(index, &scratch, at: message.sentAt)
    announce(cause: .message, at: message.sentAt, &application, &scratch, &outputs)
  }

  /// Makes the id of an action record known.
  mutating func applyAction(id: Int64, sentAt: Instant, _ application: Application) {
    let index = timeline.insert(
      Timeline.Entry(
        id: id, sequence: application.source.offset, appliedAt: application.now, sentAt: sentAt,
        kind: .action))
    messageChanged(index)
  }

  /// Gives a `messageUId` to a message, unless an earlier one has it.
  ///
  /// - Returns: its slot, or -1.
  private mutating func own(_ uid: Range<Int>?, of id: Int64, in text: Span<UInt8>) -> Int32 {
    guard let uid else { return -1 }
    let bytes = text.extracting(uid)
    guard messageUIds.find(bytes) == nil else { return -1 }
    let slot = messageUIds.intern(bytes)
    while messageUIdOwners.count <= Int(slot) { messageUIdOwners.append(0) }
    messageUIdOwners[Int(slot)] = id
    return slot
  }

  private func isTooLarge(_ id: Int64, members: Int, rules: Rules) -> Bool {
    if roster == .tooLarge || members > rules.maxGroupMembers { return true }
    guard let largeFloor else { return false }
    return id < largeFloor
  }

  private func isUnknown(_ id: Int64) -> Bool {
    guard roster == .known, let firstRosterId else { return true }
    return id < firstRosterId
  }

  /// The members at the time of a message, and the counts of those who have to receive it.
  private func audience(
    of id: Int64, sequence: Int64, sentAt: Instant, sender: Int32, rules: Rules
  ) -> (members: Int, counts: Counts) {
    var counts = Counts()
    // The usual message is newer than every membership record and every receipt: then its
    // audience is the group as it is, and nobody has received it.
    let isNewest = id > highestMembershipId
    if isNewest, id > highestUpTo, sentAt > highestSentUpTo {
      let author = members[Int(sender)]
      let authors = author.isActive && !author.isActiveExempt ? 1 : 0
      counts.pendingDelivered = Int32(activeCount - activeExemptCount - authors)
      counts.pendingRead = counts.pendingDelivered
      return (activeCount, counts)
    }
    var present = 0
    for slot in members.indices {
      let member = members[slot]
      guard let period = member.period(forId: id, sequence: sequence) else { continue }
      present += 1
      guard !period.isExempt, slot != Int(sender) else { continue }
      let isWaitedFor = period.endId == nil || rules.leavers == .hold
      if member.hasReceived(id: id, sentAt: sentAt) {
        counts.delivered += 1
      } else if isWaitedFor {
        counts.pendingDelivered += 1
      }
      if member.hasRead(id: id, sentAt: sentAt) {
        counts.read += 1
      } else if isWaitedFor {
        counts.pendingRead += 1
      }
    }
    return (present, counts)
  }
}
