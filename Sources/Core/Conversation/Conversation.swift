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
  /// The id of the roster that ended the second limit: messages below it are `GROUP_TOO_LARGE`.
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

  /// Past the second limit: how many scopes above participant are kept.
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
  var countables = Countables()

  // Pieces of state that are to be written. What is named on these lists may be gone, or be named
  // twice, since then: a piece is to be written while it says itself that it is.

  /// Whether anything is noted: without a changelog nobody would ever ask for it.
  let isJournaled: Bool
  /// When the machine looks next whether this conversation is to be forgotten.
  var scheduledFor: Instant?
  var isChanged = false
  /// The changelog has the conversation's own piece, and with it the time of a last record.
  var isWritten = false
  var writtenRecordAt: Instant?
  /// Whether any piece is to be written, and whether the machine has noted that.
  var hasChanges = false
  var isListed = false
  /// How many pieces are to be written that the machine has not counted yet.
  var noted = 0
  /// How many of its messages the machine counts as open, and how many positions it counts.
  var openCount = 0
  var positionCount = 0
  var changedMembers: [Int32] = []
  var changedMessages: [Int64] = []
  var changedMarks: [Int64] = []
  var changedThreads: [Int64] = []
  var changedPositions: [ThreadMember] = []
  var changedDeletions: [Int64] = []
  /// Slots whose membership the record being applied has ended.
  var endedSlots: [Int32] = []
  /// Pieces that the changelog has and that are gone.
  var removed: [ChangeKey] = []

  /// A conversation of which nothing is known. One of two has its parties as members.
  init(id: [UInt8], at now: Instant, isJournaled: Bool) {
    self.id = id
    self.isJournaled = isJournaled
    lastRecordAt = now
    let parties = Self.parties(of: id)
    isDirect = parties != nil
    guard let parties else { return }
    roster = .known
    for party in [parties.0, parties.1] {
      let slot = slot(of: party.span)
      guard members[Int(slot)].periods.isEmpty else { continue }
      members[Int(slot)].periods = [
        Period(
          beginId: 0, beginSequence: -1, endId: nil, endSequence: nil, endedAt: nil,
          isExempt: false)
      ]
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

  /// Whether a uid has a membership, or had one that is not forgotten.
  func hasMembership(_ uid: Span<UInt8>, at now: Instant, _ rules: Rules) -> Bool {
    guard let slot = uids.find(uid) else { return false }
    return members[Int(slot)].hasMembership(at: now, window: rules.trackingWindow)
  }

  /// What decides who has to receive the message at an index, and which watermarks cover it.
  func facts(_ index: Int) -> MessageFacts {
    MessageFacts(
      id: timeline.ids[index], sequence: timeline.sequences[index],
      appliedAt: timeline.appliedAt[index], sentAt: timeline.sentAt[index])
  }

  /// The list that a message belongs to for receipts and unread counts: its thread, where threads
  /// are separate, else 0 for the conversation.
  func list(_ index: Int, _ rules: Rules) -> Int64 {
    rules.threads == .separate ? timeline.parents[index] : 0
  }

  /// How far a member has come in a list.
  func reach(_ slot: Int32, in list: Int64) -> Reach {
    let member = members[Int(slot)]
    guard list != 0 else { return Reach(delivered: member.delivered, read: member.read) }
    var reach = Reach(delivered: Watermarks(), read: Watermarks())
    if let position = positions[ThreadMember(slot: slot, parent: list)] {
      reach = Reach(delivered: position.delivered, read: position.read)
    }
    reach.delivered.sentUpTo = member.delivered.sentUpTo
    reach.delivered.sentUpToAt = member.delivered.sentUpToAt
    reach.read.sentUpTo = member.read.sentUpTo
    reach.read.sentUpToAt = member.read.sentUpToAt
    return reach
  }
}

/// The replies to one message.
struct Thread {
  /// Replies that are not deleted, expired ones among them.
  var replyCount: Int64 = 0
  /// Known replies that are not deleted; with what can be unread, where threads are separate.
  var replies = Countables()
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

// Noting what is to be written.
extension Conversation {
  /// Notes that a member's piece of state is to be written.
  mutating func memberChanged(_ slot: Int32) {
    guard isJournaled else { return }
    hasChanges = true
    guard !members[Int(slot)].isChanged else { return }
    members[Int(slot)].isChanged = true
    noted += 1
    changedMembers.append(slot)
  }

  /// Notes that the piece of state of the message at an index is to be written.
  mutating func messageChanged(_ index: Int) {
    guard isJournaled else { return }
    hasChanges = true
    guard timeline.flags[index].insert(.changed).inserted else { return }
    noted += 1
    changedMessages.append(timeline.ids[index])
  }

  /// Notes that the marks of the message at an index are to be written.
  mutating func marksChanged(_ index: Int) {
    guard isJournaled else { return }
    hasChanges = true
    guard timeline.flags[index].insert(.marksChanged).inserted else { return }
    noted += 1
    changedMarks.append(timeline.ids[index])
  }

  /// Notes that a thread's piece of state is to be written.
  mutating func threadChanged(_ parent: Int64) {
    guard isJournaled else { return }
    hasChanges = true
    guard threads[parent]?.isChanged == false else { return }
    threads[parent]?.isChanged = true
    noted += 1
    changedThreads.append(parent)
  }

  /// Notes that the conversation's own piece of state is to be written.
  mutating func conversationChanged() {
    guard isJournaled else { return }
    hasChanges = true
    if !isChanged { noted += 1 }
    isChanged = true
  }

  /// Notes that a piece of state is gone.
  ///
  /// - Parameter isWritten: whether the changelog has it.
  mutating func pieceRemoved(_ key: ChangeKey, isWritten: Bool) {
    guard isJournaled, isWritten else { return }
    hasChanges = true
    noted += 1
    removed.append(key)
  }
}
