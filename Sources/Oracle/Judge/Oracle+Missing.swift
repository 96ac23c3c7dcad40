/// What should have come and has not, and what was said last.
extension Oracle {
  mutating func checkWhatIsMissing() {
    let missing = events.values.filter { !$0.hasCome }
    for event in missing.sorted(by: { $0.place < $1.place }) {
      let reason = explanation(ofMissing: event)
      judge(
        reason ?? aheadExplains(differenceIn: event.conversation), .missing, event.description)
    }
    checkExactReceipts()
    checkActionsLeft()
    let rejected = rejections.filter { !$0.value.hasCome }
    for (source, rejection) in rejected.sorted(by: { $0.key.offset < $1.key.offset }) {
      judge(
        explanation(ofRejected: source) ?? aheadExplains(waiting: source), .badRejections,
        "\(source.description) is not rejected with \(rejection.code)")
    }
    for place in conversations.indices {
      checkActions(at: place)
      for id in conversations[place].messages.keys.sorted() {
        guard let message = conversations[place].messages[id] else { continue }
        checkAnnounced(id, message, at: place)
        checkAgreement(about: id, message, at: place)
        checkLastStatus(of: id, message, at: place)
      }
      for (parent, thread) in conversations[place].threads where thread.expected != thread.found {
        judge(
          explanation(ofThread: parent, at: place), .badCounts, "the last replyCount of \(parent)")
      }
    }
  }

  /// A receipt that names several messages has events for them in other parts if it waits for
  /// some; but it has them for the same messages.
  private mutating func checkExactReceipts() {
    guard order == .any else { return }
    for (offset, receipt) in receipts.sorted(by: { $0.key < $1.key }) {
      let conversation = conversations[receipt.conversation]
      guard case .some = receipt.cover, !conversation.hasPassedSecondLimit,
        !conversation.mayCoverOthers(receipt),
        aheadExplains(differenceIn: receipt.conversation) == nil
      else { continue }
      if receipt.responses != 0 { find(.wrong, "receipts@\(offset) is not answered for the same") }
      if receipt.mustTell, !receipt.hasTold { find(.missing, "any event of receipts@\(offset)") }
    }
  }

  private func explanation(ofMissing event: OracleEvent) -> OracleExplanation? {
    switch event.name {
    case "messageDeleted": explanation(ofDelete: event.source.offset)
    case "threadUpdated": explanation(ofThread: event.subject, at: event.conversation)
    default: explanation(of: event)
    }
  }

  /// Whatever the order was, what the topics say of a message agrees: who says in its status that
  /// something was announced, or that it is deleted, has told so, and the other way round.
  private mutating func checkAgreement(about id: Int64, _ message: OracleMessage, at place: Int) {
    guard order == .any else { return }
    for kind in [ModelReceiptRecord.Kind.delivered, .read]
    where conversations[place].name.guid != nil {
      let isAnnounced = message.announced[kind] > 0
      if isAnnounced == message.saysDone[kind] { continue }
      find(
        .missing,
        isAnnounced
          ? "a status of \(id) that says when it was \(kind.rawValue)"
          : "\(kind.announcement) of \(id), of which its status tells")
    }
    // Where it begins again at once, its last status alone may be there.
    let isToSay = message.expectedStatus?.deletedAt != nil
    if message.saysDeleted != message.isDeleted, message.saysDeleted || isToSay {
      find(.missing, "\(message.isDeleted ? "a status" : "messageDeleted") of the delete of \(id)")
    }
  }

  /// Each event of a delete has its action.
  private mutating func checkActions(at place: Int) {
    guard order == .any else { return }
    for (id, number) in conversations[place].actionsAhead where number != 0 {
      find(
        number < 0 ? .missing : .wrong,
        "actions of the delete of \(id) are as many as its events")
    }
  }

  private mutating func checkAnnounced(_ id: Int64, _ message: OracleMessage, at place: Int) {
    for kind in [ModelReceiptRecord.Kind.delivered, .read] {
      let times = message.expected[kind]?.times ?? 0
      for _ in min(message.announced[kind], times)..<times {
        let reason = explanation(of: kind, message) ?? aheadExplains(missingIn: place)
        judge(reason, .missing, "\(kind.announcement) of \(id)")
      }
    }
  }
}

extension OracleEvent {
  /// For an order of sentences that is the same in every process.
  fileprivate var place: (Int64, String, Int) { (source.offset, source.topic.rawValue, number) }
}
