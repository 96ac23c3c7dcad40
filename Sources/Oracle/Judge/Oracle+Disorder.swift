/// What the order between topics decides where timestamps are out of order.
extension Oracle {
  /// Notes when something was given up, and how long other things have waited in the end.
  mutating func noteWaits() {
    for given in model.givenUp {
      guard let place = places[given.conversation.name.id] else { continue }
      let found = OracleGivenUp(source: OracleSource(given.source.input), since: given.appliedAt)
      conversations[place].note(found, waitingFor: given.awaited)
      if given.waitsForMembership { conversations[place].note(found, waitingFor: [nil]) }
    }
    for waited in model.waited {
      guard let place = places[waited.conversation] else { continue }
      conversations[place].longestWait = max(conversations[place].longestWait, waited.time)
    }
  }

  /// Notes that a record was applied for which something may have waited that the model has given
  /// up.
  mutating func noteArrival(_ record: ModelRecord, at place: Int) {
    let now = model.now
    switch record.content {
    case .message(let message):
      conversations[place].noteArrival(of: .id(message.id), now)
      if let uid = message.messageUId { conversations[place].noteArrival(of: .uid(uid), now) }
    case .action(let id, _, _): conversations[place].noteArrival(of: .id(id), now)
    case .membership(let membership):
      conversations[place].noteArrival(of: .id(membership.id), now)
      conversations[place].noteArrival(of: nil, now)
    case .fault, .edit, .receipt, .delete: break
    }
  }

  /// Why something may be otherwise in a conversation.
  func disorderExplains(differenceIn place: Int) -> OracleExplanation? {
    guard order == .any, disorder.reach > 0 else { return nil }
    let conversation = conversations[place]
    if let kept = conversation.closestGivenUp, mayKeep(kept) {
      return isFinishing ? .exception(.disorder) : .perhaps(.disorder, in: place)
    }
    guard mayGiveUpSooner(in: place) else { return nil }
    guard isFinishing else { return .perhaps(.disorder, in: place) }
    return conversation.hasGivenUpSooner ? .exception(.disorder) : nil
  }

  /// Why something may not be rejected that the model has given up.
  func disorderExplains(waitingIn place: Int) -> OracleExplanation? {
    mayStillWait(in: place) ? .exception(.disorder) : disorderExplains(differenceIn: place)
  }

  /// Whether the state may say something else of a conversation, once all outputs are looked at.
  func mayDifferByDisorder(at place: Int) -> Bool {
    let conversation = conversations[place]
    return conversation.hasGivenUpSooner || conversation.closestGivenUp.map { mayKeep($0) } ?? false
      || mayStillWait(in: place)
  }

  /// Whether something may still wait in the end that the model has given up.
  private func mayStillWait(in place: Int) -> Bool {
    guard order == .any, var last = conversations[place].lastGivenUp else { return false }
    last.until = model.now
    return mayKeep(last)
  }

  /// Why something may be given up that the model applies.
  mutating func disorderExplains(
    givenUp source: OracleSource, _ found: OracleRejection.Found, at time: Int64?
  ) -> OracleExplanation? {
    guard order == .any, Self.givenUpCodes.contains(found.code), let place = place(of: source),
      mayGiveUpSooner(in: place), !isEarly(found.record.timestamp, at: time)
    else { return nil }
    conversations[place].hasGivenUpSooner = true
    return .exception(.disorder)
  }

  /// Whether a worker may have kept something until the next record came.
  private func mayKeep(_ found: OracleGivenUp) -> Bool {
    guard let until = found.until else { return false }
    let grace = Int128(model.rules.grace)
    var latest = Int128(found.since) + Int128(disorder.reach)
    // By then it was applied, as outputs tell.
    if isFinishing, let time = clocks.latest(found.source) { latest = min(latest, Int128(time)) }
    return Int128(until) < latest + grace
  }

  /// Whether what the model applies, after it has waited or at once, may have waited for longer.
  private func mayGiveUpSooner(in place: Int) -> Bool {
    disorder.reach >= model.rules.grace - conversations[place].longestWait
  }

  /// The place of the conversation of a good receipt or delete.
  func place(of source: OracleSource) -> Int? {
    source.topic == .receipts
      ? receipts[source.offset]?.conversation : deletes[source.offset]?.conversation
  }
}
