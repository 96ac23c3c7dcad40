/// What is known of one uid in a conversation, without its name.
struct Member {
  var scope = Scope.participant
  /// In the order of application; at most the last one lasts.
  var periods: [Period] = []
  var progress = Progress()
  /// How many known messages this member has sent.
  var messageCount = 0
  /// The member's piece of state is to be written.
  var isChanged = false
  /// The changelog has the member's piece of state.
  var isWritten = false

  /// Whether the member is in the group now.
  var isActive: Bool {
    guard let last = periods.last else { return false }
    return last.endId == nil
  }

  /// Whether the member is in the group now and nobody waits for them.
  var isActiveExempt: Bool { isActive && periods.last?.isExempt == true }

  /// Whether a receipt of the member was applied that covered more than single messages.
  var hasReceipts: Bool { progress != Progress() }

  /// Whether there is nothing of the member but the name.
  var isBlank: Bool {
    periods.isEmpty && messageCount == 0 && scope == .participant && !hasReceipts
  }

  /// Whether the member has a membership, or had one that an open message may still ask for.
  func hasMembership(at now: Instant, _ rules: Rules) -> Bool {
    periods.contains { !$0.isOver(at: now, rules) }
  }

  /// Whether a receipt of this member may count for a message, of those applied so far: what
  /// was applied before their memberships began does not.
  func mayCover(upToSequence highest: Int64) -> Bool {
    messageCount > 0 || periods.contains { $0.beginSequence < highest }
  }
}
