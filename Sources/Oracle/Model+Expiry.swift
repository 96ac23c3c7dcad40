extension Model {
  /// Ends whatever is due at the present stream time.
  mutating func closeWhatIsDue() {
    for conversation in conversations.values { forgetMemberships(of: conversation) }
    for waiter in waiting where now - waiter.appliedAt >= rules.grace { waitedInVain(waiter) }
    for conversation in conversations.values {
      // All last statuses first: they still count what goes with them.
      let due = conversation.known.values.filter { isDue($0.appliedAt) }
      for message in due.compactMap(\.message) where message.tracking == .on {
        message.close("EXPIRED", rules.leavers)
        outputs.touchLast(
          conversation.name.id, message.id, status(conversation.name.id, message.id))
      }
      for known in due {
        conversation.known[known.id] = nil
        conversation.highestExpired = max(conversation.highestExpired, known.id)
      }
      forgetThreads(of: conversation)
      conversation.earlyDeletes = conversation.earlyDeletes.filter { !isDue($0.value.acceptedAt) }
      if isForgotten(conversation) { conversations[conversation.name.id] = nil }
    }
  }

  private func isDue(_ time: Int64) -> Bool { now - time >= rules.trackingWindow }

  /// What was said of a uid outlives its last membership by one more window: until then there may
  /// be messages that saw it.
  private func forgetMemberships(of conversation: ModelConversation) {
    let due = conversation.memberships.filter { membership in
      membership.endedAt.map { isDue($0) } ?? false
    }
    for membership in due {
      conversation.memberships.removeAll { $0 === membership }
      conversation.formerMembers[membership.uid] = membership.endedAt
    }
    for (uid, endedAt) in conversation.formerMembers where isDue(endedAt + rules.trackingWindow) {
      conversation.formerMembers[uid] = nil
      if conversation.hasMembership(uid) { continue }
      conversation.claims.removeAll { $0.uid == uid }
      conversation.cursorMoves.removeAll { $0.uid == uid }
    }
  }

  /// With a thread of which nothing is known any more goes what was said of it.
  private func forgetThreads(of conversation: ModelConversation) {
    for (parent, replies) in conversation.threads
    where !([parent] + replies.keys).contains(where: { conversation.known[$0] != nil }) {
      conversation.threads[parent] = nil
      if rules.threads == "separate" { conversation.forget(parent) }
    }
  }

  private func isForgotten(_ conversation: ModelConversation) -> Bool {
    guard isDue(conversation.lastRecordAt),
      !waiting.contains(where: { $0.conversation.id == conversation.name.id })
    else { return false }
    if !conversation.isGroup { return true }
    return conversation.roster != .tooLarge && conversation.current.isEmpty
  }
}
