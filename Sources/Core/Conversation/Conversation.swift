/// The state of one conversation: who is in it, what is known of its messages, and how far each
/// member has come.
struct Conversation {
  /// The conversation id.
  let id: [UInt8]
  /// Whether it is a conversation of two, whose parties are its members for ever.
  let isDirect: Bool
  var roster = RosterState.unknown
  /// The id of the first roster applied: messages below it are `ROSTER_UNKNOWN`.
  var firstRosterId: Int64?
  /// The id of the roster with which the group was not too large any more: messages below it are
  /// `GROUP_TOO_LARGE`.
  var largeFloor: Int64?
  /// The highest id that has expired.
  var highestExpiredId: Int64 = 0
  /// The stream time of its last record.
  var lastRecordAt: Instant
  /// The uids that have a slot: members, former members, senders.
  var uids = NameTable()
  /// By slot.
  var members: [Member] = []
  /// How far members have come in threads, where those are separate.
  var positions = Positions()
  var timeline = Timeline()
  /// The `messageUId`s of known messages, and the ids of their messages by slot.
  var messageUIds = NameTable()
  var messageUIdOwners: [Int64] = []
  /// By the parent's id.
  var threads: [Int64: Thread] = [:]
  /// Accepted deletes, by the message's id.
  var deletions: [Int64: Deletion] = [:]
  /// What waits here; nil while nothing does.
  var waiting: ConversationWaiting?

  // Derived, and counted again by a restore.

  /// Of a group that is too large: how many scopes above participant are kept.
  var keptScopes = 0
  /// Members in the group now, and those of them for whom nobody waits.
  var activeCount = 0
  var activeExemptCount = 0
  /// The highest id of a record that began or ended a membership.
  var highestMembershipId: Int64 = 0
  /// The highest watermark of anybody: a message above both of these is covered by nobody.
  var highestUpTo: Int64 = 0
  var highestSentUpTo = Instant.distantPast
  /// What can be unread in the conversation; under separate threads without the replies.
  var unread = UnreadIndex()

  /// What is to be written.
  var unwritten: Unwritten
  /// The changelog has the conversation's own piece, and with it the time of a last record.
  var isWritten = false
  var writtenRecordAt: Instant?

  // What the machine knows of it.

  /// When the machine looks next whether this conversation is to be forgotten.
  var scheduledFor: Instant?
  /// How many of its messages the machine counts as open, and how many positions it counts.
  var openCount = 0
  var positionCount = 0

  /// A conversation of which nothing is known. One of two has its parties as members.
  init(id: [UInt8], at now: Instant, isJournaled: Bool) {
    self.id = id
    unwritten = Unwritten(isJournaled: isJournaled)
    lastRecordAt = now
    let parties = Self.parties(of: id)
    isDirect = parties != nil
    guard let parties else { return }
    roster = .known
    for party in [parties.0, parties.1] {
      let slot = slot(of: party.span)
      guard members[Int(slot)].periods.isEmpty else { continue }
      members[Int(slot)].periods = [Period(beginId: 0, beginSequence: -1, isExempt: false)]
      activeCount += 1
    }
  }

  /// The uids in the id of a conversation of two; nil in that of a group.
  private static func parties(of id: [UInt8]) -> ([UInt8], [UInt8])? {
    guard !id.starts(with: "group_".utf8) else { return nil }
    let mark = Array("_user_".utf8)
    guard id.count >= mark.count else { return nil }
    for start in 0...(id.count - mark.count) where id[start...].starts(with: mark) {
      return (Array(id[..<start]), Array(id[(start + mark.count)...]))
    }
    return nil
  }

  /// The slot of a uid, which gets one if it has none.
  mutating func slot(of uid: Span<UInt8>) -> Int32 {
    let slot = uids.intern(uid)
    while members.count <= Int(slot) { members.append(Member()) }
    return slot
  }
}

/// The replies to one message.
struct Thread {
  /// Replies that are not deleted, expired ones among them.
  var replyCount: Int64 = 0
  /// Known replies that are not deleted; with what can be unread, where threads are separate.
  var replies = UnreadIndex()
  /// Known replies, deleted ones among them: the thread is kept while there are any.
  var knownCount = 0
  var isChanged = false
  var isWritten = false
}

/// An accepted delete.
struct Deletion {
  var deletedBy: [UInt8]
  var deletedAt: Instant
  /// When it was accepted, if its message was not known.
  var acceptedAt: Instant?
  var isChanged = false
  var isWritten = false
}
