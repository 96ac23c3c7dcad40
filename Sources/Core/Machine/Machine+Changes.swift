/// How far the changes of state are handed out.
struct Draining {
  var removed = 0
  var conversations = 0
  /// Of the conversation in hand.
  var pieces = 0
}

extension Machine {
  /// How many pieces of state are to be written, or a few less: some of them may be gone by now.
  package var changeCount: Int {
    noted + removed.count + room.changed.count + room.removed.count
  }

  /// Hands out every piece of state that changed since the last call, tombstones first, and with
  /// each whether the changelog has nothing under its key yet. A tombstone is only given for a key
  /// that the changelog has.
  package mutating func drainChanges<E: Error>(
    _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    var budget = Int.max
    while try !drainChanges(on: &budget, body) {}
  }

  /// Goes on handing them out, as far as the budget lasts. Nothing may be applied before all are.
  ///
  /// - Returns: whether all are handed out.
  package mutating func drainChanges<E: Error>(
    on budget: inout Int, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) -> Bool {
    while draining.removed < removed.count {
      guard budget > 0 else { return false }
      budget -= Work.output
      try body(.removed(removed[draining.removed]), false)
      draining.removed += 1
    }
    while draining.conversations < changed.count {
      let slot = changed[draining.conversations]
      if isListed(slot) {
        let isDone = try conversations[Int(slot)].drainChanges(&draining.pieces, on: &budget, body)
        guard isDone else { return false }
      }
      draining.pieces = 0
      draining.conversations += 1
    }
    guard try room.drain(on: &budget, body) else { return false }
    draining = Draining()
    removed.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
    noted = 0
    return true
  }

  /// Whether a conversation on the list of those with changes is not forgotten since, nor named
  /// there twice.
  private func isListed(_ slot: Int32) -> Bool {
    Int(slot) < conversations.count && conversations[Int(slot)].isListed
  }

  /// The whole state, piece by piece, in an order that depends on nothing but the state.
  package func forEachPiece<E: Error>(_ body: (Change) throws(E) -> Void) throws(E) {
    let slots = conversations.indices.filter { !conversations[$0].id.isEmpty }.sorted {
      conversations[$0].id.lexicographicallyPrecedes(conversations[$1].id)
    }
    for slot in slots { try conversations[slot].forEachPiece(body) }
    try room.forEach { (entry: WaitingRoom.Entry) throws(E) in try body(.waiting(entry.state)) }
  }
}

extension Conversation {
  /// Goes on handing out the pieces of state that changed, as far as the budget lasts.
  ///
  /// - Parameter done: how many of those on all the lists have had their turn.
  /// - Returns: whether all have.
  fileprivate mutating func drainChanges<E: Error>(
    _ done: inout Int, on budget: inout Int, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) -> Bool {
    // Where each list begins, were they one behind another.
    let own = removed.count
    let firstMember = own + 1
    let firstMessage = firstMember + changedMembers.count
    let firstMark = firstMessage + changedMessages.count
    let firstThread = firstMark + changedMarks.count
    let firstPosition = firstThread + changedThreads.count
    let firstDeletion = firstPosition + changedPositions.count
    let end = firstDeletion + changedDeletions.count
    while done < end {
      guard budget > 0 else { return false }
      budget -= Work.output
      switch done {
      case ..<own: try body(.removed(removed[done]), false)
      case own: try drainOwn(body)
      case ..<firstMessage: try drain(member: changedMembers[done - firstMember], body)
      case ..<firstMark: try drain(message: changedMessages[done - firstMessage], body)
      case ..<firstThread: try drain(marksOf: changedMarks[done - firstMark], body)
      case ..<firstPosition: try drain(thread: changedThreads[done - firstThread], body)
      case ..<firstDeletion: try drain(position: changedPositions[done - firstPosition], body)
      default: try drain(deletion: changedDeletions[done - firstDeletion], body)
      }
      done += 1
    }
    forgetLists()
    return true
  }

  private mutating func forgetLists() {
    removed.removeAll(keepingCapacity: true)
    changedMembers.removeAll(keepingCapacity: true)
    changedMessages.removeAll(keepingCapacity: true)
    changedMarks.removeAll(keepingCapacity: true)
    changedThreads.removeAll(keepingCapacity: true)
    changedPositions.removeAll(keepingCapacity: true)
    changedDeletions.removeAll(keepingCapacity: true)
    hasChanges = false
    isListed = false
  }

  private mutating func drainOwn<E: Error>(
    _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    guard isChanged else { return }
    let state = state
    try body(.conversation(state), !isWritten)
    isChanged = false
    isWritten = true
    writtenRecordAt = state.lastRecordAt
  }

  private mutating func drain<E: Error>(
    member slot: Int32, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    guard isChanged(member: slot) else { return }
    members[Int(slot)].isChanged = false
    try body(.member(state(ofMember: slot)), !members[Int(slot)].isWritten)
    members[Int(slot)].isWritten = true
  }

