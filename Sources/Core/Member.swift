/// What is known of one uid in a conversation, without its name.
struct Member {
  var scope = Scope.participant
  /// In the order of application; at most the last one lasts.
  var periods: [Period] = []
  var delivered = Watermarks()
  var read = Watermarks()
  /// The member's piece of state is to be written.
  var isChanged = false
  /// The changelog has the member's piece of state.
  var isWritten = false

  /// The place of a member in the audience of a message.
  enum Place {
    /// Not in the audience.
    case outside
    /// In the audience, but not waited for: his membership has ended.
    case released
    /// In the audience and waited for, until he has received and read.
    case waitedFor
  }

  /// Whether he is in the group now.
  var isActive: Bool {
    guard let last = periods.last else { return false }
    return last.endId == nil
  }

  /// Whether he is in the group now and nobody waits for him.
  var isActiveExempt: Bool { isActive && periods.last?.isExempt == true }

  /// The time in the group that counts for a message: of those known when it was applied and
  /// covering its id, the one applied last.
  func period(forId id: Int64, sequence: Int64) -> Period? {
    var index = periods.count
    while index > 0 {
      index -= 1
      let period = periods[index]
      guard period.beginSequence < sequence, period.beginId < id else { continue }
      if let endId = period.endId, let endSequence = period.endSequence,
        endSequence < sequence, endId < id
      {
        continue
      }
      return period
    }
    return nil
  }

  /// His place in the audience of a message that is not his own.
  func place(forId id: Int64, sequence: Int64, holdingLeavers: Bool) -> Place {
    guard let period = period(forId: id, sequence: sequence), !period.isExempt else {
      return .outside
    }
    return period.endId == nil || holdingLeavers ? .waitedFor : .released
  }

  /// Whether a message is covered by his watermarks as read.
  func hasRead(id: Int64, sentAt: Instant) -> Bool { read.cover(id: id, sentAt: sentAt) }

  /// Whether a message is covered by his watermarks as delivered; what is read is delivered.
  func hasReceived(id: Int64, sentAt: Instant) -> Bool {
    delivered.cover(id: id, sentAt: sentAt) || read.cover(id: id, sentAt: sentAt)
  }
}

extension Watermarks {
  /// Whether they cover a message.
  func cover(id: Int64, sentAt: Instant) -> Bool {
    id <= upTo || (sentAt <= sentUpTo && sentUpTo != .distantPast)
  }
}
