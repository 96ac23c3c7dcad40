/// An oracle that begins with a state.
extension Oracle {
  /// Begins with a state instead of with nothing, before the first input; what was given out
  /// before is taken to be right.
  ///
  /// - Parameters:
  ///   - streamTime: the partition's stream time, in milliseconds.
  ///   - state: hands out the pieces: all conversations, then what waits in the order in which it
  ///     began to.
  package mutating func begin(
    at streamTime: Int64?, with state: (_ take: (OracleStart) -> Void) -> Void
  ) {
    guard let streamTime else { return }
    _ = model.tick(to: streamTime)
    var beginning = Model.Beginning()
    var isBegun = false
    func begun() {
      if !isBegun { model.begun(beginning) }
      isBegun = true
    }
    state { piece in
      switch piece {
      case .conversation(let conversation):
        guard share.holds(conversation.id),
          let found = model.begin(conversation, &beginning)
        else { return }
        note(found)
      case .waiting(let waiting, let appliedAt, let missing, let events):
        begun()
        guard share.holds(waiting.key ?? []),
          let record = model.begin(waiting, appliedAt, missing: missing, events: events)
        else { return }
        note(record)
      }
    }
    begun()
  }

  /// Takes what is known of a conversation for what has come out of it.
  private mutating func note(_ conversation: ModelConversation) {
    let place = place(of: conversation.name)
    conversations[place].begin(
      highestId: conversation.known.all.last?.id ?? 0, isRostered: conversation.roster != .unknown)
    conversations[place].hasPassedSecondLimit = conversation.pastLimit.wasPassed
    for (parent, thread) in conversation.threads {
      conversations[place].threads[parent] = OracleThread(
        expected: Int64(thread.count), found: Int64(thread.count))
    }
    for known in conversation.known.all {
      guard let message = known.message, let status = conversation.status(of: known.id) else {
        continue
      }
      conversations[place].messages[known.id] = OracleMessage(message, status)
    }
  }
}

extension OracleMessage {
  /// A message that was announced as far as the state says.
  fileprivate init(_ message: ModelMessage, _ status: ModelStatus) {
    sender = OracleDigest(message.sender)
    sentAt = message.sentAt
    isDeleted = message.deletion != nil
    expectedStatus = OracleStatus(status)
    self.status = expectedStatus
    saysDeleted = isDeleted
    for kind in [ModelReceiptRecord.Kind.delivered, .read] {
      guard let at = message.doneAt[kind] else { continue }
      expected[kind] = Expected(cause: .receipt, time: at)
      announced[kind] = 1
      saysDone[kind] = true
    }
  }
}
