// What must hold of a conversation after each event; each part gives what does not, in words.
extension Conversation {
  /// Everything but what depends on the time.
  func violations(_ rules: Rules, ofLimits: Bool) -> [String] {
    countViolations(rules) + memberViolations(rules, ofLimits: ofLimits) + messageViolations(rules)
      + threadViolations(rules) + unreadViolations(rules)
  }

  /// What should be forgotten by now.
  func overdue(at now: Instant, _ rules: Rules) -> [String] {
    var found: [String] = []
    let window = rules.trackingWindow
    for index in timeline.indices where now.millisecondsSince(timeline.appliedAt[index]) >= window {
      found.append("\(timeline.ids[index]) should have expired")
    }
    for (id, deletion) in deletions {
      guard let at = deletion.acceptedAt, now.millisecondsSince(at) >= window else { continue }
      found.append("the delete of \(id) should be forgotten")
    }
    for period in members.lazy.flatMap(\.periods) where period.isOver(at: now, rules) {
      found.append("a membership is too old")
    }
    // What waited longer may have been let go just now.
    if isForgettable, waiting == nil, rules.grace <= window,
      now.millisecondsSince(lastRecordAt) >= window
    {
      found.append("the conversation should be forgotten")
    }
    return found
  }

  /// The counts of tracked messages are those that come of counting again.
  private func countViolations(_ rules: Rules) -> [String] {
    var found: [String] = []
    var again = self
    again.countAgain(rules)
    for index in timeline.indices where timeline.isTracked(index) {
      let id = timeline.ids[index]
      let counts = timeline.counts[index]
      if counts != again.timeline.counts[index] {
        found.append("\(id) has \(counts), counted again \(again.timeline.counts[index])")
      }
      if timeline.marks[index] != again.timeline.marks[index] { found.append("\(id): marks") }
      let announced = timeline.flags[index]
      if counts.isRead, isDirect || rules.enhancedMessagingStatus, !announced.contains(.readByAll) {
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
    return found
  }

  /// A slot is a uid's, and knows how many messages it has sent; in a group that is too large
  /// nobody has a membership or a watermark.
  private func memberViolations(_ rules: Rules, ofLimits: Bool) -> [String] {
    var found: [String] = []
    if members.count != uids.slotCount { found.append("members without a place for a name") }
    var messageCounts = [Int](repeating: 0, count: members.count)
    for index in timeline.indices where timeline.senders[index] >= 0 {
      messageCounts[Int(timeline.senders[index])] += 1
    }
    for slot in members.indices {
      let member = members[slot]
      if member.messageCount != messageCounts[slot] { found.append("slot \(slot): messages") }
      let isEmpty = member.periods.isEmpty && !member.hasReceipts
      let isFree = uids[slot].isEmpty
      if isFree, !isEmpty || member.scope != .participant || member.messageCount > 0 {
        found.append("slot \(slot) is free, but not empty")
      }
      if !isFree, isEmpty, member.scope == .participant, member.messageCount == 0,
        !positions.has(Int32(slot))
      {
        found.append("slot \(slot) is kept for nothing")
      }
      if roster == .tooLarge, !isEmpty { found.append("slot \(slot) is kept past the limit") }
    }
    if roster == .tooLarge, keptScopes != members.count(where: { $0.scope != .participant }) {
      found.append("\(keptScopes) scopes are kept")
    }
    if ofLimits, roster == .known, !isDirect, activeCount > rules.rosterLimit {
      found.append("too many members")
    }
    return found
  }

  /// Ids rise; what is closed, marked, deleted or named hangs together.
  private func messageViolations(_ rules: Rules) -> [String] {
    var found: [String] = []
    var last: Int64 = 0
    var uidCount = 0
    for index in timeline.indices {
      let id = timeline.ids[index]
      if id <= last { found.append("ids do not rise at \(id)") }
      last = id
      if timeline.flags[index].contains(.marked) != (timeline.marks[index] != nil) {
        found.append("\(id): a flag for its marks")
      }
      if timeline.marks[index] != nil, !timeline.isTracked(index) {
        found.append("\(id) is marked, but not tracked")
      }
      if roster == .tooLarge, timeline.isTracked(index) { found.append("\(id) is tracked") }
      // What was deleted before it came may turn out to be an action: the delete then waits for a
      // message that does not come.
      let isDeleted = timeline.tracking[index] == .endedDeleted
      if isDeleted != (deletions[id].map { $0.acceptedAt == nil } ?? false) {
        found.append("\(id): deleted, or not")
      }
      let uid = timeline.messageUIdSlots[index]
      if uid >= 0 {
        uidCount += 1
        if messageUIdOwners[Int(uid)] != id { found.append("\(id): its messageUId") }
      }
    }
    if uidCount != messageUIds.count { found.append("messageUIds of no message") }
    for (id, deletion) in deletions
    where deletion.acceptedAt == nil && timeline.index(of: id) == nil {
      found.append("the delete of \(id) is of no message")
    }
    return found
  }

  /// A thread is kept while its parent or a reply is known, and counts its replies.
  private func threadViolations(_ rules: Rules) -> [String] {
    var found: [String] = []
    var known: [Int64: Int] = [:]
    var standing: [Int64: Int] = [:]
    for index in timeline.indices where timeline.parents[index] != 0 {
      known[timeline.parents[index], default: 0] += 1
      guard timeline.tracking[index] != .endedDeleted else { continue }
      standing[timeline.parents[index], default: 0] += 1
    }
    for parent in known.keys where threads[parent] == nil { found.append("no thread \(parent)") }
    for (parent, thread) in threads {
      let replies = standing[parent, default: 0]
      if thread.knownCount != known[parent, default: 0] || thread.replies.all.count != replies
        || thread.replyCount < replies
      {
        found.append("the replies of \(parent)")
      }
      if thread.knownCount == 0, timeline.index(of: parent) == nil {
        found.append("the thread \(parent) should be forgotten")
      }
    }
    for member in positions.members {
      if threads[member.parent] == nil || rules.threads != .separate || roster == .tooLarge {
        found.append("a position in the thread \(member.parent)")
      }
      if uids[Int(member.slot)].isEmpty { found.append("a position of nobody") }
    }
    return found
  }

  /// The searches in sorted ids say what plain counting says, for every member and list.
  private func unreadViolations(_ rules: Rules) -> [String] {
    var found: [String] = []
    for slot in members.indices.map(Int32.init) {
      for thread in [0] + threads.keys {
        let cursor = progress(of: slot, in: thread).cursor
        let isInline = thread != 0 && rules.threads == .inline
        let ceiling = members[Int(slot)].periods.last?.endId ?? .max
        let above = timeline.indices.filter { index in
          let belongs = isInline ? timeline.parents[index] : self.thread(index, rules)
          return timeline.tracking[index] != nil && timeline.tracking[index] != .endedDeleted
            && belongs == thread && timeline.ids[index] > cursor.position
            && timeline.ids[index] <= ceiling && timeline.senders[index] != slot
        }
        let ids = thread == 0 ? self.unread : threads[thread]?.replies ?? UnreadIndex()
        let unread = ids.count(above: cursor.position, upTo: ceiling, for: slot)
        if unread.count != above.count || unread.from != above.first.map({ timeline.ids[$0] }) {
          found.append("slot \(slot) has \(unread) unread in \(thread), not \(above.count)")
        }
      }
    }
    return found
  }
}
