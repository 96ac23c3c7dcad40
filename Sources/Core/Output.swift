/// Why messages became complete.
package enum Cause: UInt8, Sendable {
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

/// The newest status of one message.
package struct Status: Sendable {
  /// Whether, and why no longer, the receipts of the message are counted.
  package enum Tracking: Equatable, Sendable {
    case on
    case off(OffReason)
    case ended(EndReason)
  }

  /// The conversation's id.
  package var conversation: Text
  /// The message's id.
  package var messageId: Int64
  /// The message's `messageUId`, where it has one.
  package var messageUId: Text?
  /// The sender's uid.
  package var sender: Text
  /// When it was sent.
  package var sentAt: Instant
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
  /// How many replies it has.
  package var replyCount: Int
}

/// Why a message is not tracked.
package enum OffReason: UInt8, Sendable {
  case groupTooLarge, rosterUnknown, notRequested

  /// The word on the wire.
  package var word: StaticString {
    switch self {
    case .groupTooLarge: "GROUP_TOO_LARGE"
    case .rosterUnknown: "ROSTER_UNKNOWN"
    case .notRequested: "NOT_REQUESTED"
    }
  }
}

/// Why the tracking of a message ended.
package enum EndReason: UInt8, Sendable {
  case groupTooLarge, expired, deleted

  /// The word on the wire.
  package var word: StaticString {
    switch self {
    case .groupTooLarge: "GROUP_TOO_LARGE"
    case .expired: "EXPIRED"
    case .deleted: "DELETED"
    }
  }
}

/// A record that could not be applied, with what `chat.rejected` needs.
package struct Rejected: Sendable {
  /// Why.
  package var rejection: Rejection
  /// Where the record lies.
  package var source: Coordinates
  /// The timestamp that counted for the record (its own, or the newest).
  package var timestamp: Instant
  /// The record's key; nil where it had none.
  package var key: Text?
  /// The record's value; nil where it had none, or where it is too large to be passed on.
  package var value: Text?
  /// The value's length where it is too large to be passed on.
  package var omittedBytes: Int?
}

/// What an input caused: plain values, whose texts and lists are ranges of the arenas here.
///
/// One value is filled again and again, so that no record costs an allocation. The machine fills
/// it; `forEach` gives the outputs in the order of the contract (section 10).
package struct Outputs: Sendable {
  /// The arena of all texts.
  package internal(set) var text: [UInt8] = []
  /// The ids of announcements.
  package internal(set) var ids: [Int64] = []
  /// The uids of recipients.
  package internal(set) var uids: [Text] = []
  /// The counts of responses.
  package internal(set) var counts: [MessageCounts] = []

  /// The receipts that added something.
  package internal(set) var receiptsAdded: [ReceiptAdded] = []
  /// The messages that are delivered to all now.
  package internal(set) var deliveredToAll: [Announcement] = []
  /// The messages that are read by all now.
  package internal(set) var readByAll: [Announcement] = []
  /// The answers to exact read receipts.
  package internal(set) var responses: [ReceiptResponse] = []
  /// The newest statuses, one a message.
  package internal(set) var statuses: [Status] = []
  /// The records that could not be applied.
  package internal(set) var rejected: [Rejected] = []
  /// What receipts that added nothing were.
  package internal(set) var tally = Tally()

  /// Empty outputs.
  package init() {}

  /// Forgets everything but the memory it took.
  package mutating func removeAll() {
    text.removeAll(keepingCapacity: true)
    ids.removeAll(keepingCapacity: true)
    uids.removeAll(keepingCapacity: true)
    counts.removeAll(keepingCapacity: true)
    receiptsAdded.removeAll(keepingCapacity: true)
    deliveredToAll.removeAll(keepingCapacity: true)
    readByAll.removeAll(keepingCapacity: true)
    responses.removeAll(keepingCapacity: true)
    statuses.removeAll(keepingCapacity: true)
    rejected.removeAll(keepingCapacity: true)
    tally = Tally()
  }

  /// The outputs one by one, in the order of the contract.
  package enum Item {
    case receiptAdded(ReceiptAdded)
    case announcement(Announcement)
    case response(ReceiptResponse)
    case status(Status)
    case rejected(Rejected)
  }

  /// Calls `body` with each output, in the order of the contract.
  package func forEach<E: Error>(_ body: (Item) throws(E) -> Void) throws(E) {
    for item in receiptsAdded { try body(.receiptAdded(item)) }
    for item in deliveredToAll { try body(.announcement(item)) }
    for item in readByAll { try body(.announcement(item)) }
    for item in responses { try body(.response(item)) }
    for item in statuses { try body(.status(item)) }
    for item in rejected { try body(.rejected(item)) }
  }
}

/// How many receipts of an input added nothing, by reason.
package struct Tally: Equatable, Sendable {
  /// What it covers was covered before (a duplicate, or an older receipt).
  package var covered = 0
  /// Only the member's own messages.
  package var own = 0
  /// Messages in whose audience the member is not.
  package var notInAudience = 0
  /// Messages that are not tracked.
  package var notTracked = 0
  /// A message older than all that is known.
  package var tooOld = 0

  /// None.
  package init() {}
}
