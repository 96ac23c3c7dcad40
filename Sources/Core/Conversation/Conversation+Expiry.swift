// One tracking window after it was applied a message is closed, and all that hangs on it is freed.
extension Conversation {
  /// Closes the message at an index as expired, with its last status if it was tracked.
  mutating func expire(_ id: Int64, _ turn: inout Turn) {
    guard let index = timeline.index(of: id) else { return }
    if timeline.isTracked(index) {
      timeline.end(index, as: .endedExpired)
      emitStatus(index, &turn)
    }
    unwritten.noteOwn()
    highestExpiredId = max(highestExpiredId, id)
    forget(index, turn.rules)
  }

  /// What taking out an id, or putting it in, has to move: nothing at either end.
  func rowsBehind(_ id: Int64) -> Int {
    guard let lowest = timeline.lowestId, id > lowest else { return 0 }
    return (timeline.indices.upperBound - timeline.firstIndex(above: id)) / 4
  }

  /// How many positions in threads go with an id, at most.
  func positionsBehind(_ id: Int64) -> Int {
    guard positions.count > 0, let index = timeline.index(of: id) else { return 0 }
    let sender = roster == .unknown ? positions.count(ofSlot: timeline.senders[index]) : 0
    let parent = timeline.parents[index]
    let isLast = parent != 0 && threads[parent]?.knownCount == 1
    return positions.count(inThread: id) + (isLast ? positions.count(inThread: parent) : 0) + sender
  }

  private mutating func forget(_ index: Int, _ rules: Rules) {
    let message = timeline.ids[index]
    let sender = timeline.senders[index]
    let parent = timeline.parents[index]
    let uid = timeline.messageUIdSlots[index]
    if uid >= 0 {
      messageUIds.remove(uid)
      messageUIdOwners.removeLast(max(0, messageUIdOwners.count - messageUIds.slotCount))
    }
    dropMarks(index)
    unwritten.noteRemoved(
      .message(id, id: message), isWritten: timeline.flags[index].contains(.written))
    timeline.remove(at: index)
    forgetDeletion(message)
    if sender >= 0 {
      unread.remove(message, by: sender)
      members[Int(sender)].messageCount -= 1
      giveUpSlot(sender, rules)
      freeIfUnneeded(sender)
    }
    if parent != 0 {
      threads[parent]?.replies.remove(message, by: sender)
      threads[parent]?.knownCount -= 1
      forgetThread(parent)
    }
    forgetThread(message)
  }

  /// Forgets the memberships of a slot that no message can ask for any more, and the slot itself
  /// if nothing needs it.
  mutating func forgetPeriods(_ slot: Int32, _ turn: inout Turn) {
    guard Int(slot) < members.count else { return }
    let count = members[Int(slot)].periods.count
    members[Int(slot)].periods.removeAll { $0.isOver(at: turn.now, turn.rules) }
    guard members[Int(slot)].periods.count < count else { return }
    if members[Int(slot)].periods.isEmpty { forgetReceipts(of: slot) }
    memberChanged(slot)
    freeIfUnneeded(slot)
  }

  /// With the last membership that a message can ask for goes all that its member has said.
  private mutating func forgetReceipts(of slot: Int32) {
    members[Int(slot)].progress = Progress()
    for position in positions.members(ofSlot: slot) { forgetPosition(position) }
  }

  /// Frees a slot without memberships, rights or messages, and without receipts: they may have
  /// come before the roster, and their membership after it.
  mutating func freeIfUnneeded(_ slot: Int32) {
    guard members[Int(slot)].isBlank, !positions.has(slot), !uids[Int(slot)].isEmpty else { return }
    free(slot)
    trimMembers()
  }

  /// While the roster is unknown, senders have places whose number nothing bounds; but with their
  /// messages go the receipts of those for whom there would have been no place without them.
  private mutating func giveUpSlot(_ slot: Int32, _ rules: Rules) {
    guard roster == .unknown, members[Int(slot)].messageCount == 0,
      uids.count > rules.rosterLimit
    else { return }
    forgetReceipts(of: slot)
  }

  /// Whether the conversation is forgotten one window after its last record: one of two, or a
  /// group without members.
  var isForgettable: Bool { isDirect || activeCount == 0 && roster != .tooLarge }
}
