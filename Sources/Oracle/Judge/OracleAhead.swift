/// What is uncertain where records are ahead of every clock: a worker moves stream time on with
/// them as far as its own clock, which nobody has written down.
struct OracleAhead {
  /// Since when, in the model's stream time; nil where there is no such record.
  private(set) var since: Int64?
  /// When something falls due that was there when such a record came, by conversation: as soon as a
  /// worker's stream time was moved on to there, it was given up or had ended.
  private var dues: [Bytes: Int128] = [:]
  /// The conversations of which that is so.
  private(set) var endedEarly: Set<Bytes> = []
  /// Those in which the model has given something up that came after such a record: for a worker it
  /// had not waited as long.
  private(set) var keptLonger: Set<Bytes> = []

  mutating func begin(at time: Int64) { since = since ?? time }

  mutating func note(_ conversation: Bytes, due: Int128) {
    dues[conversation] = min(dues[conversation] ?? due, due)
  }

  mutating func noteGivenUp(in conversation: Bytes, appliedAt: Int64) {
    if let since, appliedAt >= since { keptLonger.insert(conversation) }
  }

  /// No worker's stream time has passed this one.
  mutating func settle(at time: Int64) {
    for (conversation, due) in dues where due <= Int128(time) { endedEarly.insert(conversation) }
  }
}

extension Oracle {
  /// Notes what a record that is ahead of every clock may have ended.
  mutating func noteAhead(upTo clock: Int64) {
    ahead.begin(at: model.now)
    model.forEachDue(by: clock) { conversation, due in ahead.note(conversation, due: due) }
  }

  mutating func settleAhead(at streamTime: Int64) { ahead.settle(at: streamTime) }

  /// Why something may be missing that the model has.
  func aheadExplains(missingIn place: Int) -> OracleExplanation? {
    if let reason = timelessExplains(differenceIn: place) { return reason }
    guard order == .any, ahead.endedEarly.contains(conversations[place].id) else { return nil }
    return .exception(.timestampAhead)
  }

  /// Why something may be there that the model does not have.
  func aheadExplains(strangerIn place: Int, of message: OracleMessage? = nil)
    -> OracleExplanation?
  {
    guard order == .any, ahead.since != nil else { return nil }
    let isKept = ahead.keptLonger.contains(conversations[place].id)
    return isKept || message?.fate?.hasExpired ?? false ? .exception(.timestampAhead) : nil
  }

  /// Why something may be otherwise.
  func aheadExplains(differenceIn place: Int, of message: OracleMessage? = nil)
    -> OracleExplanation?
  {
    aheadExplains(missingIn: place) ?? aheadExplains(strangerIn: place, of: message)
  }
}
