/// One piece of a partition's state, whole: what the changelog holds under one key.
///
/// A machine hands out the changes of a transaction; folding them into an empty machine, in any
/// order of the keys and the last of each key counting, gives the same state again.
package enum Change: Equatable, Sendable {
  case conversation(ConversationState)
  case member(MemberState)
  case message(MessageState)
  case marks(MarksState)
  case thread(ThreadState)
  case position(PositionState)
  case deletion(DeletionState)
  case waiting(WaitingState)
  /// The piece under this key is gone (a tombstone).
  case removed(ChangeKey)

  /// The key that the piece lies under.
  package var key: ChangeKey {
    switch self {
    case .conversation(let state): .conversation(state.conversation)
    case .member(let state): .member(state.conversation, slot: state.slot)
    case .message(let state): .message(state.conversation, id: state.id)
    case .marks(let state): .marks(state.conversation, id: state.id)
    case .thread(let state): .thread(state.conversation, parent: state.parentMessageId)
    case .position(let state):
      .position(state.conversation, slot: state.slot, parent: state.parentMessageId)
    case .deletion(let state): .deletion(state.conversation, id: state.id)
    case .waiting(let state): .waiting(ticket: state.ticket)
    case .removed(let key): key
    }
  }
}

/// The identity of one piece of state. Conversation ids are UTF-8 bytes.
package enum ChangeKey: Hashable, Sendable {
  case conversation([UInt8])
  case member([UInt8], slot: Int32)
  case message([UInt8], id: Int64)
  case marks([UInt8], id: Int64)
  case thread([UInt8], parent: Int64)
  case position([UInt8], slot: Int32, parent: Int64)
  case deletion([UInt8], id: Int64)
  case waiting(ticket: Int64)
}

/// What is known of a conversation as a whole.
package struct ConversationState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// How much of the roster is known.
  package var roster: RosterState
  /// The id of the first roster that was applied; messages below it are `ROSTER_UNKNOWN`.
  package var firstRosterId: Int64?
  /// The id of the roster with which the group was not too large any more; messages below it are
  /// `GROUP_TOO_LARGE`.
  package var largeFloor: Int64?
  /// The highest id that has expired; 0 before any.
  package var highestExpiredId: Int64
  /// The stream time of its last record, where the conversation is forgotten one window after it.
  package var lastRecordAt: Instant?

  /// All that is known of a conversation as a whole.
  package init(
    conversation: [UInt8], roster: RosterState, firstRosterId: Int64?, largeFloor: Int64?,
    highestExpiredId: Int64, lastRecordAt: Instant?
  ) {
    self.highestExpiredId = highestExpiredId
    self.lastRecordAt = lastRecordAt
    self.conversation = conversation
    self.roster = roster
    self.firstRosterId = firstRosterId
    self.largeFloor = largeFloor
  }
}

/// How much of a group's roster is known.
package enum RosterState: UInt8, Sendable {
  /// No roster was seen: nobody is waited for, no uid is unknown.
  case unknown
  /// The roster is known.
  case known
  /// The group is too large: forgotten, except for scopes above participant.
  case tooLarge
}

/// How far a member has come in one thread, where threads are separate.
package struct PositionState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The member's slot.
  package var slot: Int32
  /// The thread's parent.
  package var parentMessageId: Int64
  /// The time watermarks are unused: the member's own hold everywhere.
  package var progress: Progress

  /// A piece of state with all its fields.
  package init(
    conversation: [UInt8], slot: Int32, parentMessageId: Int64, progress: Progress = Progress()
  ) {
    self.conversation = conversation
    self.slot = slot
    self.parentMessageId = parentMessageId
    self.progress = progress
  }
}

/// The replies to one message.
package struct ThreadState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The parent's id.
  package var parentMessageId: Int64
  /// Replies that are not deleted, expired ones among them.
  package var replyCount: Int64

  /// A piece of state with all its fields.
  package init(conversation: [UInt8], parentMessageId: Int64, replyCount: Int64) {
    self.conversation = conversation
    self.parentMessageId = parentMessageId
    self.replyCount = replyCount
  }
}

