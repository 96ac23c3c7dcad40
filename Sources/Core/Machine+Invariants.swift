extension Machine {
  /// What must hold after each event and does not, in words; empty when all is well. For tests and
  /// simulation: it counts everything again.
  package func violations() -> [String] {
    var found: [String] = []
    var waiting = 0
    for conversation in conversations {
      let name = String(decoding: conversation.id, as: UTF8.self)
      found += conversation.violations(rules: rules).map { "\(name): \($0)" }
      guard let tickets = conversation.waiting?.tickets else { continue }
      waiting += tickets.count
      if tickets.contains(where: { room[$0] == nil }) { found.append("\(name): a stale ticket") }
      if tickets.count > rules.maxWaitingPerConversation { found.append("\(name): too many wait") }
    }
    if waiting != room.count { found.append("\(waiting) tickets for \(room.count) that wait") }
    if room.count > rules.maxWaitingPerPartition { found.append("too many wait") }
    return found
  }
}

extension Conversation {
  fileprivate func violations(rules: Rules) -> [String] {
    var found: [String] = []
    for (id, next) in zip(timeline.ids, timeline.ids.dropFirst()) where id >= next {
      found.append("ids do not rise at \(id)")
    }
    var again = self
    again.countAgain(isHolding: rules.leavers == .hold)
    for index in 0..<timeline.count where timeline.isTracked(index) {
      let id = timeline.ids[index]
      let counts = timeline.counts[index]
      if counts != again.timeline.counts[index] {
        found.append("\(id) has \(counts), counted again \(again.timeline.counts[index])")
      }
      if timeline.marks[index] != again.timeline.marks[index] { found.append("\(id): marks") }
      let announced = timeline.flags[index]
      if counts.pendingRead == 0, counts.read > 0, !announced.contains(.readByAll) {
        found.append("\(id) is read by all and was not announced")
      }
      if announced.contains(.readByAll), !announced.contains(.deliveredToAll) {
        found.append("\(id) was announced as read, but not as delivered")
      }
    }
    if activeCount != again.activeCount || activeExemptCount != again.activeExemptCount {
      found.append("\(activeCount) members, counted again \(again.activeCount)")
    }
    if highestMembershipId < again.highestMembershipId || highestUpTo < again.highestUpTo
      || highestSentUpTo < again.highestSentUpTo
    {
      found.append("a highest value is too low")
    }
    if roster == .known, activeCount > 2 * rules.maxGroupMembers {
      found.append("too many members")
    }
    return found
  }
}
