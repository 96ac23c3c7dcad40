/// What falls due as stream time moves on. What is due after a fixed time is in the order of
/// application.
struct ModelDue {
  var memberships = ModelQueue<ModelMembershipEnd>()
  /// Those among them that messages see no longer.
  var formerMemberships = ModelQueue<ModelMembershipEnd>()
  var messages = ModelQueue<ModelApplied>()
  var earlyDeletes = ModelQueue<ModelApplied>()
  /// Conversations that are to be looked at.
  var conversations = ModelSorted<ModelLook>()
  var looks: Int64 = 0
}

/// A membership that has ended.
struct ModelMembershipEnd {
  var membership: ModelMembership
  var at: Int64
}

/// An id of a conversation, and stream time when it was applied.
struct ModelApplied {
  var conversation: ModelConversation
  var id: Int64
  var at: Int64
}

/// A conversation that may have to be forgotten at a time.
struct ModelLook: ModelKeyed {
  struct Key: Comparable {
    var at: Int64
    var number: Int64

    static func < (a: Key, b: Key) -> Bool { a.at == b.at ? a.number < b.number : a.at < b.at }
  }

  var key: Key
  var conversation: ModelConversation
}

extension Model {
  /// Ends whatever is due at the present stream time.
  mutating func closeWhatIsDue() {
    forgetMemberships()
    while let oldest = waiting.oldestInTime, isDue(oldest.appliedAt, after: Int128(rules.grace)) {
      waitedInVain(oldest)
    }
    while let applied = due.messages.first, isDue(applied.at) {
      due.messages.removeFirst()
      expire(applied.id, in: applied.conversation)
    }
    while let accepted = due.earlyDeletes.first, isDue(accepted.at) {
      due.earlyDeletes.removeFirst()
      let early = accepted.conversation.earlyDeletes[accepted.id]
      if early?.deletion.acceptedAt == accepted.at {
        accepted.conversation.earlyDeletes[accepted.id] = nil
      }
    }
    while let look = due.conversations.first, look.key.at <= now {
      due.conversations.remove(look.key)
      look.conversation.isScheduled = false
      forgetIfDone(look.conversation)
    }
  }

  /// Names the conversations in which something would fall due, were stream time moved on as far
  /// as a time, and when.
  func forEachDue(by time: Int64, _ body: (Bytes, _ due: Int128) -> Void) {
    for waiter in waiting.allInTime {
      let due = Int128(waiter.appliedAt) + Int128(rules.grace)
      if due > Int128(time) { break }
      body(waiter.conversation.name.id, due)
    }
    for applied in due.messages.all {
      let due = Int128(applied.at) + Int128(rules.trackingWindow)
      if due > Int128(time) { break }
      body(applied.conversation.name.id, due)
    }
    for look in due.conversations.all where !look.conversation.isLasting {
      if look.key.at > time { break }
      body(look.conversation.name.id, Int128(look.key.at))
    }
  }

  private func isDue(_ time: Int64) -> Bool { isDue(time, after: Int128(rules.trackingWindow)) }

  /// Whether an age is reached. Of times that come from outside no difference need fit.
  private func isDue(_ time: Int64, after limit: Int128) -> Bool {
    Int128(now) - Int128(time) >= limit
  }

  /// An ended membership outlives by one more window that messages see it: until then there may be
  /// messages that saw it, and what is said of them counts.
  mutating func forgetMemberships() {
    while let end = due.memberships.first, isDue(end.at) {
      due.memberships.removeFirst()
      end.membership.isUnseen = true
      due.formerMemberships.append(end)
    }
    let twice = 2 * Int128(rules.trackingWindow)
    while let end = due.formerMemberships.first, isDue(end.at, after: twice) {
      due.formerMemberships.removeFirst()
      let member = end.membership.member
      guard member.memberships.contains(where: { $0 === end.membership }) else { continue }
      member.memberships.removeAll { $0 === end.membership }
      if member.memberships.isEmpty { member.forgetClaims() }
    }
  }

  private mutating func expire(_ id: Int64, in conversation: ModelConversation) {
    guard let known = conversation.known[id] else { return }
    if let message = known.message {
      if message.tracking == .on {
        message.close(.expired)
        if let status = conversation.status(of: id) {
          outputs.touch(id, in: conversation, last: status)
        }
      }
      outcomes.append(conversation.outcome(of: message))
      if message.parent > 0, let thread = conversation.threads[message.parent] {
        thread.expire(message)
        if conversation.isExcepted(message) { thread.isExcepted = true }
      }
    }
    conversation.remove(known)
    if let sender = known.message?.sender { freePlace(of: sender, in: conversation) }
    forgetThread(id, of: conversation)
    if let parent = known.message?.parent, parent > 0 { forgetThread(parent, of: conversation) }
  }

  /// While the roster is unknown the place of a sender is free again when the messages are gone,
  /// unless the sender keeps receipts and is not one too many.
  private func freePlace(of uid: Bytes, in conversation: ModelConversation) {
    guard conversation.roster == .unknown, conversation.strangers.contains(uid),
      !conversation.hasKnownMessages(of: uid)
    else { return }
    let member = conversation.member(uid)
    if member?.hasClaims == true, conversation.strangers.count <= 2 * rules.maxGroupMembers {
      return
    }
    member?.forgetClaims()
    conversation.strangers.remove(uid)
  }

  /// With a thread of which nothing is known any more goes what was said of it.
  private mutating func forgetThread(_ parent: Int64, of conversation: ModelConversation) {
    guard let thread = conversation.threads[parent], thread.replies.isEmpty,
      conversation.known[parent] == nil
    else { return }
    threadOutcomes.append(conversation.outcome(of: thread, to: parent))
    conversation.threads[parent] = nil
    guard rules.threads == "separate" else { return }
    for member in conversation.members {
      member.forget(parent)
      if !member.hasClaims { freePlace(of: member.uid, in: conversation) }
    }
  }

  /// Has a conversation looked at one window after its last record.
  mutating func schedule(_ conversation: ModelConversation) {
    guard !conversation.isScheduled else { return }
    conversation.isScheduled = true
    due.looks += 1
    let (at, overflow) = conversation.lastRecordAt.addingReportingOverflow(rules.trackingWindow)
    // A time that does not fit never comes.
    guard !overflow else { return }
    due.conversations.insert(
      ModelLook(key: ModelLook.Key(at: at, number: due.looks), conversation: conversation))
  }

  /// Forgets a conversation of two, or a group without members. What keeps it is what waits in it
  /// or a record: both have it looked at again.
  private mutating func forgetIfDone(_ conversation: ModelConversation) {
    guard isDue(conversation.lastRecordAt) else {
      schedule(conversation)
      return
    }
    if conversation.waiting.count == 0, !conversation.isLasting {
      conversations[conversation.name.id] = nil
    }
  }
}
