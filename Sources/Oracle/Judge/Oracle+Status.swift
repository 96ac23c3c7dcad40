/// The statuses of `chat.status`.
extension Oracle {
  mutating func checkStatus(_ output: OracleRecord) {
    guard let value = JSON.parsed(output.value), let status = OracleStatus(value),
      let name = value["conversationId"]?.text, let id = value["messageId"]?.whole,
      output.key.map({ Bytes($0) }) == name + Bytes("#\(id)")
    else { return find(.wrong, "\(output.place) is no status") }
    guard let place = places[name] else {
      return find(.wrong, "\(output.place), of \(id), which is no message")
    }
    guard let message = conversations[place].messages[id], message.expectedStatus != nil else {
      let isPossible = status.tracking == .ended(.deleted) && status.counts == OracleStatus.noCounts
      let reason = isPossible ? explanation(ofOriginal: id, at: place) : nil
      judge(reason, .wrong, "\(output.place), of \(id), which is no message")
      return
    }
    if !status.isConsistent || !isPossible(status, after: message) {
      find(.badCounts, "\(output.place), of \(id), has counts that cannot be")
    }
    if order == .merged, status != message.nextExpectedStatus {
      find(.wrong, "\(output.place), of \(id), is not what comes next")
    }
    note(status, of: id, at: place)
    if status.tracking == .ended(.expired) {
      let at = output.timestamp ?? .min
      conversations[place].firstExpiry = min(conversations[place].firstExpiry ?? at, at)
    } else if message.status == nil, let offset = message.offset, status.deletedAt == nil {
      clocks.note(OracleSource(topic: .messages, offset: offset), at: output.timestamp)
    }
  }

  private mutating func note(_ status: OracleStatus, of id: Int64, at place: Int) {
    guard var message = conversations[place].messages[id] else { return }
    if let last = message.status, status.counts.isBehind(last.counts) { message.falls += 1 }
    for kind in [ModelReceiptRecord.Kind.delivered, .read] where status.doneAt[kind] != nil {
      message.saysDone[kind] = true
    }
    if status.deletedAt != nil { message.saysDeleted = true }
    message.foundStatuses += 1
    message.status = status
    conversations[place].messages[id] = message
  }

  /// Whether a status may come next: what was done stays done, unless the message was forgotten and
  /// has begun again. That it expired may be told by the same record, and so not at all.
  private func isPossible(_ status: OracleStatus, after message: OracleMessage) -> Bool {
    guard let last = message.status, status.counts.isBehind(last.counts) else { return true }
    return message.falls < message.beginnings
  }

  /// Holds the last status of a message against the model's.
  mutating func checkLastStatus(of id: Int64, _ message: OracleMessage, at place: Int) {
    guard var expected = message.expectedStatus else { return }
    // The model lets nothing expire of which nobody knows when it was applied.
    if order == .any, expected.tracking == .on, mustHaveExpired(message), let fate = message.fate {
      expected.tracking = .ended(.expired)
      expected.counts = fate.counts
    }
    let what = "the status of \(id)"
    guard let found = message.status else {
      judge(explanation(ofMissingStatusOf: id, message, at: place), .missing, what)
      return
    }
    if found == expected { return }
    if let reason = aheadExplains(differenceIn: place, of: message) {
      judge(reason, .wrong, what)
      return
    }
    if found.identity != expected.identity { find(.wrong, "\(what) has another message") }
    checkTracking(found, expected, of: id, message, what, at: place)
    checkTimes(found, expected, message, what, at: place)
    if found.replies != expected.replies {
      judge(explanation(ofThread: id, at: place), .badCounts, "\(what) has another replyCount")
    }
    if found.counts != expected.counts {
      judge(
        explanation(of: found, expected, message, at: place), .badCounts, "\(what) has other counts"
      )
    }
  }

  private mutating func checkTracking(
    _ found: OracleStatus, _ expected: OracleStatus, of id: Int64, _ message: OracleMessage,
    _ what: String, at place: Int
  ) {
    if found.deletedBy == expected.deletedBy, found.deletedAt == expected.deletedAt,
      found.tracking == expected.tracking
    {
      return
    }
    var explanation: OracleExplanation?
    if order == .any, let fate = message.fate, fate.hasScopedDelete {
      explanation = .exception(.deleteAgainstScopes)
    }
    if message.hasNeverCome { explanation = self.explanation(ofOriginal: id, at: place) }
    if found.deletedBy == expected.deletedBy, found.deletedAt == expected.deletedAt {
      explanation = explanation ?? self.explanation(ofEnd: found, expected, message, at: place)
    }
    judge(explanation, .wrong, "\(what) is tracked or deleted otherwise")
  }

