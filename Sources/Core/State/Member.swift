/// What is known of one uid in a conversation, without its name.
struct Member {
  var scope = Scope.participant
  /// In the order of application; at most the last one lasts.
  var periods: [Period] = []
  var delivered = Watermarks()
  var read = Watermarks()
  var cursor = Cursor()
  /// How many known messages are his.
  var messageCount = 0
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

  /// Whether a receipt of his was applied that covered more than single messages.
  var hasReceipts: Bool {
    delivered != Watermarks() || read != Watermarks() || cursor != Cursor()
  }

  /// Whether he has a membership, or had one that an open message may still ask for.
  func hasMembership(at now: Instant, window: Int64) -> Bool {
    periods.contains { !$0.isOver(at: now, window: window) }
  }

  /// The time in the group that counts for a message: of those known when it was applied and
  /// covering its id, the one applied last.
  func period(for message: MessageFacts, window: Int64) -> Period? {
    periods.last(for: message, window: window)
  }

  /// His place in the audience of a message that is not his own.
  func place(for message: MessageFacts, _ rules: Rules) -> Place {
    periods.place(for: message, rules)
  }
}

extension [Period] {
  /// The last of a member's times in the group that covers a message.
  func last(for message: MessageFacts, window: Int64) -> Period? {
    var index = count
    while index > 0 {
      index -= 1
      let period = self[index]
      guard period.beginSequence < message.sequence, period.beginId < message.id,
        period.isSeen(at: message.appliedAt, window: window)
      else { continue }
      if let endId = period.endId, let endSequence = period.endSequence,
        endSequence < message.sequence, endId < message.id
      {
        continue
      }
      return period
    }
    return nil
  }

  /// His place in the audience of a message that is not his own.
  func place(for message: MessageFacts, _ rules: Rules) -> Member.Place {
    guard let period = last(for: message, window: rules.trackingWindow), !period.isExempt else {
      return .outside
    }
    return period.endId == nil || rules.leavers == .hold ? .waitedFor : .released
  }
}

extension Period {
  /// Whether a message applied at a time sees it: it does for one window after its end.
  func isSeen(at time: Instant, window: Int64) -> Bool {
    guard let endedAt else { return true }
    return time.millisecondsSince(endedAt) < window
  }

  /// Whether nothing asks for it any more: a message that saw it may be open for another window.
  func isOver(at now: Instant, window: Int64) -> Bool {
    guard let due = overAt(window: window) else { return false }
    return now >= due
  }

  /// When nothing asks for it any more; nil while it lasts, or where that is beyond all time.
  func overAt(window: Int64) -> Instant? {
    endedAt?.later(byMilliseconds: window)?.later(byMilliseconds: window)
  }
}

/// What decides of a message who has to receive it and which watermarks cover it.
struct MessageFacts {
  var id: Int64
  var sequence: Int64
  var appliedAt: Instant
  var sentAt: Instant
}

/// How far a member has come in one list of messages: in the conversation, or in a thread of it.
struct Reach {
  var delivered: Watermarks
  var read: Watermarks

  /// Whether the watermarks cover a message as read.
  func hasRead(_ message: MessageFacts) -> Bool { read.cover(message) }

  /// Whether the watermarks cover a message as delivered; what is read is delivered.
  func hasReceived(_ message: MessageFacts) -> Bool {
    delivered.cover(message) || read.cover(message)
  }

  /// The times at which the watermarks say that a message was delivered and read: of each kind's
  /// own watermark by id, else by time; what is only read was delivered by that.
  func times(of message: MessageFacts) -> (delivered: Instant?, read: Instant?) {
    let read = read.time(of: message)
    return (delivered.time(of: message) ?? read, read)
  }
}

extension Watermarks {
  /// Whether they cover a message.
  func cover(_ message: MessageFacts) -> Bool {
    message.id <= upTo || coverSent(message.sentAt)
  }

  /// Whether the time watermark covers a message sent then.
  func coverSent(_ sentAt: Instant) -> Bool { sentAt <= sentUpTo && sentUpTo != .distantPast }

  /// The time of what covers a message.
  func time(of message: MessageFacts) -> Instant? {
    if message.id <= upTo { return upToAt }
    return cover(message) ? sentUpToAt : nil
  }
}
