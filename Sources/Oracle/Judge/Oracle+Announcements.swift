/// What was announced.
extension Oracle {
  /// - Parameter record: where the announcement lies, in words.
  mutating func checkAnnouncement(
    _ value: JSON, _ kind: ModelReceiptRecord.Kind, at place: Int, _ record: String
  ) {
    guard let announcement = OracleAnnouncement(value, kind, in: conversations[place]) else {
      find(.wrong, "the \(kind.announcement) at \(record) is not of its form")
      // What it names is announced all the same.
      if case .array(let ids)? = value["receipt"]?["messageIds"] {
        for id in ids.compactMap(\.whole) { _ = note(id, kind, at: place, record) }
      }
      return
    }
    var isSound = true
    for id in announcement.ids {
      isSound = note(id, kind, at: place, record) && isSound
      isSound = check(id, of: announcement, at: place, record) && isSound
    }
    if let receipt = announcements[OracleDigest(value)] {
      if let receipt, events[receipt]?.hasCome == false { events[receipt]?.isAwaited = true }
    } else if order == .merged, isSound {
      find(.wrong, "the \(kind.announcement) at \(record) has not all ids completed there")
    }
  }

  /// Notes that a message is announced. Gives false if that is a fault, whoever is told.
  private mutating func note(
    _ id: Int64, _ kind: ModelReceiptRecord.Kind, at place: Int, _ record: String
  ) -> Bool {
    let what = "\(kind.announcement) of \(id) at \(record)"
    guard var message = conversations[place].messages[id] else {
      find(.wrong, "\(what), which is no message")
      return false
    }
    if message.announced[kind] >= max(1, message.expected[kind]?.times ?? 1) {
      find(.doubled, what)
      return false
    }
    verdict.count(.announced)
    message.announced[kind] += 1
    conversations[place].messages[id] = message
    if kind == .read, message.announced.delivered < message.announced.read {
      find(.disordered, "\(what) comes before its delivery")
      return false
    }
    // Whatever order the topics were applied in, once the delete is told nothing follows.
    if message.isDeleted, !message.isReborn {
      find(.disordered, "\(what) comes after its delete")
      return false
    }
    return true
  }

  /// Holds an announcement of one message against the model's. Gives false if it is a fault.
  private mutating func check(
    _ id: Int64, of announcement: OracleAnnouncement, at place: Int, _ record: String
  ) -> Bool {
    guard let message = conversations[place].messages[id] else { return false }
    let kind = announcement.kind
    let what = "\(kind.announcement) of \(id) at \(record)"
    if message.sender != announcement.sender {
      find(.wrong, "\(what) is not for its sender")
      return false
    }
    guard let expected = message.expected[kind] else {
      let reason = explanation(of: kind, message) ?? aheadExplains(strangerIn: place, of: message)
      return judge(reason, .wrong, "\(what), which is not complete")
    }
    noteWait(kind, message, at: place)
    if message.isReborn { return true }
    if expected.cause == announcement.cause, expected.time == announcement.time { return true }
    let isPossible = order == .any && isPossible(announcement, message, at: place)
    return judge(isPossible ? .reordered : nil, .wrong, "\(what) has another cause or time")
  }

  /// An announcement must not stand before the receipt that completes its message.
  private mutating func noteWait(
    _ kind: ModelReceiptRecord.Kind, _ message: OracleMessage, at place: Int
  ) {
    guard let fate = message.fate, !fate.passedSecondLimit, let offset = fate.lastNeeded[kind],
      let receipt = receipts[offset], !receipt.hasTold
    else { return }
    let isCertain = order == .merged || !conversations[place].isUnsettled(receipt, for: kind)
    if receipt.awaited != .certainly {
      receipts[offset]?.awaited = isCertain ? .certainly : .perhaps
    }
  }

  /// Whether there is a record of this kind and time that may have completed a message.
  private func isPossible(
    _ announcement: OracleAnnouncement, _ message: OracleMessage, at place: Int
  ) -> Bool {
    if announcement.cause == .message { return announcement.time == message.sentAt }
    return conversations[place].hasTime(announcement.time, of: announcement.cause)
  }
}
