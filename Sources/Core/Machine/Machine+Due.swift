// What falls due as stream time moves on.
extension Machine {
  /// When the next thing falls due; nil when nothing waits for time.
  package var nextDue: Instant? {
    let waiting = room.oldest?.state.appliedAt.later(byMilliseconds: rules.grace)
    let message = expiries.first?.appliedAt.later(byMilliseconds: rules.trackingWindow)
    return [waiting, message, due.nextDue].compactMap { $0 }.min()
  }

  /// Does what is due: gives up what has waited for `grace`, closes what was tracked for the
  /// window, each in the order in which it was applied, and then forgets in silence.
  ///
  /// - Parameter limit: how many things; one that takes much counts for as many as it takes.
  /// - Returns: whether more is due.
  @discardableResult
  mutating func doDue(atMost limit: Int) -> Bool {
    guard let now = streamTime else { return false }
    turn.now = now
    trim()
    var done = 0
    defer { turn.outputs.work += done * Work.thing }
    while let oldest = room.oldest, now.millisecondsSince(oldest.state.appliedAt) >= rules.grace {
      if done + turn.scratch.work / Work.thing >= limit { return true }
      giveUp(oldest.state.ticket)
      done += 1
    }
    while let first = expiries.first, now.millisecondsSince(first.appliedAt) >= rules.trackingWindow
    {
      if done + turn.scratch.work / Work.thing >= limit { return true }
      expiries.removeFirst()
      expire(first)
      done += 1
    }
    while let nextDue = due.nextDue, nextDue <= now {
      if done + turn.scratch.work / Work.thing >= limit { return true }
      guard let (due, thing) = due.take(at: now) else { return false }
      forget(thing, dueAt: due, at: now)
      done += 1
    }
    return false
  }

  /// Whether much more than one record should have to do is due by a time: then it is done in
  /// pieces, before the record.
  package func isMuchDue(by time: Instant, limit: Int) -> Bool {
    let now = max(time, streamTime ?? time)
    if let entry = expiries[limit], now.millisecondsSince(entry.appliedAt) >= rules.trackingWindow {
      return true
    }
    if room.count > limit, let oldest = room.oldest,
      now.millisecondsSince(oldest.state.appliedAt) >= rules.grace
    {
      return true
    }
    // With one message, or one membership, may go how far many have come in threads.
    let isEachMuch = positionCount * Work.output > limit * Work.thing
    if isEachMuch, let first = expiries.first,
      now.millisecondsSince(first.appliedAt) >= rules.trackingWindow
    {
      return true
    }
    return (due.count > limit || isEachMuch) && due.nextDue.map { $0 <= now } ?? false
  }

  private mutating func expire(_ entry: ExpiryQueue.Entry) {
    let slot = Int(entry.conversation)
    // It causes statuses only: the coordinates are never asked for.
    turn.record = Turn.Record(
      source: Coordinates(
        topic: .messages, partition: partition, offset: entry.sequence, timestamp: nil),
      timestamp: turn.now)
    turn.scratch.work += conversations[slot].rowsBehind(entry.id)
    turn.scratch.work += conversations[slot].positionsBehind(entry.id) * Work.output
    conversations[slot].expire(entry.id, &turn)
    noteChanges(slot)
  }

  private mutating func forget(_ thing: DueQueue.Thing, dueAt due: Instant, at now: Instant) {
    let slot = Int(thing.conversation)
    guard slot < conversations.count else { return }
    switch thing.part {
    case .deletion(let id):
      guard let acceptedAt = conversations[slot].deletions[id]?.acceptedAt,
        now.millisecondsSince(acceptedAt) >= rules.trackingWindow
      else { return }
      conversations[slot].forgetDeletion(id)
      noteChanges(slot)
    case .membership(let member):
      turn.scratch.work += conversations[slot].positions.count(ofSlot: member) * Work.output
      conversations[slot].forgetPeriods(member, &turn)
      noteChanges(slot)
    case .whole:
      // Another look was put before this one, or the slot is another conversation's.
      guard conversations[slot].scheduledFor == due else { return }
      conversations[slot].scheduledFor = nil
      guard conversations[slot].isForgettable, let forgottenAt = forgottenAt(slot) else { return }
      if forgottenAt > now {
        schedule(slot)
      } else {
        forgetConversation(slot)
      }
    }
  }

  /// When a conversation is forgotten: one window after its last record, and not while something
  /// waits in it; nil where that is beyond all time.
  private func forgottenAt(_ slot: Int) -> Instant? {
    let last = conversations[slot].lastRecordAt.later(byMilliseconds: rules.trackingWindow)
    guard let ticket = conversations[slot].waiting?.tickets.last, let entry = room[ticket] else {
      return last
    }
    guard let last, let waited = entry.state.appliedAt.later(byMilliseconds: rules.grace) else {
      return nil
    }
    return max(last, waited)
  }

  /// Puts a conversation that can be forgotten on the list of what will be due. One that is looked
  /// at too early is put there again then.
  mutating func schedule(_ slot: Int) {
    guard conversations[slot].isForgettable, let forgottenAt = forgottenAt(slot) else { return }
    if let scheduled = conversations[slot].scheduledFor, scheduled <= forgottenAt { return }
    conversations[slot].scheduledFor = forgottenAt
    due.add(.whole, of: slot, due: forgottenAt)
  }

  /// Puts memberships that a record has ended on the list of what will be due.
  mutating func noteEnded(_ slot: Int) {
    // Where the group was too large, the last slots are gone.
    let members = conversations[slot].members.indices
    for member in turn.scratch.ended where members.contains(Int(member)) {
      if let period = conversations[slot].members[Int(member)].periods.last {
        scheduleForgetting(period, of: member, in: slot)
      }
    }
    turn.scratch.ended.removeAll(keepingCapacity: true)
  }

  /// Puts the end of a membership on the list of what will be due.
  mutating func scheduleForgetting(_ period: Period, of member: Int32, in slot: Int) {
    guard let due = period.overAt(rules) else { return }
    self.due.add(.membership(member), of: slot, due: due)
  }

  /// Puts a delete whose message has not come on the list of what will be due.
  mutating func scheduleForgetting(deletion id: Int64, in slot: Int, acceptedAt: Instant) {
    guard let due = acceptedAt.later(byMilliseconds: rules.trackingWindow) else { return }
    self.due.add(.deletion(id), of: slot, due: due)
  }

  private mutating func forgetConversation(_ slot: Int) {
    turn.scratch.work += conversations[slot].weight
    if isJournaled {
      let keys = conversations[slot].writtenKeys()
      turn.scratch.work += keys.count * Work.output
      removed.append(contentsOf: keys)
    }
    openMessageCount -= conversations[slot].openCount
    positionCount -= conversations[slot].positionCount
    conversations[slot] = Conversation(id: [], at: .distantPast, isJournaled: isJournaled)
    names.remove(Int32(slot), trimming: Self.trimmed)
    trim()
  }

  /// Gives up some of the places behind the last conversation; all others may be gone before it.
  private mutating func trim() {
    names.trim(atMost: Self.trimmed)
    if conversations.count > names.slotCount {
      conversations.removeLast(conversations.count - names.slotCount)
    }
  }

  private static var trimmed: Int { 16 }
}
