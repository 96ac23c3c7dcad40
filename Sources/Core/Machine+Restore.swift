/// What a restore has collected until it can be put together.
struct Restoring {
  var pieces: [[UInt8]: Pieces] = [:]
  var waiting: [(state: WaitingState, event: Event)] = []

  /// The pieces of one conversation.
  struct Pieces {
    var conversation: ConversationState?
    var members: [MemberState] = []
    var messages: [MessageState] = []
    var marks: [MarksState] = []
    var threads: [ThreadState] = []
    var positions: [PositionState] = []
    var deletions: [DeletionState] = []
  }
}

extension Machine {
  /// Takes one piece of state while the machine is being restored, in any order of keys.
  ///
  /// - Parameter event: the decoded record of a `waiting` piece.
  package mutating func restore(_ change: Change, event: Event? = nil) {
    switch change {
    case .conversation(let state):
      restoring.pieces[state.conversation, default: .init()].conversation = state
    case .member(let state):
      restoring.pieces[state.conversation, default: .init()].members.append(state)
    case .message(let state):
      restoring.pieces[state.conversation, default: .init()].messages.append(state)
    case .marks(let state):
      restoring.pieces[state.conversation, default: .init()].marks.append(state)
    case .thread(let state):
      restoring.pieces[state.conversation, default: .init()].threads.append(state)
    case .position(let state):
      restoring.pieces[state.conversation, default: .init()].positions.append(state)
    case .deletion(let state):
      restoring.pieces[state.conversation, default: .init()].deletions.append(state)
    case .waiting(let state):
      if let event { restoring.waiting.append((state, event)) }
    case .removed: break
    }
  }

  /// Ends a restore: counts again what is derived. `streamTime` and `nextTicket` are those saved
  /// with the partition's last transaction.
  package mutating func finishRestore(streamTime: Instant?, nextTicket: Int64) {
    self.streamTime = streamTime
    // The order of a dictionary differs from process to process, and what falls due at one time
    // does so in this order.
    let pieces = restoring.pieces.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    for (id, pieces) in pieces {
      let slot = restoreConversation(id)
      conversations[slot].restore(pieces, rules)
      noteDue(slot)
    }
    expiries.sort()
    restoreWaiting(nextTicket: nextTicket)
    for slot in conversations.indices { schedule(slot) }
    restoring = Restoring()
  }

  private mutating func restoreConversation(_ id: [UInt8]) -> Int {
    let slot = Int(names.intern(id.span))
    if slot == conversations.count {
      conversations.append(
        Conversation(id: id, at: streamTime ?? .distantPast, isJournaled: isJournaled))
    }
    return slot
  }

  /// Puts on the lists of what will be due what a restored conversation has.
  private mutating func noteDue(_ slot: Int) {
    let conversation = conversations[slot]
    for index in conversation.timeline.indices {
      expiries.append(
        ExpiryQueue.Entry(
          conversation: Int32(slot), id: conversation.timeline.ids[index],
          sequence: conversation.timeline.sequences[index],
          appliedAt: conversation.timeline.appliedAt[index]))
    }
    for member in conversation.members.indices {
      for period in conversation.members[member].periods {
        scheduleForgetting(period, of: Int32(member), in: slot)
      }
    }
    for (id, deletion) in conversation.deletions.sorted(by: { $0.key < $1.key }) {
      guard let acceptedAt = deletion.acceptedAt else { continue }
      scheduleForgetting(deletion: id, in: slot, acceptedAt: acceptedAt)
    }
  }

