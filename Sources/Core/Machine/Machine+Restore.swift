/// What a restore has come to.
struct Restoring {
  /// The slot of the conversation whose pieces are coming.
  var slot: Int?
  /// How far its counting has come.
  var counting = CountingAgain()
  /// The known ids of all conversations so far.
  var expiries = Chunks<ExpiryQueue.Entry>()
  /// These, the last one first.
  var sorted: GradualSort<ExpiryQueue.Entry>?
  /// How many conversations are looked at for when they are to be forgotten.
  var scheduled = 0
}

extension Restoring {
  /// How many ids are in hand.
  var placeCount: Int { expiries.count + (sorted?.placeCount ?? 0) }

  /// Gives its memory back, as far as the budget lasts.
  mutating func drop(on budget: inout Int) -> Bool {
    expiries.drop(on: &budget, weight: 0) && sorted?.drop(on: &budget) ?? true
  }
}

/// How far a conversation's counts are counted again: member by member, and of each member message
/// by message.
struct CountingAgain {
  var slot = 0
  /// The next message of that member; nil before the first.
  var index: Int?
}

extension Machine {
  /// What it takes to put an id, sorted, on the queue, with the memory that this asks for.
  private static var queueCost: Int { 4 }
  /// What it takes to look at a conversation that lies anywhere in memory.
  private static var scheduleCost: Int { 25 }

  /// Begins a restore of an empty machine.
  ///
  /// - Parameter streamTime: the one saved with the partition's last transaction.
  package mutating func beginRestore(streamTime: Instant?) { self.streamTime = streamTime }

  /// Takes one piece of state while the machine is being restored: conversation by conversation,
  /// the pieces of each in the order of their keys; what waits comes after them, by ticket.
  ///
  /// - Parameter event: the decoded record of a `waiting` piece.
  package mutating func restore(_ change: Change, event: Event? = nil) {
    switch change {
    case .conversation(let state): conversations[slot(of: state.conversation)].restore(state)
    case .member(let state):
      let slot = slot(of: state.conversation)
      conversations[slot].restore(state)
      for period in state.periods { scheduleForgetting(period, of: state.slot, in: slot) }
    case .message(let state):
      let slot = slot(of: state.conversation)
      conversations[slot].restore(state, rules)
      restoring.expiries.append(
        ExpiryQueue.Entry(
          conversation: Int32(slot), id: state.id, sequence: state.sequence,
          appliedAt: state.appliedAt))
    case .marks(let state): conversations[slot(of: state.conversation)].restore(state)
    case .thread(let state): conversations[slot(of: state.conversation)].restore(state)
    case .position(let state): conversations[slot(of: state.conversation)].restore(state)
    case .deletion(let state):
      let slot = slot(of: state.conversation)
      conversations[slot].restore(state)
      guard let acceptedAt = state.acceptedAt else { return }
      scheduleForgetting(deletion: state.id, in: slot, acceptedAt: acceptedAt)
    case .waiting(let state):
      guard let event else { return }
      let slot = conversation(restored: state.key)
      var entry = WaitingRoom.Entry(state: state, event: event, conversation: Int32(slot))
      entry.event.coordinates = state.source
      conversations[slot].addWaiting(entry, ticket: state.ticket)
      room.restore(entry)
    case .removed: break
    }
  }

  /// Counts again what is derived of the conversation whose pieces have come.
  ///
  /// - Parameter budget: how many members and messages of a member it may count; what it has
  ///   counted is taken off.
  /// - Returns: whether all is counted; else it is to be called again.
  package mutating func countRestored(on budget: inout Int) -> Bool {
    guard let slot = restoring.slot else { return true }
    guard conversations[slot].countAgain(&restoring.counting, on: &budget, rules) else {
      return false
    }
    countOpen(slot)
    restoring.counting = CountingAgain()
    restoring.slot = nil
    return true
  }

