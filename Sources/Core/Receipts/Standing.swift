/// Where a member stands towards one message: whether they are in its audience, and what they have
/// done with it, as far as the state knows.
struct Standing {
  /// What the member is to the message.
  enum Role {
    /// Not in the group at the time of the message.
    case outside
    /// In the group, but not in the audience: the message is the member's own.
    case sender
    /// In the group, but not in the audience: nobody waits for the member.
    case exempt
    /// In the audience, but not waited for: the membership has ended.
    case released
    /// In the audience and waited for, until they have received and read.
    case waitedFor
  }

  var role: Role
  var hasReceived: Bool
  /// What is read is also received.
  var hasRead: Bool
  /// The time of the newest receipt that has moved the watermark to or above the message, which is
  /// not always the first one that has covered it; nil for one that named the message itself, of
  /// which no time is kept. A history of receipts needs a state of its own.
  var watermarkReceivedAt: Instant?
  /// The same for reading.
  var watermarkReadAt: Instant?

  var isInAudience: Bool { role == .waitedFor || role == .released }

  /// What the member adds to the counts of the message.
  var counts: Counts {
    guard isInAudience else { return Counts() }
    let pending: Int32 = role == .waitedFor ? 1 : 0
    return Counts(
      delivered: hasReceived ? 1 : 0, pendingDelivered: hasReceived ? 0 : pending,
      read: hasRead ? 1 : 0, pendingRead: hasRead ? 0 : pending)
  }
}

/// One member towards the messages of one thread: what is the same for all of them, looked up once.
struct MemberInThread {
  let slot: Int32
  let periods: [Period]
  /// How far the member has come in the thread.
  var progress: Progress
  private let window: Milliseconds
  private let holdsLeavers: Bool

  init(slot: Int32, periods: [Period], progress: Progress, _ rules: Rules) {
    self.slot = slot
    self.periods = periods
    self.progress = progress
    window = rules.trackingWindow
    holdsLeavers = rules.leavers == .hold
  }

  /// Where the member stands towards a message.
  ///
  /// Inlined, so that what a caller does not ask for costs nothing: a restore asks for each member
  /// and message.
  ///
  /// - Parameter marks: who has covered the message by exact receipts, where somebody has.
  @inline(__always)
  func standing(of message: MessageFacts, marks: Timeline.Marks?) -> Standing {
    let hasRead = progress.hasRead(message) || marks?.read.contains(slot) == true
    let readAt = progress.read.time(of: message)
    return Standing(
      role: role(in: message),
      hasReceived: hasRead || progress.hasReceived(message)
        || marks?.delivered.contains(slot) == true,
      hasRead: hasRead, watermarkReceivedAt: progress.delivered.time(of: message) ?? readAt,
      watermarkReadAt: readAt)
  }

  @inline(__always)
  private func role(in message: MessageFacts) -> Standing.Role {
    guard let period = periods.last(for: message, window: window) else { return .outside }
    if message.sender == slot { return .sender }
    if period.isExempt { return .exempt }
    return period.endId == nil || holdsLeavers ? .waitedFor : .released
  }
}
