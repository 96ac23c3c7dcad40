extension Machine {
  /// Hands out every piece of state that changed since the last call, each key once.
  package mutating func drainChanges<E: Error>(_ body: (Change) throws(E) -> Void) throws(E) {
    for slot in changed { try conversations[Int(slot)].drainChanges(body) }
    changed.removeAll(keepingCapacity: true)
    try room.drain(body)
  }

  /// The whole state, piece by piece, in an order that depends on nothing but the state.
  package func forEachPiece<E: Error>(_ body: (Change) throws(E) -> Void) throws(E) {
    let slots = conversations.indices.sorted {
      conversations[$0].id.lexicographicallyPrecedes(conversations[$1].id)
    }
    for slot in slots { try conversations[slot].forEachPiece(body) }
    try room.forEach { (entry: WaitingRoom.Entry) throws(E) in try body(.waiting(entry.state)) }
  }
}

extension Conversation {
  /// Hands out the pieces of state that changed.
  mutating func drainChanges<E: Error>(_ body: (Change) throws(E) -> Void) throws(E) {
    if isChanged { try body(.conversation(state)) }
    for slot in removedMembers where !isTaken(slot) {
      try body(.removed(.member(id, slot: slot)))
    }
    for slot in changedMembers {
      members[Int(slot)].isChanged = false
      members[Int(slot)].isWritten = true
      try body(.member(state(ofMember: slot)))
    }
    for message in changedMessages {
      guard let index = timeline.index(of: message) else { continue }
      timeline.flags[index].remove(.changed)
      try body(.message(state(ofMessage: index)))
    }
    for message in removedMarks { try body(.removed(.marks(id, id: message))) }
    for message in changedMarks {
      guard let index = timeline.index(of: message) else { continue }
      timeline.flags[index].remove(.marksChanged)
      guard let marks = timeline.marks[index] else { continue }
      timeline.flags[index].insert(.marksWritten)
      try body(.marks(state(of: marks, id: message)))
    }
    isChanged = false
    hasChanges = false
    isListed = false
    removedMembers.removeAll(keepingCapacity: true)
    changedMembers.removeAll(keepingCapacity: true)
    changedMessages.removeAll(keepingCapacity: true)
    removedMarks.removeAll(keepingCapacity: true)
    changedMarks.removeAll(keepingCapacity: true)
  }

  /// Hands out every piece of state.
  func forEachPiece<E: Error>(_ body: (Change) throws(E) -> Void) throws(E) {
    if roster != .unknown || firstRosterId != nil { try body(.conversation(state)) }
    for slot in uids.names.indices where !uids.names[slot].isEmpty {
      try body(.member(state(ofMember: Int32(slot))))
    }
    for index in 0..<timeline.count {
      try body(.message(state(ofMessage: index)))
      if let marks = timeline.marks[index] {
        try body(.marks(state(of: marks, id: timeline.ids[index])))
      }
    }
  }

  private var state: ConversationState {
    ConversationState(
      conversation: id, roster: roster, firstRosterId: firstRosterId, largeFloor: largeFloor)
  }

  /// Whether a slot that was freed has been given out again: then its piece is written anew.
  private func isTaken(_ slot: Int32) -> Bool {
    Int(slot) < uids.names.count && !uids.names[Int(slot)].isEmpty
  }

  private func state(ofMember slot: Int32) -> MemberState {
    let member = members[Int(slot)]
    return MemberState(
      conversation: id, slot: slot, uid: uids.names[Int(slot)], scope: member.scope,
      periods: member.periods, delivered: member.delivered, read: member.read)
  }

  private func state(ofMessage index: Int) -> MessageState {
    let kind = timeline.kinds[index]
    let uid = timeline.messageUIdSlots[index]
    let body: MessageBody =
      if let tracking = kind.tracking {
        .message(
          senderSlot: timeline.senders[index],
          messageUId: uid < 0 ? nil : messageUIds.names[Int(uid)],
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
