/// One time of a member in a group, bounded by ids of the message topic.
package struct Period: Equatable, Sendable {
  /// The id of the record that began it.
  package var beginId: Int64
  /// The offset of that record in the message topic.
  package var beginSequence: Int64
  /// The id of the record that ended it; nil while it lasts.
  package var endId: Int64?
  /// The offset of that record in the message topic; nil while the membership lasts.
  package var endSequence: Int64?
  /// The stream time at which it ended.
  package var endedAt: Instant?
  /// Nobody waits for this member.
  package var isExempt: Bool

  /// One of which nothing is said yet.
  package static let blank = Period(beginId: 0, beginSequence: 0, isExempt: false)

  /// Whether a message applied at a time sees it: it does for one window after its end.
  func isSeen(at time: Instant, window: Milliseconds) -> Bool {
    guard let endedAt else { return true }
    return time.millisecondsSince(endedAt) < window
  }

  /// Whether nothing asks for it any more: a message that saw it may be open for another window.
  func isOver(at now: Instant, _ rules: Rules) -> Bool {
    guard let due = overAt(rules) else { return false }
    return now >= due
  }

  /// When nothing asks for it any more; nil while it lasts, or where that is beyond all time.
  func overAt(_ rules: Rules) -> Instant? {
    endedAt?.later(byMilliseconds: rules.trackingWindow)?
      .later(byMilliseconds: rules.trackingWindow)
  }
}

extension [Period] {
  /// The last of a member's times in the group that covers a message.
  func last(for message: MessageFacts, window: Milliseconds) -> Period? {
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
}
