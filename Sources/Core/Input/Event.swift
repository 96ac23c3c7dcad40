/// A piece of text, as a range of bytes in the arena (`text`) of the value that it belongs to.
package struct Text: Equatable, Sendable {
  /// The first byte's index in the arena.
  package var start: Int
  /// The length in bytes.
  package var count: Int

  /// Names `count` bytes from `start` on.
  package init(start: Int, count: Int) {
    self.start = start
    self.count = count
  }

  /// The bytes' indices.
  package var range: Range<Int> { start..<(start + count) }
}

/// A decoded input record: what the machine applies.
///
/// The decoder fills one event again and again, so that no record costs an allocation; all texts
/// are ranges of `text`. The record's key (which for a good record *is* the conversation id) and
/// value are handed to the machine beside it.
package struct Event: Sendable {
  /// Where the record lies.
  package var coordinates: Coordinates
  /// What the record says.
  package var body = Body.invalid(Rejection(.badJSON))
  /// The arena of all texts.
  package var text: [UInt8] = []
  /// The ids of an exact receipt by `messageIds`, as they came.
  package var ids: [Int64] = []
  /// The ids of an exact receipt by `messageUIds`, as they came.
  package var messageUIds: [Text] = []
  /// The members that a membership record names (`actionOn`, or `actionBy` in its absence).
  package var members: [NamedMember] = []
  /// The record's own time (`sentAt`, `readAt`, …): for `replay` the timestamp's default.
  package var ownTime: Instant?
  /// Of a record with another key: the conversation id that its fields give.
  package var expectedKey: Text?

  /// The longest key that a record may have, in bytes; no conversation id comes near it.
  package static let maxKeyBytes = 1024

  /// An event to be filled by a decoder.
  package init(coordinates: Coordinates) { self.coordinates = coordinates }

  /// What an input record says.
  package enum Body: Sendable {
    /// A message: a record of any category but `action`.
    case message(Message)
    /// A group membership action that this contract knows.
    case membership(Membership)
    /// Another action record: its id becomes known, nothing else happens.
    case action(id: Int64, sentAt: Instant)
    /// A record with `editedAt` > 0: changes nothing.
    case edit
    /// A delivered, read or unread receipt.
    case receipt(Receipt)
    /// A delete.
    case delete(Delete)
    /// A record that cannot be applied.
    case invalid(Rejection)
  }

  /// Whether a record speaks of a group or of a conversation of two.
  package enum Receiver: Equatable, Sendable {
    /// `receiverType` `group`; the guid.
    case group(Text)
    /// `receiverType` `user`; the other party's uid.
    case user(Text)
  }

  /// A message.
  package struct Message: Sendable {
    /// The message's id.
    package var id: Int64
    /// The sender's uid.
    package var sender: Text
    /// When it was sent.
    package var sentAt: Instant
    /// Absent where the record has none.
    package var messageUId: Text?
    /// 0: not in a thread. Negative numbers come through, to be rejected.
    package var parentMessageId: Int64
    /// Whether its receipts are to be counted.
    package var needReceipt: Bool

    /// A message as its record says.
    package init(
      id: Int64, sender: Text, sentAt: Instant, messageUId: Text?, parentMessageId: Int64,
      needReceipt: Bool
    ) {
      self.id = id
      self.sender = sender
      self.sentAt = sentAt
      self.messageUId = messageUId
      self.parentMessageId = parentMessageId
      self.needReceipt = needReceipt
    }
  }

  /// A membership record of a group; whom it names is in `members`.
  package struct Membership: Sendable {
    /// The record's id, in the sequence of the messages.
    package var id: Int64
    /// What happened.
    package var change: MembershipChange
    /// When it happened.
    package var sentAt: Instant

    /// A change of membership as its record says.
    package init(id: Int64, change: MembershipChange, sentAt: Instant) {
      self.id = id
      self.change = change
      self.sentAt = sentAt
    }
  }

  /// A receipt.
  package struct Receipt: Sendable {
    /// What was done with the messages.
    package var kind: ReceiptKind
    /// Which messages it speaks of.
    package var covers: Covers
    /// The uid of who received or read.
    package var sender: Text
    /// The time in the record, at most its Kafka timestamp; nil: the Kafka timestamp counts.
    package var at: Instant?
    /// Carried only under `threads: separate`; nil where absent.
    package var parentMessageId: Int64?

    /// A receipt as its record says.
    package init(
      kind: ReceiptKind, covers: Covers, sender: Text, at: Instant?, parentMessageId: Int64?
    ) {
      self.kind = kind
      self.covers = covers
      self.sender = sender
      self.at = at
      self.parentMessageId = parentMessageId
    }
  }

  /// A delete.
  package struct Delete: Sendable {
    /// The message to be deleted.
    package var messageId: Int64
    /// The group, or the other party.
    package var receiver: Receiver
    /// The uid of who deletes.
    package var deletedBy: Text
    /// The JSON text of `deletedBy` as it came.
    package var deletedByObject: Text
    /// The time in the record; nil: the Kafka timestamp counts.
    package var at: Instant?
    /// The JSON text of `message` as it came; nil where absent or `{}`.
    package var original: Text?
    /// The sender's uid that the original names, where it does.
    package var originalSender: Text?
    /// When the original says that it was sent, where it does.
    package var originalSentAt: Instant?
    /// The `messageUId` that the original names, where it does.
    package var originalMessageUId: Text?
    /// The parent that the original names, where it does.
    package var originalParentMessageId: Int64?

    /// A delete as its record says, without what its original says.
    package init(
      messageId: Int64, receiver: Receiver, deletedBy: Text, deletedByObject: Text, at: Instant?
    ) {
      self.messageId = messageId
      self.receiver = receiver
      self.deletedBy = deletedBy
      self.deletedByObject = deletedByObject
      self.at = at
    }
  }
}

