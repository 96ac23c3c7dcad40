/// What explains that something is not as the model has it.
enum OracleExplanation {
  /// The order between the topics.
  case reordered
  /// What the contract lets that order decide.
  case exception(OracleVerdict.Exception)
  /// Such an exception, if it turns out that a worker had to end something in a conversation.
  case perhaps(OracleVerdict.Exception, in: Int)
}

/// A difference that may turn out to be a fault.
struct OracleDeferred {
  var exception: OracleVerdict.Exception
  /// The place of its conversation.
  var place: Int
  var fault: OracleVerdict.Counter
  var sentence: String
}

extension Oracle {
  /// Counts what explains a difference, or else a fault, and then gives false.
  @discardableResult
  mutating func judge(
    _ explanation: OracleExplanation?, _ fault: OracleVerdict.Counter,
    _ sentence: @autoclosure () -> String
  ) -> Bool {
    switch explanation {
    case nil: find(fault, sentence())
    case .reordered: verdict.count(.reordered)
    case .exception(let exception): verdict.use(exception)
    case .perhaps(let exception, let place):
      deferred.append(
        OracleDeferred(exception: exception, place: place, fault: fault, sentence: sentence()))
    }
    return explanation != nil
  }

  /// Decides, now that all outputs have come, about what was put off.
  mutating func judgeDeferred() {
    for difference in deferred {
      judge(aheadExplains(differenceIn: difference.place), difference.fault, difference.sentence)
    }
    deferred.removeAll()
  }

  /// Counts a fault.
  mutating func find(_ fault: OracleVerdict.Counter, _ sentence: @autoclosure () -> String) {
    verdict.find(fault, "\(sentence()), in partition \(partition)")
  }

  /// Why an announcement that the model makes may be missing, or one that it does not make be
  /// there.
  func explanation(
    of kind: ModelReceiptRecord.Kind, _ message: OracleMessage
  ) -> OracleExplanation? {
    guard order == .any, let fate = message.fate else { return nil }
    if fate.passedSecondLimit { return .exception(.secondLimit) }
    return fate.hasDelete && fate.isPossible[kind] ? .exception(.deleteAgainstReceipts) : nil
  }

  /// Why a receipt's event may be missing, or be there besides.
  func explanation(of event: OracleEvent) -> OracleExplanation? {
    guard order == .any, let receipt = receipts[event.source.offset] else { return nil }
    let conversation = conversations[receipt.conversation]
    if conversation.hasPassedSecondLimit { return .exception(.secondLimit) }
    if event.name == "unreadChanged",
      conversation.readers[receipt.sender]?.hasUnsettledCursor ?? false
    {
      return .reordered
    }
    if conversation.isUnsettled(receipt) { return .reordered }
    return aheadExplains(differenceIn: receipt.conversation)
  }

  /// Why what a delete causes may be missing, or be there besides.
  func explanation(ofDelete offset: Int64) -> OracleExplanation? {
    guard order == .any, let delete = deletes[offset] else { return nil }
    if stillWaiting.contains(OracleSource(topic: .deletes, offset: offset)) { return .reordered }
    let conversation = conversations[delete.conversation]
    // One that still waits for the model may have been decided first.
    if conversation.waitingOriginals.contains(delete.messageId) { return .reordered }
    let isScoped = conversation.isScoped(delete.messageId)
    if isScoped { return .exception(.deleteAgainstScopes) }
    return aheadExplains(differenceIn: delete.conversation)
  }

  /// Why a reply may be counted, or not.
  func explanation(ofThread parent: Int64, at place: Int) -> OracleExplanation? {
    guard order == .any else { return nil }
    let isExcepted = conversations[place].threads[parent]?.isExcepted ?? false
    return isExcepted ? .exception(.deleteAgainstScopes) : nil
  }

  /// Why a record may be rejected that the model does not reject, or not be, or be otherwise.
  func explanation(ofRejected source: OracleSource) -> OracleExplanation? {
    guard order == .any else { return nil }
    if stillWaiting.contains(source) { return .reordered }
    switch source.topic {
    case .messages: return nil
    case .deletes: return explanation(ofDelete: source.offset)
    case .receipts:
      guard let receipt = receipts[source.offset] else { return nil }
      let conversation = conversations[receipt.conversation]
      if conversation.hasPassedSecondLimit { return .exception(.secondLimit) }
      // While nobody knows who is in a group, no uid is unknown.
      if conversation.mayPrecedeRoster(receipt) { return .reordered }
      return aheadExplains(differenceIn: receipt.conversation)
    }
  }
}

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
    if mayDifferByDisorder(at: place) { return .disorder }
    if found.hasPassedSecondLimit { return .secondLimit }
    if let message, found.deletes.contains(message) {
      return found.isScoped(message) ? .deleteAgainstScopes : .deleteAgainstReceipts
    }
    guard let thread, found.threads[thread]?.isExcepted ?? false else { return nil }
    return .deleteAgainstScopes
  }
}