  private mutating func drain<E: Error>(
    message: Int64, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    guard let index = timeline.index(of: message),
      timeline.flags[index].remove(.changed) != nil
    else { return }
    let isNew = timeline.flags[index].insert(.written).inserted
    try body(.message(state(ofMessage: index)), isNew)
  }

  private mutating func drain<E: Error>(
    marksOf message: Int64, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    guard let index = timeline.index(of: message),
      timeline.flags[index].remove(.marksChanged) != nil, let marks = timeline.marks[index]
    else { return }
    let isNew = timeline.flags[index].insert(.marksWritten).inserted
    try body(.marks(state(of: marks, id: message)), isNew)
  }

  private func isChanged(member slot: Int32) -> Bool {
    Int(slot) < members.count && members[Int(slot)].isChanged
  }

  private mutating func drain<E: Error>(
    thread parent: Int64, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    guard let thread = threads[parent], thread.isChanged else { return }
    threads[parent]?.isChanged = false
    threads[parent]?.isWritten = true
    try body(.thread(state(of: thread, parent: parent)), !thread.isWritten)
  }

  private mutating func drain<E: Error>(
    position member: ThreadMember, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    guard var position = positions[member], position.isChanged else { return }
    let isNew = !position.isWritten
    position.isChanged = false
    position.isWritten = true
    positions[member] = position
    try body(.position(state(of: position, member)), isNew)
  }

  private mutating func drain<E: Error>(
    deletion message: Int64, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    guard let deletion = deletions[message], deletion.isChanged else { return }
    deletions[message]?.isChanged = false
    deletions[message]?.isWritten = true
    try body(.deletion(state(of: deletion, message)), !deletion.isWritten)
  }

  /// Hands out every piece of state.
  func forEachPiece<E: Error>(_ body: (Change) throws(E) -> Void) throws(E) {
    try body(.conversation(state))
    for slot in uids.slots where !uids[slot].isEmpty {
      try body(.member(state(ofMember: Int32(slot))))
    }
    for index in timeline.indices {
      try body(.message(state(ofMessage: index)))
      if let marks = timeline.marks[index] {
        try body(.marks(state(of: marks, id: timeline.ids[index])))
      }
    }
    for (parent, thread) in threads.sorted(by: { $0.key < $1.key }) {
      try body(.thread(state(of: thread, parent: parent)))
    }
    for member in positions.members {
      guard let position = positions[member] else { continue }
      try body(.position(state(of: position, member)))
    }
    for (message, deletion) in deletions.sorted(by: { $0.key < $1.key }) {
      try body(.deletion(state(of: deletion, message)))
    }
  }
}

// The pieces as the changelog has them.
extension Conversation {
  private var state: ConversationState {
    ConversationState(
      conversation: id, roster: roster, firstRosterId: firstRosterId, largeFloor: largeFloor,
      highestExpiredId: highestExpiredId, lastRecordAt: isForgettable ? lastRecordAt : nil)
  }

  private func state(ofMember slot: Int32) -> MemberState {
    let member = members[Int(slot)]
    return MemberState(
      conversation: id, slot: slot, uid: uids[Int(slot)], scope: member.scope,
      periods: member.periods, delivered: member.delivered, read: member.read,
      cursor: member.cursor)
  }

  private func state(ofMessage index: Int) -> MessageState {
    let kind = timeline.kinds[index]
    let uid = timeline.messageUIdSlots[index]
    let body: MessageBody =
      if let tracking = kind.tracking {
        .message(
          senderSlot: timeline.senders[index],
          messageUId: uid < 0 ? nil : messageUIds[Int(uid)],
          parentMessageId: timeline.parents[index], tracking: tracking,
          announced: timeline.announced(index),
          finalCounts: kind.isEnded ? timeline.counts[index] : nil)
      } else {
        .action
      }
    return MessageState(
      conversation: id, id: timeline.ids[index], sequence: timeline.sequences[index],
      appliedAt: timeline.appliedAt[index], sentAt: timeline.sentAt[index], body: body)
  }

  private func state(of marks: Timeline.Marks, id message: Int64) -> MarksState {
    MarksState(
      conversation: id, id: message, delivered: marks.delivered.words, read: marks.read.words)
  }

  private func state(of thread: Thread, parent: Int64) -> ThreadState {
    ThreadState(conversation: id, parentMessageId: parent, replyCount: thread.replyCount)
  }

  private func state(of position: Position, _ member: ThreadMember) -> PositionState {
    PositionState(
      conversation: id, slot: member.slot, parentMessageId: member.parent,
      delivered: position.delivered, read: position.read, cursor: position.cursor)
  }

  private func state(of deletion: Deletion, _ message: Int64) -> DeletionState {
    DeletionState(
      conversation: id, id: message, deletedBy: deletion.deletedBy,
      deletedAt: deletion.deletedAt, acceptedAt: deletion.acceptedAt)
  }
}

extension Timeline.Kind {
  /// Whether its tracking has ended: then its counts stand still, and are kept.
  var isEnded: Bool {
    switch self {
    case .endedTooLarge, .endedExpired, .endedDeleted: true
    case .action, .on, .offTooLarge, .offUnknown, .offNotRequested: false
    }
  }
}
