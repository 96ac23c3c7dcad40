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
    let list = list(index, turn.rules)
    let id = timeline.ids[index]
    let slot = cursorSlot(of: uid, turn.rules)
    if let slot { markUnread(slot, list, from: id, at: at) }
    if turn.rules.unreadEvents != .none {
      tellUnread(slot, uid: uid, list: list, &turn)
    }
    return nil
  }

  private mutating func markUnread(_ slot: Int32, _ list: Int64, from id: Int64, at: Instant) {
    let everywhere = members[Int(slot)].cursor.newestConversationRead
    changeCursor(slot, list) { cursor in
      if at >= max(cursor.newestRead, everywhere) { cursor.position = id }
      cursor.newestUnread = max(cursor.newestUnread, at)
    }
  }

  /// Moves the cursor of one list up to an id, for a cumulative read receipt.
  mutating func moveCursor(
    _ slot: Int32, list: Int64, to id: Int64, at: Instant, _ turn: inout Turn
  ) {
    let before = cursor(slot, list)
    // Counting costs a search: not where nobody is told.
    let count = turn.rules.unreadEvents == .all ? unread(slot, list).count : 0
    changeCursor(slot, list) { cursor in
      cursor.newestRead = max(cursor.newestRead, at)
      guard at >= cursor.newestUnread, id >= cursor.position else { return }
      cursor.position = id
      cursor.lastReadId = max(cursor.lastReadId, id)
    }
    guard turn.rules.unreadEvents == .all else { return }
    let after = cursor(slot, list)
    guard after.position != before.position || unread(slot, list).count != count else { return }
    guard roster == .known,
      members[Int(slot)].hasMembership(at: turn.now, window: turn.rules.trackingWindow)
    else { return }
    let uid = uids[Int(slot)]
    tellUnread(slot, uid: uid.span, list: list, &turn)
  }

  /// Moves the cursors of all lists, for a receipt of the whole conversation: each to the highest
  /// known id sent at or before `limit`.
  mutating func moveCursors(_ slot: Int32, sentUpTo limit: Instant, at: Instant, _ turn: inout Turn)
  {
    if turn.rules.threads == .separate {
      changeCursor(slot, 0) { $0.newestConversationRead = max($0.newestConversationRead, at) }
    }
    var highest: [Int64: Int64] = [:]
    for index in timeline.indices.reversed() where timeline.sentAt[index] <= limit {
      let list = list(index, turn.rules)
      if highest[list] == nil { highest[list] = timeline.ids[index] }
      if turn.rules.threads == .inline { break }
    }
    if highest[0] == nil { highest[0] = 0 }
    for (list, id) in highest.sorted(by: { $0.key < $1.key }) {
      moveCursor(slot, list: list, to: id, at: at, &turn)
    }
  }

  private func cursor(_ slot: Int32, _ list: Int64) -> Cursor {
    guard list != 0 else { return members[Int(slot)].cursor }
    return positions[ThreadMember(slot: slot, parent: list)]?.cursor ?? Cursor()
  }

  private mutating func changeCursor(
    _ slot: Int32, _ list: Int64, _ body: (inout Cursor) -> Void
  ) {
    var changed = cursor(slot, list)
    let before = changed
    body(&changed)
    guard changed != before else { return }
    if list == 0 {
      members[Int(slot)].cursor = changed
      memberChanged(slot)
    } else {
      changePosition(ThreadMember(slot: slot, parent: list)) { $0.cursor = changed }
    }
  }

  /// While the roster is unknown a cursor is kept for who has a slot or may get one.
  private mutating func cursorSlot(of uid: Span<UInt8>, _ rules: Rules) -> Int32? {
    if let slot = uids.find(uid) { return slot }
    guard roster == .unknown, uids.count < 2 * rules.maxGroupMembers else { return nil }
    let slot = slot(of: uid)
    memberChanged(slot)
    return slot
  }

  /// The messages of a list above a member's cursor and in the time of his newest membership that
  /// are not his own.
  private func unread(_ slot: Int32, _ list: Int64) -> (count: Int, from: Int64?) {
    guard roster == .known else { return (0, nil) }
    let newest = members[Int(slot)].periods.last
    let floor = max(cursor(slot, list).position, newest?.beginId ?? 0)
    let ceiling = newest?.endId ?? .max
    if list == 0 { return countables.unread(above: floor, upTo: ceiling, for: slot) }
    return threads[list]?.replies.unread(above: floor, upTo: ceiling, for: slot) ?? (0, nil)
  }

  private func tellUnread(_ slot: Int32?, uid: Span<UInt8>, list: Int64, _ turn: inout Turn) {
    let unread = slot.map { self.unread($0, list) } ?? (count: 0, from: nil)
    turn.outputs.unread.append(
      UnreadChanged(
        conversation: turn.text(ofConversation: id), number: turn.nextEvent(),
        to: turn.outputs.add(copying: uid), count: unread.count, from: unread.from,
        lastReadMessageId: slot.map { cursor($0, list).lastReadId } ?? 0,
        parentMessageId: list == 0 ? nil : list))
  }
}