  private mutating func restoreWaiting(nextTicket: Int64) {
    var entries: [WaitingRoom.Entry] = []
    for (state, event) in restoring.waiting {
      let slot = restoreConversation(state.key)
      var entry = WaitingRoom.Entry(state: state, event: event, conversation: Int32(slot))
      entry.event.coordinates = state.source
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
  fileprivate mutating func restore(_ pieces: Restoring.Pieces, _ rules: Rules) {
    if let state = pieces.conversation {
      roster = state.roster
      firstRosterId = state.firstRosterId
      largeFloor = state.largeFloor
      highestExpiredId = state.highestExpiredId
      lastRecordAt = state.lastRecordAt ?? .distantPast
      isWritten = true
      writtenRecordAt = state.lastRecordAt
    }
    for state in pieces.members { restore(state) }
    keptScopes = roster == .tooLarge ? members.count { $0.scope != .participant } : 0
    for state in pieces.threads {
      threads[state.parentMessageId] = Thread(replyCount: state.replyCount, isWritten: true)
    }
    for state in pieces.deletions {
      deletions[state.id] = Deletion(
        deletedBy: state.deletedBy, deletedAt: state.deletedAt, acceptedAt: state.acceptedAt,
        isWritten: true)
    }
    for state in pieces.positions {
      positions[ThreadMember(slot: state.slot, parent: state.parentMessageId)] = Position(
        delivered: state.delivered, read: state.read, cursor: state.cursor, isWritten: true)
    }
    // The timeline is in rising order; so each goes to the end.
    for state in pieces.messages.sorted(by: { $0.id < $1.id }) { restore(state, rules) }
    for state in pieces.marks { restore(state) }
    countAgain(rules)
  }

  private mutating func restore(_ state: MemberState) {
    // The parties of a conversation of two have their slots from the beginning.
    if uids.find(state.uid.span) == nil { uids.restore(state.uid, at: state.slot) }
    while members.count <= Int(state.slot) { members.append(Member()) }
    let messageCount = members[Int(state.slot)].messageCount
    members[Int(state.slot)] = Member(
      scope: state.scope, periods: state.periods, delivered: state.delivered, read: state.read,
      cursor: state.cursor, messageCount: messageCount, isWritten: true)
  }

  private mutating func restore(_ state: MessageState, _ rules: Rules) {
    var entry = Timeline.Entry(
      id: state.id, sequence: state.sequence, appliedAt: state.appliedAt, sentAt: state.sentAt,
      kind: .action, flags: .written)
    if case .message(let sender, let uid, let parent, let tracking, let announced, let counts) =
      state.body, Int(sender) < members.count
    {
      entry.sender = sender
      entry.parent = parent
      entry.kind = Timeline.Kind(tracking)
      entry.counts = counts ?? Counts()
      entry.messageUIdSlot = uid.map { own($0, of: state.id) } ?? -1
      if let at = announced.deliveredAt {
        entry.flags.insert(.deliveredToAll)
        entry.deliveredAt = at
      }
      if let at = announced.readAt {
        entry.flags.insert(.readByAll)
        entry.readAt = at
      }
      restoreLists(entry, rules)
    }
    _ = timeline.insert(entry)
  }

  private mutating func own(_ uid: [UInt8], of id: Int64) -> Int32 {
    let slot = messageUIds.intern(uid.span)
    while messageUIdOwners.count <= Int(slot) { messageUIdOwners.append(0) }
    messageUIdOwners[Int(slot)] = id
    return slot
  }

  /// Puts a restored message on the lists of what can be unread and of its thread's replies.
  private mutating func restoreLists(_ entry: Timeline.Entry, _ rules: Rules) {
    members[Int(entry.sender)].messageCount += 1
    if entry.parent != 0 { threads[entry.parent, default: Thread()].knownCount += 1 }
    guard entry.kind != .endedDeleted else { return }
    if rules.threads == .inline || entry.parent == 0 {
      countables.insert(entry.id, by: entry.sender)
    }
    if entry.parent != 0 { threads[entry.parent]?.replies.insert(entry.id, by: entry.sender) }
  }

  private mutating func restore(_ state: MarksState) {
    guard let index = timeline.index(of: state.id) else { return }
    timeline.flags[index].formUnion([.marksWritten, .marked])
    timeline.marks[index] = Timeline.Marks(
      delivered: SlotSet(words: state.delivered), read: SlotSet(words: state.read))
  }

  /// Counts again what is derived, member by member.
  mutating func countAgain(_ rules: Rules) {
    activeCount = 0
    activeExemptCount = 0
    for index in timeline.indices where timeline.isTracked(index) {
      timeline.counts[index] = Counts()
    }
    for position in positions.members.compactMap({ positions[$0] }) {
      highestUpTo = max(highestUpTo, position.delivered.upTo, position.read.upTo)
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
      let reach = reach(Int32(slot), in: 0)
      for index in timeline.indices where timeline.isTracked(index) {
        let list = list(index, rules)
        count(Int32(slot), list == 0 ? reach : self.reach(Int32(slot), in: list), index, rules)
      }
    }
  }

  private mutating func count(_ slot: Int32, _ reach: Reach, _ index: Int, _ rules: Rules) {
    guard timeline.senders[index] != slot else { return }
    let facts = facts(index)
    if timeline.marks[index] != nil {
      // As the watermarks that have passed them did.
      if facts.id <= reach.read.upTo { fold(slot, true, index) }
      if facts.id <= reach.delivered.upTo { fold(slot, false, index) }
    }
    let place = members[Int(slot)].place(for: facts, rules)
    guard place != .outside else { return }
    let marks = timeline.marks[index]
    let hasRead = reach.hasRead(facts) || marks?.read.contains(slot) == true
    timeline.counts[index].add(
      hasReceived: hasRead || reach.hasReceived(facts)
        || marks?.delivered.contains(slot) == true,
      hasRead: hasRead, isWaitedFor: place == .waitedFor)
  }
}
