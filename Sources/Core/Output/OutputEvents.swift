/// Why messages became complete.
package enum Cause: UInt8, CaseIterable, Sendable {
  case receipt, message, left, kicked, banned, deactivated, roster

  /// The word on the wire.
  package var word: StaticString {
    switch self {
    case .receipt: "receipt"
    case .message: "message"
    case .left: "left"
    case .kicked: "kicked"
    case .banned: "banned"
    case .deactivated: "deactivated"
    case .roster: "roster"
    }
  }
}

/// Whom an event is for.
package enum Recipients: Equatable, Sendable {
  /// These uids: a range of `Outputs.uids`.
  case uids(Range<Int>)
  /// Everybody in the group with this guid.
  case guid(Text)
}

/// The identity of an event that a single record caused: its coordinates, and its number among
/// the record's events, from 0.
package struct EventNumber: Equatable, Sendable {
  /// The topic of the record.
  package var topic: InputTopic
  /// The offset of the record.
  package var offset: Int64
  /// The number among the record's events.
  package var number: Int64
}

/// `messagesDelivered` or `messagesRead`: a receipt added something.
package struct ReceiptAdded: Sendable {
  /// `delivered` or `read`.
  package var kind: ReceiptKind
  /// The conversation's id.
  package var conversation: Text
  /// The event's identity.
  package var number: EventNumber
  /// The senders of what is newly covered, or the whole group.
  package var to: Recipients
  /// The receipt's value, byte for byte as it came.
  package var receipt: Text
}

/// `messagesDeliveredToAll` or `messagesReadByAll`: messages of one sender are complete.
package struct Announcement: Sendable {
  /// `delivered` or `read`.
  package var kind: ReceiptKind
  /// The conversation's id.
  package var conversation: Text
  /// The group.
  package var guid: Text
  /// What completed the messages.
  package var cause: Cause
  /// The messages' sender.
  package var sender: Text
  /// The completed ids, rising, at least one: a range of `Outputs.ids`.
  package var ids: Range<Int>
  /// The completing record's time.
  package var at: Instant
}

/// `readReceiptResponse`: what an exact read receipt changed for the messages of one sender.
package struct ReceiptResponse: Sendable {
  /// The conversation's id.
  package var conversation: Text
  /// The event's identity.
  package var number: EventNumber
  /// The sender of the messages, whom the event is for.
  package var to: Text
  /// Who read.
  package var reader: Text
  /// The receipt's time.
  package var readAt: Instant
  /// A range of `Outputs.counts`.
  package var responses: Range<Int>
}

/// `messageDeleted`, with its action message: a delete was accepted.
package struct MessageDeleted: Sendable {
  /// The conversation's id.
  package var conversation: Text
  /// The event's identity.
  package var number: EventNumber
  /// Everybody in the conversation.
  package var to: Recipients
  /// The message's id.
  package var messageId: Int64
  /// The message as the record brought it, byte for byte; nil where it brought none.
  package var original: Text?
  /// What is tracked of the message, for where there is no original; nil where it is not known.
  package var tracked: TrackedMessage?
  /// The message that it replied to; 0 for none.
  package var parentMessageId: Int64
  /// The deleter's uid.
  package var deletedBy: Text
  /// The object that named the deleter, as it came.
  package var deletedByObject: Text
  /// When it was deleted.
  package var deletedAt: Instant
  /// The record's `receiverId`.
  package var receiverId: Text
  /// Whether it is a guid.
  package var isGroup: Bool
}

/// What is known of a message besides its id.
package struct TrackedMessage: Sendable {
  /// The sender's uid.
  package var sender: Text
  /// When it was sent.
  package var sentAt: Instant
  /// The message's `messageUId`, where it has one.
  package var messageUId: Text?
}

/// `unreadChanged`: a member's unread count in a conversation or thread.
package struct UnreadChanged: Sendable {
  /// The conversation's id.
  package var conversation: Text
  /// The event's identity.
  package var number: EventNumber
  /// The member, whom the event is for.
  package var to: Text
  /// How many messages are unread.
  package var count: Int
  /// The lowest counted id; nil where the count is 0.
  package var from: Int64?
  /// The highest id that a `read` put the cursor on; 0 before any.
  package var lastReadMessageId: Int64
  /// The thread it is about, where threads are separate.
  package var parentMessageId: Int64?
}

/// `threadUpdated`: a reply was added or deleted.
package struct ThreadUpdated: Sendable {
  /// The conversation's id.
  package var conversation: Text
  /// The event's identity.
  package var number: EventNumber
  /// Everybody in the conversation.
  package var to: Recipients
  /// The parent's id.
  package var parentMessageId: Int64
  /// Replies that are not deleted.
  package var replyCount: Int64
  /// The newest reply that is not deleted, and when it was sent; nil where there is none.
  package var lastReply: (id: Int64, at: Instant)?
}

/// The counts of one message in a `readReceiptResponse`.
package struct MessageCounts: Sendable {
  /// The message's id.
  package var messageId: Int64
  /// The message's `messageUId`, where it has one.
  package var messageUId: Text?
  /// How many have read it.
  package var readCount: Int
  /// How many are still waited for to read it.
  package var unreadCount: Int
}

/// A record that could not be applied, with what `chat.rejected` needs.
package struct Rejected: Sendable {
  /// Why.
  package var rejection: Rejection
  /// Where the record lies.
  package var source: Coordinates
  /// The timestamp that counted for the record (its own, or the newest).
  package var timestamp: Instant
  /// The record's key; nil where it had none, or where it is too long to be passed on.
  package var key: Text?
  /// The record's value; nil where it had none, or where it is too large to be passed on.
  package var value: Text?
  /// The value's length where it is too large to be passed on.
  package var omittedBytes: Int?
  /// The key's length where it is too long to be passed on.
  package var omittedKeyBytes: Int?
  /// The key that a record with another one should have had.
  package var expectedKey: Text?
}