  /// Ends a restore, when all pieces are in and counted: puts in order what will be due.
  ///
  /// - Parameters:
  ///   - nextTicket: the one saved with the partition's last transaction.
  ///   - budget: how many ids and conversations it may look at.
  /// - Returns: whether it is done; else it is to be called again.
  package mutating func finishRestore(nextTicket: Int64, on budget: inout Int) -> Bool {
    if restoring.sorted == nil {
      restoring.sorted = GradualSort(restoring.expiries)
      restoring.expiries = Chunks()
    }
    // The last one first, so that what is queued can go.
    restoring.sorted?.go(on: &budget) { a, b, _ in
      (a.sequence, a.id, a.conversation) > (b.sequence, b.id, b.conversation)
    }
    guard restoring.sorted?.isDone == true else { return false }
    while budget > 0, let entry = restoring.sorted?.popLast() {
      budget -= Self.queueCost
      expiries.append(entry)
    }
    guard restoring.placeCount == 0 else { return false }
    while restoring.scheduled < conversations.count {
      guard budget > 0 else { return false }
      budget -= Self.scheduleCost
      schedule(restoring.scheduled)
      restoring.scheduled += 1
    }
    room.restore(nextTicket: nextTicket)
    restoring = Restoring()
    return true
  }

  /// The slot of the conversation whose piece has come.
  private mutating func slot(of id: [UInt8]) -> Int {
    if let slot = restoring.slot, conversations[slot].id == id { return slot }
    let slot = conversation(restored: id)
    restoring.slot = slot
    return slot
  }

  private mutating func conversation(restored id: [UInt8]) -> Int {
    let slot = Int(names.intern(id.span))
    if slot == conversations.count {
      conversations.append(
        Conversation(id: names[slot], at: streamTime ?? .distantPast, isJournaled: isJournaled))
    }
    return slot
  }
}

extension Conversation {
  fileprivate mutating func restore(_ state: ConversationState) {
    roster = state.roster
    firstRosterId = state.firstRosterId
    largeFloor = state.largeFloor
    highestExpiredId = state.highestExpiredId
    lastRecordAt = state.lastRecordAt ?? .distantPast
    isWritten = true
    writtenRecordAt = state.lastRecordAt
  }

  fileprivate mutating func restore(_ state: ThreadState) {
    threads[state.parentMessageId, default: Thread()].replyCount = state.replyCount
    threads[state.parentMessageId]?.isWritten = true
  }

  fileprivate mutating func restore(_ state: DeletionState) {
    deletions[state.id] = Deletion(
      deletedBy: state.deletedBy, deletedAt: state.deletedAt, acceptedAt: state.acceptedAt,
      isWritten: true)
  }

  fileprivate mutating func restore(_ state: PositionState) {
    highestUpTo = max(highestUpTo, state.progress.delivered.upTo, state.progress.read.upTo)
    positions[ThreadMember(slot: state.slot, parent: state.parentMessageId)] = ThreadProgress(
      progress: state.progress, isWritten: true)
  }

  fileprivate mutating func restore(_ state: MemberState) {
    // The parties of a conversation of two have their slots from the beginning.
    if uids.find(state.uid.span) == nil { uids.restore(state.uid, at: state.slot) }
    while members.count <= Int(state.slot) { members.append(Member()) }
    let messageCount = members[Int(state.slot)].messageCount
    members[Int(state.slot)] = Member(
      scope: state.scope, periods: state.periods, progress: state.progress,
      messageCount: messageCount, isWritten: true)
  }

