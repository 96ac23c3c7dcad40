/// What a restore has collected until it can be put together.
struct Restoring {
  var members: [[UInt8]: [MemberState]] = [:]
  var messages: [[UInt8]: [MessageState]] = [:]
  var marks: [[UInt8]: [MarksState]] = [:]
  var waiting: [(state: WaitingState, event: Event)] = []
}

extension Machine {
  /// Takes one piece of state while the machine is being restored, in any order of keys.
  ///
  /// - Parameter event: the decoded record of a `waiting` piece.
  package mutating func restore(_ change: Change, event: Event? = nil) {
    switch change {
    case .conversation(let state):
      let slot = restoreConversation(state.conversation)
      conversations[slot].roster = state.roster
      conversations[slot].firstRosterId = state.firstRosterId
      conversations[slot].largeFloor = state.largeFloor
    case .member(let state): restoring.members[state.conversation, default: []].append(state)
    case .message(let state): restoring.messages[state.conversation, default: []].append(state)
    case .marks(let state): restoring.marks[state.conversation, default: []].append(state)
    case .waiting(let state):
      if let event { restoring.waiting.append((state, event)) }
    case .removed: break
    }
  }

  /// Ends a restore: counts again what is derived. `streamTime` and `nextTicket` are those saved
  /// with the partition's last transaction.
  package mutating func finishRestore(streamTime: Instant?, nextTicket: Int64) {
    self.streamTime = streamTime
    for (id, states) in restoring.members {
      let slot = restoreConversation(id)
      for state in states { conversations[slot].restore(state) }
    }
    for (id, states) in restoring.messages {
      let slot = restoreConversation(id)
      // The timeline is in rising order; so each goes to the end.
      for state in states.sorted(by: { $0.id < $1.id }) { conversations[slot].restore(state) }
    }
    for (id, states) in restoring.marks {
      let slot = restoreConversation(id)
      for state in states { conversations[slot].restore(state) }
    }
    for slot in conversations.indices {
      conversations[slot].finishRestore(isHolding: rules.leavers == .hold)
    }
    restoreWaiting(nextTicket: nextTicket)
    restoring = Restoring()
  }

  private mutating func restoreConversation(_ id: [UInt8]) -> Int {
    let slot = Int(names.intern(id.span))
    if slot == conversations.count { conversations.append(Conversation(id: id)) }
    return slot
  }

  private mutating func restoreWaiting(nextTicket: Int64) {
    var entries: [WaitingRoom.Entry] = []
    for (state, event) in restoring.waiting {
      guard case .receipt(let receipt) = event.body else { continue }
      let slot = restoreConversation(state.key)
      var entry = WaitingRoom.Entry(state: state, event: event, conversation: Int32(slot))
      entry.event.coordinates = state.source
      let uid = event.text.span.extracting(receipt.sender.range)
      entry.isOnMemberList =
        conversations[slot].roster == .known && !conversations[slot].hasMembership(uid)
      entries.append(entry)
    }
    entries.sort { $0.state.ticket < $1.state.ticket }
    for entry in entries {
      conversations[Int(entry.conversation)].addWaiting(entry, ticket: entry.state.ticket)
    }
    room.restore(entries, nextTicket: nextTicket)
  }
}

extension Conversation {
  fileprivate mutating func restore(_ state: MemberState) {
    uids.restore(state.uid, at: state.slot)
    while members.count <= Int(state.slot) { members.append(Member()) }
    members[Int(state.slot)] = Member(
      scope: state.scope, periods: state.periods, delivered: state.delivered, read: state.read,
      isWritten: true)
  }

  fileprivate mutating func restore(_ state: MessageState) {
    var entry = Timeline.Entry(
      id: state.id, sequence: state.sequence, appliedAt: state.appliedAt, sentAt: state.sentAt,
      kind: .action)
    if case .message(let sender, let uid, let parent, let tracking, let announced, let counts) =
      state.body
    {
      entry.sender = sender
      entry.parent = parent
      entry.kind = Timeline.Kind(tracking)
      entry.counts = counts ?? Counts()
      if let uid {
        entry.messageUIdSlot = messageUIds.intern(uid.span)
        while messageUIdOwners.count <= Int(entry.messageUIdSlot) { messageUIdOwners.append(0) }
        messageUIdOwners[Int(entry.messageUIdSlot)] = state.id
      }
      if let at = announced.deliveredAt {
        entry.flags.insert(.deliveredToAll)
        entry.deliveredAt = at
      }
      if let at = announced.readAt {
        entry.flags.insert(.readByAll)
        entry.readAt = at
      }
    }
    _ = timeline.insert(entry)
  }

  fileprivate mutating func restore(_ state: MarksState) {
    guard let index = timeline.index(of: state.id) else { return }
    timeline.flags[index].insert(.marksWritten)
    timeline.marks[index] = Timeline.Marks(
      delivered: SlotSet(words: state.delivered), read: SlotSet(words: state.read))
  }

  fileprivate mutating func finishRestore(isHolding: Bool) {
    uids.finishRestore()
    countAgain(isHolding: isHolding)
  }

  /// Counts again what is derived, member by member.
  mutating func countAgain(isHolding: Bool) {
    activeCount = 0
    activeExemptCount = 0
    for index in 0..<timeline.count where timeline.isTracked(index) {
      timeline.counts[index] = Counts()
    }
    for slot in members.indices {
      let member = members[slot]
      if member.isActive { activeCount += 1 }
      if member.isActiveExempt { activeExemptCount += 1 }
      for period in member.periods {
        highestMembershipId = max(highestMembershipId, period.beginId, period.endId ?? 0)
      }
      for marks in [member.delivered, member.read] {
        highestUpTo = max(highestUpTo, marks.upTo)
        highestSentUpTo = max(highestSentUpTo, marks.sentUpTo)
      }
      guard !member.periods.isEmpty else { continue }
      for index in 0..<timeline.count where timeline.isTracked(index) {
        count(Int32(slot), member, index, isHolding: isHolding)
      }
    }
  }

  private mutating func count(_ slot: Int32, _ member: Member, _ index: Int, isHolding: Bool) {
    guard timeline.senders[index] != slot else { return }
    let id = timeline.ids[index]
    let sentAt = timeline.sentAt[index]
    if timeline.marks[index] != nil {
      // As the watermarks that have passed them did.
      if id <= member.read.upTo { fold(slot, true, index) }
      if id <= member.delivered.upTo { fold(slot, false, index) }
    }
    let place = member.place(
      forId: id, sequence: timeline.sequences[index], holdingLeavers: isHolding)
    guard place != .outside else { return }
    let marks = timeline.marks[index]
    let hasRead = member.hasRead(id: id, sentAt: sentAt) || marks?.read.contains(slot) == true
    if hasRead {
      timeline.counts[index].read += 1
    } else if place == .waitedFor {
      timeline.counts[index].pendingRead += 1
    }
    if hasRead || member.hasReceived(id: id, sentAt: sentAt)
      || marks?.delivered.contains(slot) == true
    {
      timeline.counts[index].delivered += 1
    } else if place == .waitedFor {
      timeline.counts[index].pendingDelivered += 1
    }
  }
}
