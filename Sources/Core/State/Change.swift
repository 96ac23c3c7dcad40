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

  /// A piece of which nothing is said yet but its key.
  package init(blank key: ChangeKey) {
    self =
      switch key {
      case .conversation(let id): .conversation(ConversationState(conversation: id))
      case .member(let id, let slot): .member(MemberState(conversation: id, slot: slot))
      case .message(let conversation, let id):
        .message(MessageState(conversation: conversation, id: id))
      case .marks(let conversation, let id): .marks(MarksState(conversation: conversation, id: id))
      case .thread(let id, let parent):
        .thread(ThreadState(conversation: id, parentMessageId: parent))
      case .position(let id, let slot, let parent):
        .position(PositionState(conversation: id, slot: slot, parentMessageId: parent))
      case .deletion(let conversation, let id):
        .deletion(DeletionState(conversation: conversation, id: id))
      case .waiting(let ticket): .waiting(WaitingState(ticket: ticket))
      }
  }

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
  package var roster = RosterState.unknown
  /// The id of the first roster that was applied; messages below it are `ROSTER_UNKNOWN`.
  package var firstRosterId: Int64?
  /// The id of the roster with which the group was not too large any more; messages below it are
  /// `GROUP_TOO_LARGE`.
  package var largeFloor: Int64?
  /// The highest id that has expired; 0 before any.
  package var highestExpiredId: Int64 = 0
  /// The stream time of its last record, where the conversation is forgotten one window after it.
  package var lastRecordAt: Instant?
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
  package var progress = Progress()
}

/// The replies to one message.
package struct ThreadState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The parent's id.
  package var parentMessageId: Int64
  /// Replies that are not deleted, expired ones among them.
  package var replyCount: Int64 = 0
}

/// A delete that was accepted; of a message that is known, or that may still come.
package struct DeletionState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The message's id.
  package var id: Int64
  /// The deleter's uid.
  package var deletedBy: [UInt8] = []
  /// When it was deleted.
  package var deletedAt = Instant(milliseconds: 0)
  /// The stream time at which it was accepted before its message; nil for a known message's.
  package var acceptedAt: Instant?
}

/// What is known of one uid in a conversation.
package struct MemberState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The small number that stands for the uid in this conversation; at least 0.
  package var slot: Int32
  /// The member's uid.
  package var uid: [UInt8] = []
  /// The rights that the member has now.
  package var scope = Scope.participant
  /// In the order of application.
  package var periods: [Period] = []
  /// How far the member has come in the conversation.
  package var progress = Progress()
}

/// What is known of one id of the message topic.
package struct MessageState: Equatable, Sendable {
  /// The conversation's id.
  package var conversation: [UInt8]
  /// The message's id.
  package var id: Int64
  /// The offset of its record in the message topic.
  package var sequence: Int64 = 0
  /// The stream time at which it was applied.
  package var appliedAt = Instant(milliseconds: 0)
  /// When the message was sent, as its record says.
  package var sentAt = Instant(milliseconds: 0)
  /// What the id stands for.
  package var body = MessageBody.action
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
  package var delivered: [UInt64] = []
  /// Who read it.
  package var read: [UInt64] = []
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
  package var source = Coordinates(topic: .messages, partition: 0, offset: 0, timestamp: nil)
  /// The record's key.
  package var key: [UInt8] = []
  /// The record's value.
  package var value: [UInt8] = []
  /// The stream time at which it was applied.
  package var appliedAt = Instant(milliseconds: 0)
  /// The positions in the record's list of ids that have not come; [0] for a single id.
  package var missing: [Int32] = []
  /// How many events it has caused so far.
  package var eventsSoFar: Int64 = 0
  /// Whether it is tried again with the next record that begins a membership.
  package var waitsForMember = false
}