  private mutating func checkTimes(
    _ found: OracleStatus, _ expected: OracleStatus, _ message: OracleMessage, _ what: String,
    at place: Int
  ) {
    for kind in [ModelReceiptRecord.Kind.delivered, .read]
    where found.doneAt[kind] != expected.doneAt[kind] {
      var explanation: OracleExplanation?
      if let time = found.doneAt[kind], expected.doneAt[kind] != nil {
        let isPossible = time == message.sentAt || conversations[place].hasTime(time)
        if order == .any, isPossible { explanation = .reordered }
      } else {
        explanation = exception(message)
      }
      judge(explanation, .wrong, "\(what) says otherwise when it was \(kind.rawValue)")
    }
  }

  /// Why a message that never came may be deleted or not.
  private func explanation(ofOriginal id: Int64, at place: Int) -> OracleExplanation? {
    guard order == .any else { return nil }
    if conversations[place].waitingOriginals.contains(id) { return .reordered }
    if conversations[place].isScoped(id) { return .exception(.deleteAgainstScopes) }
    return aheadExplains(differenceIn: place)
  }

  private func explanation(
    ofMissingStatusOf id: Int64, _ message: OracleMessage, at place: Int
  ) -> OracleExplanation? {
    message.hasNeverCome ? explanation(ofOriginal: id, at: place) : nil
  }

  /// Why a message has expired for a worker and not for the model, or the other way round: when
  /// it was applied, nobody has written down.
  private func explanation(
    ofEnd found: OracleStatus, _ expected: OracleStatus, _ message: OracleMessage, at place: Int
  ) -> OracleExplanation? {
    guard order == .any, !mustHaveExpired(message) else { return nil }
    let isTimeless = conversations[place].isTimeless
    switch (found.tracking, expected.tracking) {
    case (.ended(.expired), .on) where isTimeless: return .exception(.noTimestamp)
    case (.ended(.expired), .on), (.on, .ended(.expired)):
      return ahead.since == nil ? nil : .exception(.timestampAhead)
    default: return nil
    }
  }

  /// Whether, however late a message was applied, its window has passed.
  private func mustHaveExpired(_ message: OracleMessage) -> Bool {
    guard let offset = message.offset, message.beginnings == 0,
      let appliedAt = clocks.latest(OracleSource(topic: .messages, offset: offset))
    else { return false }
    return Int128(appliedAt) + Int128(model.rules.trackingWindow) <= Int128(model.now)
  }

  /// The contract's exception that lets the order decide who has had a message.
  private func exception(_ message: OracleMessage) -> OracleExplanation? {
    guard order == .any, let fate = message.fate else { return nil }
    if fate.passedSecondLimit { return .exception(.secondLimit) }
    return fate.hasDelete ? .exception(.deleteAgainstReceipts) : nil
  }

  /// Why the last counts are not the model's: a status is not written for every receipt, so that
  /// it depends on the order what was counted in the last one. Not so if nothing is counted any
  /// more.
  private func explanation(
    of found: OracleStatus, _ expected: OracleStatus, _ message: OracleMessage, at place: Int
  ) -> OracleExplanation? {
    guard order == .any, let fate = message.fate else { return nil }
    if let exception = exception(message) { return exception }
    let end = explanation(ofEnd: found, expected, message, at: place)
    guard found.tracking == .on && expected.tracking == .on || end != nil,
      found.counts.delivered <= fate.done.delivered, found.counts.read <= fate.done.read
    else { return nil }
    // Who has said that it has expired has counted all.
    if found.tracking != .on,
      found.counts.delivered < fate.done.delivered || found.counts.read < fate.done.read
    {
      return nil
    }
    let all = Int64(fate.audienceSize)
    let isWhole = found.counts.total == all && found.counts.received == all
    return isWhole || fate.hasLeavers ? .reordered : nil
  }
}

extension OracleMessage {
  /// The one that comes next, where the order is known.
  fileprivate var nextExpectedStatus: OracleStatus? {
    expectedStatuses.indices.contains(foundStatuses) ? expectedStatuses[foundStatuses] : nil
  }
}

extension OracleStatus {
  /// Whether the counts agree with each other.
  fileprivate var isConsistent: Bool {
    let numbers = [counts.delivered, counts.undelivered, counts.read, counts.unread]
    return numbers.allSatisfy { $0 >= 0 }
      && counts.total == counts.read + counts.unread
      && counts.received >= counts.total && counts.delivered >= counts.read
      && (doneAt.delivered == nil || counts.undelivered == 0)
      && (doneAt.read == nil || counts.unread == 0)
  }
}

extension OracleStatus.Counts {
  /// Whether less was done than by others.
  fileprivate func isBehind(_ other: Self) -> Bool {
    delivered < other.delivered || read < other.read
  }
}
