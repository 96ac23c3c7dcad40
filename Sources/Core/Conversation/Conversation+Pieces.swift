// The pieces of state of a conversation, as the changelog has them.
extension Conversation {
  /// Goes on handing out the pieces of state that changed, as far as the budget lasts.
  ///
  /// - Parameter done: how many of them have had their turn.
  /// - Returns: whether all have.
  mutating func drainChanges<E: Error>(
    _ done: inout Int, on budget: inout Int, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) -> Bool {
    while done < unwritten.count {
      guard budget > 0 else { return false }
      budget -= Work.output
      if let (change, isNew) = take(unwritten[done]) { try body(change, isNew) }
      done += 1
    }
    unwritten.removeAll()
    return true
  }

  /// A piece as it is to be written, and whether the changelog has nothing under its key yet; nil
  /// where it is gone, or written already.
  private mutating func take(_ piece: Unwritten.Piece) -> (Change, isNew: Bool)? {
    switch piece {
    case .removed(let key): return (.removed(key), false)
    case .conversation:
      guard unwritten.isOwnChanged else { return nil }
      unwritten.isOwnChanged = false
      let state = state
      defer { isWritten = true }
      writtenRecordAt = state.lastRecordAt
      return (.conversation(state), !isWritten)
    case .member(let slot):
      guard Int(slot) < members.count, members[Int(slot)].isChanged else { return nil }
      members[Int(slot)].isChanged = false
      defer { members[Int(slot)].isWritten = true }
      return (.member(state(ofMember: slot)), !members[Int(slot)].isWritten)
    case .message(let id):
      guard let index = timeline.index(of: id), timeline.flags[index].remove(.changed) != nil
      else { return nil }
      let isNew = timeline.flags[index].insert(.written).inserted
      return (.message(state(ofMessage: index)), isNew)
    case .marks(let id):
      guard let index = timeline.index(of: id),
        timeline.flags[index].remove(.marksChanged) != nil, let marks = timeline.marks[index]
      else { return nil }
      let isNew = timeline.flags[index].insert(.marksWritten).inserted
      return (.marks(state(of: marks, id: id)), isNew)
    case .thread(let parent):
      guard let thread = threads[parent], thread.isChanged else { return nil }
      threads[parent]?.isChanged = false
      threads[parent]?.isWritten = true
      return (.thread(state(of: thread, parent: parent)), !thread.isWritten)
    case .position(let member):
      guard var position = positions[member], position.isChanged else { return nil }
      let isNew = !position.isWritten
      position.isChanged = false
      position.isWritten = true
      positions[member] = position
      return (.position(state(of: position, member)), isNew)
    case .deletion(let id):
      guard let deletion = deletions[id], deletion.isChanged else { return nil }
      deletions[id]?.isChanged = false
      deletions[id]?.isWritten = true
      return (.deletion(state(of: deletion, id)), !deletion.isWritten)
    }
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
  /// The keys of every piece that the changelog has of it.
  func writtenKeys() -> [ChangeKey] {
    var keys = unwritten.removed
    if isWritten { keys.append(.conversation(id)) }
    for slot in members.indices where members[slot].isWritten {
      keys.append(.member(id, slot: Int32(slot)))
    }
    for index in timeline.indices {
      let message = timeline.ids[index]
      if timeline.flags[index].contains(.written) { keys.append(.message(id, id: message)) }
      if timeline.flags[index].contains(.marksWritten) { keys.append(.marks(id, id: message)) }
    }
    for parent in threads.keys.sorted() where threads[parent]?.isWritten == true {
      keys.append(.thread(id, parent: parent))
    }
    for member in positions.members where positions[member]?.isWritten == true {
      keys.append(.position(id, slot: member.slot, parent: member.parent))
    }
    for message in deletions.keys.sorted() where deletions[message]?.isWritten == true {
      keys.append(.deletion(id, id: message))
    }
    return keys
  }
}

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
      periods: member.periods, progress: member.progress)
  }

  private func state(ofMessage index: Int) -> MessageState {
    let uid = timeline.messageUIdSlots[index]
    let body: MessageBody =
      if let tracking = timeline.tracking[index] {
        .message(
          senderSlot: timeline.senders[index], messageUId: uid < 0 ? nil : messageUIds[Int(uid)],
          parentMessageId: timeline.parents[index], tracking: tracking,
          announced: timeline.announced(index),
          finalCounts: tracking.isEnded ? timeline.counts[index] : nil)
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

  private func state(of position: ThreadProgress, _ member: ThreadMember) -> PositionState {
    PositionState(
      conversation: id, slot: member.slot, parentMessageId: member.parent,
      progress: position.progress)
  }

  private func state(of deletion: Deletion, _ message: Int64) -> DeletionState {
    DeletionState(
      conversation: id, id: message, deletedBy: deletion.deletedBy,
      deletedAt: deletion.deletedAt, acceptedAt: deletion.acceptedAt)
  }
}
