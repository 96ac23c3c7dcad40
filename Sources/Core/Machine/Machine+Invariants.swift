extension Machine {
  /// What must hold after each event and does not, in words; empty when all is well. For tests and
  /// simulation: it counts everything again.
  ///
  /// - Parameter ofLimits: whether the limits of the rules are looked at, too. State that was
  ///   written under higher ones may stand above them.
  package func violations(ofLimits: Bool = true) -> [String] {
    var found: [String] = []
    var waiting = 0
    var known = 0
    var open = 0
    var alive = 0
    for (slot, conversation) in conversations.enumerated() {
      let name = String(decoding: conversation.id, as: UTF8.self)
      guard names[slot] == conversation.id else {
        found.append("\(name) has the name of another")
        continue
      }
      guard !conversation.id.isEmpty else { continue }
      found += conversation.violations(rules, ofLimits: ofLimits).map { "\(name): \($0)" }
      found += conversation.overdue(at: streamTime ?? .distantPast, rules).map { "\(name): \($0)" }
      known += conversation.timeline.indices.count
      open += conversation.timeline.indices.count { conversation.timeline.isTracked($0) }
      alive += 1
      guard let tickets = conversation.waiting?.tickets else { continue }
      waiting += tickets.count
      if tickets.contains(where: { room[$0] == nil }) { found.append("\(name): a stale ticket") }
      if ofLimits, tickets.count > rules.maxWaitingPerConversation {
        found.append("\(name): too many wait")
      }
    }
    if waiting != room.count { found.append("\(waiting) tickets for \(room.count) that wait") }
    if open != openMessageCount { found.append("\(openMessageCount) of \(open) messages are open") }
    let positions = conversations.reduce(0) { $0 + $1.positions.count }
    if positions != positionCount { found.append("\(positionCount) of \(positions) positions") }
    if alive != conversationCount { found.append("\(conversationCount) of \(alive) are known") }
    if ofLimits, room.count > rules.maxWaitingPerPartition { found.append("too many wait") }
    if known != expiries.count { found.append("\(expiries.count) of \(known) ids will expire") }
    if ofLimits, let oldest = room.oldest, let streamTime, oldest.state.appliedAt < streamTime,
      streamTime.millisecondsSince(oldest.state.appliedAt) >= rules.grace
    {
      found.append("ticket \(oldest.state.ticket) waits too long")
    }
    return found
  }
}
