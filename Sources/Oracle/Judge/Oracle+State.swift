/// What a state may say otherwise, where the contract lets the order between the topics decide.
extension Oracle {
  /// Why a worker's state may say something else of a conversation; to be asked after `tick`.
  ///
  /// - Parameters:
  ///   - message: the message of which it is said, if it is one's.
  ///   - thread: the parent of whose replies it is the number.
  package func exception(
    in conversation: [UInt8], message: Int64?, thread: Int64?
  ) -> OracleVerdict.Exception? {
    guard order == .any, let place = places[Bytes(conversation)] else { return nil }
    let found = conversations[place]
    if ahead.endedEarly.contains(found.id) || ahead.keptLonger.contains(found.id) {
      return .timestampAhead
    }
    if ahead.since != nil, let message, found.messages[message]?.fate?.hasExpired ?? false {
      return .timestampAhead
    }
    if found.isTimeless { return .noTimestamp }
    if found.hasPassedSecondLimit { return .secondLimit }
    if let message, found.deletes.contains(message) {
      return found.isScoped(message) ? .deleteAgainstScopes : .deleteAgainstReceipts
    }
    guard let thread, found.threads[thread]?.isExcepted ?? false else { return nil }
    return .deleteAgainstScopes
  }
}
