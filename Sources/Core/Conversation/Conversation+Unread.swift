// The unread cursor: private to a member, outside all that is announced.
extension Conversation {
  /// Applies an `unread` whose message is known.
  ///
  /// - Returns: why it is rejected, if it is.
  mutating func applyUnread(_ index: Int, uid: Span<UInt8>, at: Instant, _ turn: inout Turn)
    -> Rejection?
  {
    if let sender = uids.find(uid), timeline.senders[index] == sender {
      return Rejection(.cannotMarkOwnMessage, field: "messageId")
    }
    let thread = thread(index, turn.rules)
    let message = timeline.ids[index]
    let slot = uids.find(uid) ?? slotBeforeRoster(of: uid, turn.rules)
    if let slot {
      let everywhere = members[Int(slot)].progress.cursor.newestConversationRead
      changeCursor(slot, thread) { $0.markUnread(from: message, at: at, everywhere: everywhere) }
    }
    if turn.rules.unreadEvents != .none { emitUnread(slot, uid: uid, in: thread, &turn) }
    return nil
  }

  /// Moves the cursor of one thread up to an id, for a cumulative read receipt.
  mutating func moveCursor(
    _ slot: Int32, thread: Int64, to id: Int64, at: Instant, _ turn: inout Turn
  ) {
    // Counting costs a search: not where nobody is told.
    let isTold = turn.rules.unreadEvents == .all
    let before = cursor(slot, thread).position
    let count = isTold ? unread(slot, thread).count : 0
    changeCursor(slot, thread) { $0.markRead(upTo: id, at: at) }
    guard isTold, cursor(slot, thread).position != before || unread(slot, thread).count != count,
      roster == .known, members[Int(slot)].hasMembership(at: turn.now, turn.rules)
    else { return }
    let uid = uids[Int(slot)]
    emitUnread(slot, uid: uid.span, in: thread, &turn)
  }

  /// Moves the cursors of all threads, for a receipt of the whole conversation: each to the
  /// highest known id sent at or before `limit`.
  mutating func moveCursors(_ slot: Int32, sentUpTo limit: Instant, _ turn: inout Turn) {
    if turn.rules.threads == .separate {
      changeCursor(slot, 0) { $0.newestConversationRead = max($0.newestConversationRead, limit) }
    }
    var highest: [Int64: Int64] = [:]
    for index in timeline.indices.reversed() where timeline.sentAt[index] <= limit {
      let thread = thread(index, turn.rules)
      if highest[thread] == nil { highest[thread] = timeline.ids[index] }
      if turn.rules.threads == .inline { break }
    }
    if highest[0] == nil { highest[0] = 0 }
    for (thread, id) in highest.sorted(by: { $0.key < $1.key }) {
      moveCursor(slot, thread: thread, to: id, at: limit, &turn)
    }
  }

  private func cursor(_ slot: Int32, _ thread: Int64) -> Cursor {
    guard thread != 0 else { return members[Int(slot)].progress.cursor }
    return positions[ThreadMember(slot: slot, parent: thread)]?.progress.cursor ?? Cursor()
  }

  private mutating func changeCursor(
    _ slot: Int32, _ thread: Int64, _ body: (inout Cursor) -> Void
  ) {
    var changed = cursor(slot, thread)
    let before = changed
    body(&changed)
    guard changed != before else { return }
    changeProgress(of: slot, in: thread) { $0.cursor = changed }
  }

  /// The messages of a thread above a member's cursor and in the time of the newest membership
  /// that are not the member's own.
  private func unread(_ slot: Int32, _ thread: Int64) -> (count: Int, from: Int64?) {
    guard roster == .known else { return (0, nil) }
    let newest = members[Int(slot)].periods.last
    let floor = max(cursor(slot, thread).position, newest?.beginId ?? 0)
    let ceiling = newest?.endId ?? .max
    if thread == 0 { return unread.count(above: floor, upTo: ceiling, for: slot) }
    return threads[thread]?.replies.count(above: floor, upTo: ceiling, for: slot) ?? (0, nil)
  }

  private func emitUnread(_ slot: Int32?, uid: Span<UInt8>, in thread: Int64, _ turn: inout Turn) {
    let unread = slot.map { self.unread($0, thread) } ?? (count: 0, from: nil)
    turn.outputs.unread.append(
      UnreadChanged(
        conversation: turn.text(ofConversation: id), number: turn.nextEvent(),
        to: turn.outputs.add(copying: uid), count: unread.count, from: unread.from,
        lastReadMessageId: slot.map { cursor($0, thread).lastReadId } ?? 0,
        parentMessageId: thread == 0 ? nil : thread))
  }
}
