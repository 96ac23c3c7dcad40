/// What is uncertain where records have no timestamp: each is as new as the newest, so that it
/// moves no stream time and is merged before all that have one; when it was applied, nobody has
/// written down.
///
/// The model gives nothing of them up and lets nothing of theirs expire. A worker may have had to:
/// then it has said so, and only in such a conversation something may be missing for it.
extension Oracle {
  /// Notes a record if it has no timestamp.
  mutating func noteTimeless(_ input: ModelInput) {
    if order == .any, input.timestamp == nil { timeless.insert(OracleSource(input)) }
  }

  /// Notes the conversation of one.
  mutating func noteTimeless(_ record: ModelRecord, at place: Int) {
    conversations[place].isTimeless = true
    switch record.content {
    case .receipt(let receipt):
      if case .conversation = receipt.covers { conversations[place].isUndated = true }
      if receipt.at == nil { conversations[place].isUndated = true }
    case .delete(let delete) where delete.at == nil: conversations[place].isUndated = true
    default: break
    }
  }

  /// Whether a record has no timestamp: any may count for it.
  func isTimeless(_ source: OracleSource) -> Bool { timeless.contains(source) }

  /// Why something may be otherwise in a conversation.
  func timelessExplains(differenceIn place: Int) -> OracleExplanation? {
    let conversation = conversations[place]
    return conversation.isUndated || conversation.hasEndedSooner
      ? .exception(.noTimestamp) : nil
  }

  /// Why there may be an event that the model does not have: if another receipt is given up, this
  /// one may add something.
  func timelessExplains(stranger event: OracleEvent) -> OracleExplanation? {
    conversations[event.conversation].isTimeless && event.source.topic == .receipts
      ? .exception(.noTimestamp) : nil
  }

  /// Why something may be given up that the model applies: then what it would have done is missing.
  mutating func timelessExplains(
    givenUp source: OracleSource, _ code: String
  ) -> OracleExplanation? {
    let place =
      source.topic == .receipts
      ? receipts[source.offset]?.conversation : deletes[source.offset]?.conversation
    guard let place, conversations[place].isTimeless,
      ["ERR_MESSAGE_NOT_FOUND", "ERR_UID_NOT_FOUND"].contains(code)
    else { return nil }
    conversations[place].hasEndedSooner = true
    return .exception(.noTimestamp)
  }
}