/// A delete that was accepted; of a message that is known, or that may still come.
package struct DeletionState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The message's id.
  package var id: Int64
  /// The deleter's uid.
  package var deletedBy: [UInt8]
  /// When it was deleted.
  package var deletedAt: Instant
  /// The stream time at which it was accepted before its message; nil for a known message's.
  package var acceptedAt: Instant?

  /// A piece of state with all its fields.
  package init(
    conversation: [UInt8], id: Int64, deletedBy: [UInt8], deletedAt: Instant, acceptedAt: Instant?
  ) {
    self.conversation = conversation
    self.id = id
    self.deletedBy = deletedBy
    self.deletedAt = deletedAt
    self.acceptedAt = acceptedAt
  }
}

/// What is known of one uid in a conversation.
package struct MemberState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The small number that stands for the uid in this conversation; at least 0.
  package var slot: Int32
  /// The member's uid.
  package var uid: [UInt8]
  /// The rights that the member has now.
  package var scope: Scope
  /// In the order of application.
  package var periods: [Period]
  /// How far the member has come in the conversation.
  package var progress: Progress

  /// All that is known of a uid in a conversation.
  package init(
    conversation: [UInt8], slot: Int32, uid: [UInt8], scope: Scope, periods: [Period],
    progress: Progress = Progress()
  ) {
    self.conversation = conversation
    self.slot = slot
    self.uid = uid
    self.scope = scope
    self.periods = periods
    self.progress = progress
  }
}

/// What is known of one id of the message topic.
package struct MessageState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The message's id.
  package var id: Int64
  /// The offset of its record in the message topic.
  package var sequence: Int64
  /// The stream time at which it was applied.
  package var appliedAt: Instant
  /// When the message was sent, as its record says.
  package var sentAt: Instant
  /// What the id stands for.
  package var body: MessageBody

  /// All that is known of an id.
  package init(
    conversation: [UInt8], id: Int64, sequence: Int64, appliedAt: Instant, sentAt: Instant,
    body: MessageBody
  ) {
    self.conversation = conversation
    self.id = id
    self.sequence = sequence
    self.appliedAt = appliedAt
    self.sentAt = sentAt
    self.body = body
  }
}

/// What an id stands for.
package enum MessageBody: Equatable, Sendable {
  /// A membership or other action record.
  case action
  /// A message, tracked or not.
  case message(
    senderSlot: Int32, messageUId: [UInt8]?, parentMessageId: Int64, tracking: Tracking,
    announced: Announced, finalCounts: Counts?)
}

/// Who covered one message by exact receipts, a bit for each slot (lowest bit first).
package struct MarksState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The message's id.
  package var id: Int64
  /// Who received it.
  package var delivered: [UInt64]
  /// Who read it.
  package var read: [UInt64]

  /// The marks of one message.
  package init(conversation: [UInt8], id: Int64, delivered: [UInt64], read: [UInt64]) {
    self.conversation = conversation
    self.id = id
    self.delivered = delivered
    self.read = read
  }
}

extension MarksState {
  /// The slots of a set of marks, rising.
  package static func slots(_ words: [UInt64]) -> [Int32] {
    words.enumerated().flatMap { index, word in
      (0..<64).filter { word & (1 << UInt64($0)) != 0 }.map { Int32(clamping: index * 64 + $0) }
    }
  }
}

/// A record that waits for a message or a membership, with all that it needs when it comes.
package struct WaitingState: Equatable, Sendable {
  /// Its place in the order of application of all that waits in the partition.
  package var ticket: Int64
  /// Where the record lies.
  package var source: Coordinates
  /// The record's key.
  package var key: [UInt8]
  /// The record's value.
  package var value: [UInt8]
  /// The stream time at which it was applied.
  package var appliedAt: Instant
  /// The positions in the record's list of ids that have not come; [0] for a single id.
  package var missing: [Int32]
  /// How many events it has caused so far.
  package var eventsSoFar: Int64
  /// Whether it is tried again with the next record that begins a membership.
  package var waitsForMember: Bool

  /// A record, and what it waits for.
  package init(
    ticket: Int64, source: Coordinates, key: [UInt8], value: [UInt8], appliedAt: Instant,
    missing: [Int32], eventsSoFar: Int64, waitsForMember: Bool = false
  ) {
    self.ticket = ticket
    self.source = source
    self.key = key
    self.value = value
    self.appliedAt = appliedAt
    self.missing = missing
    self.eventsSoFar = eventsSoFar
    self.waitsForMember = waitsForMember
  }
}