  fileprivate mutating func restore(_ state: MessageState, _ rules: Rules) {
    var entry = Timeline.Entry(
      id: state.id, sequence: state.sequence, appliedAt: state.appliedAt, sentAt: state.sentAt,
      flags: .written)
    if case .message(let sender, let uid, let parent, let tracking, let announced, let counts) =
      state.body, Int(sender) < members.count
    {
      entry.sender = sender
      entry.parent = parent
      entry.tracking = tracking
      entry.counts = counts ?? Counts()
      entry.messageUIdSlot = uid.map { own($0.span, of: state.id) } ?? -1
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
    // In the order of the keys it goes to the end.
    _ = timeline.insert(entry)
  }

  /// Puts a restored message on the lists of what can be unread and of its thread's replies.
  private mutating func restoreLists(_ entry: Timeline.Entry, _ rules: Rules) {
    members[Int(entry.sender)].messageCount += 1
    if entry.parent != 0 { threads[entry.parent, default: Thread()].knownCount += 1 }
    guard entry.tracking != .endedDeleted else { return }
    if rules.threads == .inline || entry.parent == 0 { unread.insert(entry.id, by: entry.sender) }
    if entry.parent != 0 { threads[entry.parent]?.replies.insert(entry.id, by: entry.sender) }
  }

  fileprivate mutating func restore(_ state: MarksState) {
    guard let index = timeline.index(of: state.id) else { return }
    timeline.flags[index].formUnion([.marksWritten, .marked])
    timeline.marks[index] = Timeline.Marks(
      delivered: SlotSet(words: state.delivered), read: SlotSet(words: state.read))
  }

  /// Counts all that is derived once more, from nothing.
  mutating func countAgain(_ rules: Rules) {
    for index in timeline.indices where timeline.isTracked(index) {
      timeline.counts[index] = Counts()
    }
    for position in positions.members.compactMap({ positions[$0] }) {
      highestUpTo = max(highestUpTo, position.progress.delivered.upTo, position.progress.read.upTo)
    }
    var counting = CountingAgain()
    var budget = Int.max
    _ = countAgain(&counting, on: &budget, rules)
  }

  private static var replyCost: Int { 4 }

  /// Goes on counting what is derived, as far as the budget lasts.
  ///
  /// - Returns: whether all members are counted.
  fileprivate mutating func countAgain(
    _ counting: inout CountingAgain, on budget: inout Int, _ rules: Rules
  ) -> Bool {
    if counting.slot == 0, counting.index == nil {
      activeCount = 0
      activeExemptCount = 0
      keptScopes = 0
    }
    while counting.slot < members.count {
      guard budget > 0 else { return false }
      if counting.index == nil {
        budget -= 1
        count(members[counting.slot])
        counting.index = timeline.indices.lowerBound
      }
      let first = counting.index ?? timeline.indices.upperBound
      guard !members[counting.slot].periods.isEmpty, first < timeline.indices.upperBound else {
        counting = CountingAgain(slot: counting.slot + 1)
        continue
      }
      // How far the member has come in the thread of a reply has to be looked up.
      let cost = rules.threads == .separate ? Self.replyCost : 1
      let end = first + min(timeline.indices.upperBound - first, max(1, budget / cost))
      count(Int32(counting.slot), first..<end, rules)
      budget -= (end - first) * cost
      counting.index = end
    }
    return true
  }

  private mutating func count(_ member: Member) {
    if member.isActive { activeCount += 1 }
    if member.isActiveExempt { activeExemptCount += 1 }
    if roster == .tooLarge, member.scope != .participant { keptScopes += 1 }
    for period in member.periods {
      highestMembershipId = max(highestMembershipId, period.beginId, period.endId ?? 0)
    }
    for marks in [member.progress.delivered, member.progress.read] {
      highestUpTo = max(highestUpTo, marks.upTo)
      highestSentUpTo = max(highestSentUpTo, marks.sentUpTo)
    }
  }

  private mutating func count(_ slot: Int32, _ indices: Range<Int>, _ rules: Rules) {
    var member = member(slot, in: 0, rules)
    let own = member.progress
    for index in indices where timeline.isTracked(index) && timeline.senders[index] != slot {
      if rules.threads == .separate {
        let thread = timeline.parents[index]
        member.progress = thread == 0 ? own : progress(of: slot, in: thread)
      }
      if timeline.marks[index] != nil {
        // As the watermarks that have passed them did.
        for kind in [ReceiptKind.read, .delivered]
        where timeline.ids[index] <= member.progress[kind].upTo { fold(slot, kind, index) }
      }
      timeline.counts[index] +=
        member.standing(of: facts(index), marks: timeline.marks[index]).counts
    }
  }
}
