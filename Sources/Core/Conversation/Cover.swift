/// Counts one member's receipt message by message.
struct Cover {
  let slot: Int32
  let periods: [Period]
  /// How far the member had come before the receipt.
  var reach: Reach
  let isRead: Bool
  let at: Instant
  /// Why it does not count for some messages.
  var passed: Passed = []

  init(slot: Int32, member: Member, reach: Reach, isRead: Bool, at: Instant) {
    self.slot = slot
    periods = member.periods
    self.reach = reach
    self.isRead = isRead
    self.at = at
  }

  /// Counts the message at an index, unless the member has covered it before or need not.
  @discardableResult
  mutating func add(
    _ index: Int, _ conversation: inout Conversation, _ turn: inout Turn
  ) -> Bool {
    guard conversation.timeline.isTracked(index) else {
      passed.insert(.untracked)
      return false
    }
    guard conversation.timeline.senders[index] != slot else {
      passed.insert(.own)
      return false
    }
    let facts = conversation.facts(index)
    let hasMarks = conversation.timeline.flags[index].contains(.marked)
    let wasRead =
      reach.hasRead(facts)
      || hasMarks && conversation.timeline.marks[index]?.read.contains(slot) == true
    let wasReceived =
      wasRead || reach.hasReceived(facts)
      || hasMarks && conversation.timeline.marks[index]?.delivered.contains(slot) == true
    guard isRead ? !wasRead : !wasReceived else { return false }
    let place = periods.place(for: facts, turn.rules)
    guard place != .outside else {
      passed.insert(.outside)
      return false
    }
    let step: Int32 = place == .waitedFor ? 1 : 0
    if !wasReceived {
      conversation.timeline.counts[index].delivered += 1
      conversation.timeline.counts[index].pendingDelivered -= step
    }
    if isRead {
      conversation.timeline.counts[index].read += 1
      conversation.timeline.counts[index].pendingRead -= step
    }
    turn.scratch.covered.append(index)
    conversation.settle(index, &turn, at: at)
    return true
  }

  /// Says why a receipt added nothing.
  func tally(_ tally: inout Tally) {
    if passed.contains(.own) {
      tally.own += 1
    } else if passed.contains(.outside) {
      tally.notInAudience += 1
    } else if passed.contains(.untracked) {
      tally.notTracked += 1
    } else {
      tally.covered += 1
    }
  }
}
