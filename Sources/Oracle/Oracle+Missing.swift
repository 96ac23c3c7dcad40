/// What should have come and has not, and what was said last.
extension Oracle {
  mutating func checkWhatIsMissing() {
    for event in inOrder(events.values.filter { !$0.hasCome }) {
      guard order == .any, isUnsettled(event) else {
        verdict.find(.missing, event.description)
        continue
      }
      verdict.count(.reordered)
    }
    for left in actions.values where left > 0 {
      verdict.find(.missing, "\(left) actions of one delete")
    }
    for (source, rejection) in rejections where !rejection.hasCome {
      judge(source, "is not rejected with \(rejection.code)")
    }
    for conversation in conversations {
      for (id, message) in conversation.messages { check(id, message, in: conversation) }
      for (parent, thread) in conversation.threads where thread.expected != thread.found {
        checkThread(parent, thread)
      }
    }
  }

  private func inOrder(_ events: [OracleEvent]) -> [OracleEvent] {
    events.sorted { ($0.source.offset, $0.number) < ($1.source.offset, $1.number) }
  }

  private mutating func check(
    _ id: Int64, _ message: OracleMessage, in conversation: OracleConversation
  ) {
    for kind in OracleAnnouncement.Kind.allCases
    where message.expected[kind] != nil && !message.announced[kind] {
      verdict.find(.missing, "\(kind.word) of \(id)")
    }
    guard let expected = message.expectedStatus else { return }
    guard let found = message.status else {
      return verdict.find(.missing, "the status of \(id)")
    }
    if found == expected { return }
    checkDifference(found, expected, id, message, in: conversation)
  }

  private mutating func checkDifference(
    _ found: OracleStatus, _ expected: OracleStatus, _ id: Int64, _ message: OracleMessage,
    in conversation: OracleConversation
  ) {
    var like = found
    like.counts = expected.counts
    like.replies = expected.replies
    if like != expected { verdict.find(.wrong, "the status of \(id)") }
    if found.counts != expected.counts || found.replies != expected.replies {
      verdict.find(.badCounts, "the status of \(id)")
    }
  }

  private mutating func checkThread(_ parent: Int64, _ thread: OracleThread) {
    verdict.find(.badCounts, "the last replyCount of \(parent)")
  }

  /// Whether an announcement that the model does not make is one of the contract's exceptions.
  mutating func grant(
    _ id: Int64, _ kind: OracleAnnouncement.Kind, _ message: OracleMessage,
    _ sentence: () -> String
  ) -> Bool {
    verdict.find(.wrong, sentence())
    return false
  }

  /// Notes that an announcement must not stand before the receipt that completes it.
  mutating func noteWait(
    _ id: Int64, _ kind: OracleAnnouncement.Kind, _ message: OracleMessage
  ) {}
}
