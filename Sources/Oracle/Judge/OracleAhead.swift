/// What is uncertain where records are ahead of every clock: a worker moves stream time on with
/// them as far as its own clock, which nobody has written down.
struct OracleAhead {
  /// When the first thing falls due of those that were there when such a record came, and the last
  /// such record: as soon as a worker's stream time was moved on to there, it was given up or had
  /// ended.
  struct Due {
    var at: Int128
    var source: OracleSource
  }

  /// Since when, in the model's stream time; nil where there is no such record.
  private(set) var since: Int64?
  /// By conversation.
  private(set) var dues: [Bytes: Due] = [:]
  /// The conversations of which that may be so.
  private(set) var endedEarly: Set<Bytes> = []
  /// Those in which the model has given something up that came after such a record: for a worker it
  /// had not waited as long.
  private(set) var keptLonger: Set<Bytes> = []

  mutating func begin(at time: Int64) { since = since ?? time }

  mutating func note(_ conversation: Bytes, due: Int128, _ source: OracleSource) {
    dues[conversation] = Due(at: min(dues[conversation]?.at ?? due, due), source: source)
  }

  mutating func noteGivenUp(in conversation: Bytes, appliedAt: Int64) -> Bool {
    guard let since, appliedAt >= since else { return false }
    keptLonger.insert(conversation)
    return true
  }

  /// No worker's stream time has passed this one.
  mutating func settle(at time: Int64) {
    for (conversation, due) in dues where due.at <= Int128(time) { endedEarly.insert(conversation) }
  }
}

extension Oracle {
  /// Notes what a record that is ahead of every clock may have ended.
  mutating func noteAhead(_ input: ModelInput, upTo clock: Int64) {
    ahead.begin(at: model.now)
    let source = OracleSource(input)
    model.forEachDue(by: clock) { conversation, due in ahead.note(conversation, due: due, source) }
  }

  mutating func settleAhead(at streamTime: Int64) { ahead.settle(at: streamTime) }

  /// Notes that the model has given something up that a worker may have kept.
  mutating func noteGivenUp() {
    for given in model.givenUp {
      let name = given.conversation.name.id
      guard ahead.noteGivenUp(in: name, appliedAt: given.appliedAt), let place = places[name]
      else { continue }
      conversations[place].hasGivenUp = true
    }
  }

  /// Notes that a record of a conversation was applied: to what the model has given up, or has had
  /// expire, before that it may have added something.
  mutating func noteApplied(_ record: ModelRecord) {
    guard let name = record.content.conversation, let place = places[name.id] else { return }
    noteArrival(record, at: place)
    conversations[place].lastInputs[record.input.topic] = record.input.offset
    if conversations[place].hasGivenUp { conversations[place].outlivesGivenUp = true }
    if conversations[place].hasExpired { conversations[place].outlivesExpired = true }
  }

  /// When the last record of a conversation was applied at the latest; nil where nothing tells.
  func lastApplied(in place: Int) -> Int64? {
    var last = Int64.min
    for (topic, offset) in conversations[place].lastInputs {
      guard let time = clocks.latest(OracleSource(topic: topic, offset: offset)) else { return nil }
      last = max(last, time)
    }
    return last
  }

  /// Why something may be missing that the model has.
  func aheadExplains(missingIn place: Int) -> OracleExplanation? {
    if let reason = timelessExplains(differenceIn: place) ?? disorderExplains(differenceIn: place) {
      return reason
    }
    let name = conversations[place].id
    guard order == .any, ahead.endedEarly.contains(name), let due = ahead.dues[name] else {
      return nil
    }
    guard isFinishing else { return .perhaps(.timestampAhead, in: place) }
    // It had not ended before such a record came, nor does it matter after the last one has come.
    let bounds = [clocks.latest(due.source), lastApplied(in: place)]
    return bounds.allSatisfy { $0.map { due.at <= Int128($0) } ?? true }
      ? .exception(.timestampAhead) : nil
  }

  /// Why something may be there that the model does not have.
  func aheadExplains(strangerIn place: Int, of message: OracleMessage? = nil)
    -> OracleExplanation?
  {
    if let reason = disorderExplains(differenceIn: place) { return reason }
    guard order == .any, ahead.since != nil else { return nil }
    let conversation = conversations[place]
    let isOutlived = conversation.outlivesExpired && message?.fate?.hasExpired ?? false
    return conversation.outlivesGivenUp || isOutlived ? .exception(.timestampAhead) : nil
  }

  /// Why something may be otherwise.
  func aheadExplains(differenceIn place: Int, of message: OracleMessage? = nil)
    -> OracleExplanation?
  {
    aheadExplains(strangerIn: place, of: message) ?? aheadExplains(missingIn: place)
  }

  /// Why something may not be rejected that the model has given up in the end: for a worker it may
  /// not have waited as long.
  func aheadExplains(waiting source: OracleSource) -> OracleExplanation? {
    if let place = place(of: source), let reason = disorderExplains(waitingIn: place) {
      return reason
    }
    guard order == .any, ahead.since != nil, source.topic != .messages,
      let rejection = rejections[source],
      ["ERR_MESSAGE_NOT_FOUND", "ERR_UID_NOT_FOUND"].contains(rejection.code)
    else { return nil }
    let isOver = clocks.latest(source).map {
      Int128($0) + Int128(model.rules.grace) <= Int128(model.now)
    }
    return isOver ?? false ? nil : .exception(.timestampAhead)
  }
}
