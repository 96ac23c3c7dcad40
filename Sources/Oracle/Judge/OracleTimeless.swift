/// What is uncertain where records have no timestamp: each is as new as the newest, so that it
/// moves no stream time and is merged before all that have one; when it was applied, nobody has
/// written down.
///
/// The model gives nothing of them up and lets nothing of theirs expire. A worker may have had to:
/// then it has said so, and only in such a conversation, and only if something came after that,
/// something may be missing for it.
extension Oracle {
  /// Notes a record if it has no timestamp.
  mutating func noteTimeless(_ input: ModelInput) {
    if order == .any, input.timestamp == nil { timeless.insert(OracleSource(input)) }
  }

  /// Notes the conversation of one.
  mutating func noteTimeless(_ record: ModelRecord, at place: Int) {
    conversations[place].isTimeless = true
    switch record.content {
    case .receipt(let receipt) where receipt.at == nil: conversations[place].isUndated = true
    case .delete(let delete) where delete.at == nil: conversations[place].isUndated = true
    default: break
    }
  }

  /// Whether a record has no timestamp: any may count for it.
  func isTimeless(_ source: OracleSource) -> Bool { timeless.contains(source) }

  /// Why something may be otherwise in a conversation.
  func timelessExplains(differenceIn place: Int) -> OracleExplanation? {
    let conversation = conversations[place]
    if conversation.isUndated { return .exception(.noTimestamp) }
    guard conversation.isTimeless else { return nil }
    guard isFinishing else { return .perhaps(.noTimestamp, in: place) }
    return hasEndedSooner(in: place) ? .exception(.noTimestamp) : nil
  }

  /// Whether something was given up, or has expired, sooner than the model has it, and something
  /// that may have hung on it came after that.
  private func hasEndedSooner(in place: Int) -> Bool {
    let conversation = conversations[place]
    if conversation.hasGivenUpSooner { return true }
    guard let expired = conversation.firstExpiry else { return false }
    return lastApplied(in: place).map { $0 >= expired } ?? true
  }

  /// Whether a receipt without a timestamp was given up before its grace was over, whatever the
  /// order was: its rejection names the stream time from which it waited, and a worker's stream
  /// time never passes its clock.
  func isEarly(_ found: OracleRejection.Found, _ source: OracleSource, at time: Int64?) -> Bool {
    // Where more wait than may, the oldest is given up at once.
    let bound = min(model.rules.maxWaitingPerConversation, model.rules.maxWaitingPerPartition)
    guard let time, source.topic == .receipts, isTimeless(source), share.of == 1,
      receipts.count + deletes.count <= bound, Self.givenUpCodes.contains(found.code)
    else { return false }
    let (waited, isFar) = time.subtractingReportingOverflow(found.record.timestamp)
    let grace = model.rules.grace
    return !isFar && waited < grace - min(Self.clockSkew, grace / 2)
  }

  /// How far the clocks that write timestamps may be apart, in milliseconds.
  private static let clockSkew: Int64 = 1000

  /// With what a record is rejected that has waited in vain.
  private static let givenUpCodes: Set<String> = ["ERR_MESSAGE_NOT_FOUND", "ERR_UID_NOT_FOUND"]

  /// Why something may be given up that the model applies: then what it would have done is missing.
  mutating func timelessExplains(
    givenUp source: OracleSource, _ code: String
  ) -> OracleExplanation? {
    let place =
      source.topic == .receipts
      ? receipts[source.offset]?.conversation : deletes[source.offset]?.conversation
    guard let place, conversations[place].isTimeless, Self.givenUpCodes.contains(code)
    else { return nil }
    conversations[place].hasGivenUpSooner = true
    return .exception(.noTimestamp)
  }
}