/// What a receipt says of its messages.
package enum ReceiptKind: UInt8, Sendable {
  case delivered, read, unread
}

/// Which messages a receipt covers.
package enum Covers: Sendable {
  /// The message and every earlier one.
  case upTo(Int64)
  /// Every message sent at or before the receipt's time.
  case conversation
  /// Exactly the messages in `ids`.
  case ids
  /// Exactly the messages in `messageUIds`.
  case messageUIds

  /// Whether it covers more than single messages. Only such a receipt moves the unread cursor, and
  /// may get a slot for its member.
  var isCumulative: Bool {
    switch self {
    case .upTo, .conversation: true
    case .ids, .messageUIds: false
    }
  }

  /// How many messages it names.
  func nameCount(in event: Event) -> Int {
    switch self {
    case .conversation: 0
    case .upTo: 1
    case .ids: event.ids.count
    case .messageUIds: event.messageUIds.count
    }
  }

  /// The message that it names at a position; nil where it names none.
  func name(_ position: Int32, in event: Event) -> MessageName? {
    switch self {
    case .conversation: nil
    case .upTo(let id): .id(id)
    case .ids: .id(event.ids[Int(position)])
    case .messageUIds: .messageUId(event.messageUIds[Int(position)])
    }
  }

  /// The field of the record in which it names messages.
  var field: StaticString? {
    switch self {
    case .conversation: nil
    case .upTo: "messageId"
    case .ids: "messageIds"
    case .messageUIds: "messageUIds"
    }
  }
}

/// How a record names a message.
enum MessageName {
  case id(Int64)
  /// A text of the event.
  case messageUId(Text)
}

/// A change of a group's membership.
package enum MembershipChange: UInt8, Sendable {
  case roster, joined, added, reactivated, left, kicked, banned, deactivated, unbanned, scopeChanged
}

/// A member's rights in a group, lowest first.
package enum Scope: UInt8, Sendable {
  case participant, moderator, admin, owner
}

/// One member in a membership record.
package struct NamedMember: Sendable {
  /// Who.
  package var uid: Text
  /// With which rights; an unknown scope is `participant`.
  package var scope: Scope
  /// `"receipts": "exempt"`: nobody waits for this member.
  package var isExempt: Bool

  /// Names a member.
  package init(uid: Text, scope: Scope, isExempt: Bool) {
    self.uid = uid
    self.scope = scope
    self.isExempt = isExempt
  }
}
