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
    for key in removed { try body(.removed(key), false) }
    removed.removeAll(keepingCapacity: true)
    for slot in changed where isListed(slot) { try conversations[Int(slot)].drainChanges(body) }
    changed.removeAll(keepingCapacity: true)
    noted = 0
    try room.drain(body)
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
  /// Hands out the pieces of state that changed.
  mutating func drainChanges<E: Error>(
    _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    for key in removed { try body(.removed(key), false) }
    removed.removeAll(keepingCapacity: true)
    if isChanged {
      let state = state
      try body(.conversation(state), !isWritten)
      isWritten = true
      writtenRecordAt = state.lastRecordAt
    }
    for slot in changedMembers where isChanged(member: slot) {
      members[Int(slot)].isChanged = false
      try body(.member(state(ofMember: slot)), !members[Int(slot)].isWritten)
      members[Int(slot)].isWritten = true
    }
    changedMembers.removeAll(keepingCapacity: true)
    for message in changedMessages {
      guard let index = timeline.index(of: message),
        timeline.flags[index].remove(.changed) != nil
      else { continue }
      let isNew = timeline.flags[index].insert(.written).inserted
      try body(.message(state(ofMessage: index)), isNew)
    }
    changedMessages.removeAll(keepingCapacity: true)
    for message in changedMarks {
      guard let index = timeline.index(of: message),
        timeline.flags[index].remove(.marksChanged) != nil
      else { continue }
      guard let marks = timeline.marks[index] else { continue }
      let isNew = timeline.flags[index].insert(.marksWritten).inserted
      try body(.marks(state(of: marks, id: message)), isNew)
    }
    changedMarks.removeAll(keepingCapacity: true)
    try drainThreads(body)
    isChanged = false
    hasChanges = false
    isListed = false
  }

  private func isChanged(member slot: Int32) -> Bool {
    Int(slot) < members.count && members[Int(slot)].isChanged
  }

  private mutating func drainThreads<E: Error>(
    _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    for parent in changedThreads {
      guard let thread = threads[parent], thread.isChanged else { continue }
      threads[parent]?.isChanged = false
      threads[parent]?.isWritten = true
      try body(.thread(state(of: thread, parent: parent)), !thread.isWritten)
    }
    changedThreads.removeAll(keepingCapacity: true)
    for member in changedPositions {
      guard var position = positions[member], position.isChanged else { continue }
      let isNew = !position.isWritten
      position.isChanged = false
      position.isWritten = true
      positions[member] = position
      try body(.position(state(of: position, member)), isNew)
    }
    changedPositions.removeAll(keepingCapacity: true)
    for message in changedDeletions {
      guard let deletion = deletions[message], deletion.isChanged else { continue }
      deletions[message]?.isChanged = false
      deletions[message]?.isWritten = true
      try body(.deletion(state(of: deletion, message)), !deletion.isWritten)
    }
    changedDeletions.removeAll(keepingCapacity: true)
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
