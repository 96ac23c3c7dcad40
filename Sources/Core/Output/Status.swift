/// The newest status of one message.
package struct Status: Sendable {
  /// The conversation's id.
  package var conversation: Text
  /// The message's id.
  package var messageId: Int64
  /// The message's `messageUId`, where it has one.
  package var messageUId: Text?
  /// The sender's uid; nil only where the original of a message that never came names none.
  package var sender: Text?
  /// When it was sent; nil only where such an original does not say it.
  package var sentAt: Instant?
  /// Whether its receipts are counted.
  package var tracking: Tracking
  /// How many have received it.
  package var deliveredCount: Int
  /// How many are still waited for to receive it.
  package var undeliveredCount: Int
  /// How many have read it.
  package var readCount: Int
  /// How many are still waited for to read it.
  package var unreadCount: Int
  /// When it was delivered to all.
  package var deliveredAt: Instant?
  /// When it was read by all.
  package var readAt: Instant?
  /// When it was deleted.
  package var deletedAt: Instant?
  /// Who deleted it.
  package var deletedBy: Text?
  /// How many replies it has.
  package var replyCount: Int64
}

/// Whether, and why not or no longer, the receipts of a message are counted.
///
/// The raw values stand in the changelog.
package enum Tracking: UInt8, CaseIterable, Sendable {
  case on
  case offTooLarge, offUnknown, offNotRequested
  case endedTooLarge, endedExpired, endedDeleted

  /// Whether it was on: then the counts stand still, and are kept.
  package var isEnded: Bool { rawValue >= Self.endedTooLarge.rawValue }

  /// The word on the wire.
  package var word: StaticString { self == .on ? "on" : isEnded ? "ended" : "off" }

  /// The word for why not on the wire.
  package var reason: StaticString? {
    switch self {
    case .on: nil
    case .offTooLarge, .endedTooLarge: "GROUP_TOO_LARGE"
    case .offUnknown: "ROSTER_UNKNOWN"
    case .offNotRequested: "NOT_REQUESTED"
    case .endedExpired: "EXPIRED"
    case .endedDeleted: "DELETED"
    }
  }
}
