/// Says of one member's receipt what it adds to each message.
struct ReceiptCounter {
  /// The member, as it was before the receipt.
  var member: MemberInThread
  let kind: ReceiptKind
  /// The time of the receipt.
  let at: Instant
  /// Why it does not count for some messages.
  var passedOver: PassedOver = []

  /// What the receipt adds to the counts of a message that is tracked; nil where the member has
  /// covered it before, or need not.
  mutating func step(_ message: MessageFacts, marks: Timeline.Marks?) -> Counts? {
    guard message.sender != member.slot else {
      passedOver.insert(.own)
      return nil
    }
    let standing = member.standing(of: message, marks: marks)
    guard kind == .read ? !standing.hasRead : !standing.hasReceived else { return nil }
    guard standing.isInAudience else {
      passedOver.insert(.outside)
      return nil
    }
    let pending: Int32 = standing.role == .waitedFor ? -1 : 0
    var step = Counts()
    if !standing.hasReceived {
      step.delivered = 1
      step.pendingDelivered = pending
    }
    if kind == .read {
      step.read = 1
      step.pendingRead = pending
    }
    return step
  }
}

/// Why a receipt does not count for some of the messages that it covers.
struct PassedOver: OptionSet {
  let rawValue: UInt8
  static let untracked = PassedOver(rawValue: 1)
  static let own = PassedOver(rawValue: 2)
  static let outside = PassedOver(rawValue: 4)
}

extension Tally {
  /// Counts a receipt that added nothing, by the first reason that holds.
  mutating func add(_ passedOver: PassedOver) {
    if passedOver.contains(.own) {
      own += 1
    } else if passedOver.contains(.outside) {
      notInAudience += 1
    } else if passedOver.contains(.untracked) {
      notTracked += 1
    } else {
      covered += 1
    }
  }
}
