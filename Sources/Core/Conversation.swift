/// The state of one conversation: who is in it, what is known of its messages, and how far each
/// member has come.
struct Conversation {
  /// The conversation id.
  let id: [UInt8]
  var roster = RosterState.unknown
  /// The id of the first roster applied: messages below it are `ROSTER_UNKNOWN`.
  var firstRosterId: Int64?
  /// The id of the roster that ended the second limit: messages below it are `GROUP_TOO_LARGE`.
  var largeFloor: Int64?
  /// The uids that have a slot: members, former members, senders.
  var uids = NameTable()
  /// By slot.
  var members: [Member] = []
  var timeline = Timeline()
  /// The `messageUId`s of known messages, and the ids of their messages by slot.
  var messageUIds = NameTable()
  var messageUIdOwners: [Int64] = []
  /// What waits here; nil while nothing does.
  var waiting: ConversationWaiting?

  // Derived, and counted again by a restore.

  /// Members in the group now, and those of them for whom nobody waits.
  var activeCount = 0
  var activeExemptCount = 0
  /// The highest id of a record that began or ended a membership.
  var highestMembershipId: Int64 = 0
  /// The highest watermark of anybody: a message above both of these is covered by nobody.
  var highestUpTo: Int64 = 0
  var highestSentUpTo = Instant.distantPast

  // Pieces of state that are to be written.

  var isChanged = false
  /// Whether any piece is to be written: then the machine knows this conversation as changed.
  var hasChanges = false
  var isListed = false
  var changedMembers: [Int32] = []
  var changedMessages: [Int64] = []
  var changedMarks: [Int64] = []
  /// Pieces that the changelog has and that are gone.
  var removedMembers: [Int32] = []
  var removedMarks: [Int64] = []

  init(id: [UInt8]) { self.id = id }

  /// The slot of a uid, which gets one if it has none.
  mutating func slot(of uid: Span<UInt8>) -> Int32 {
    let slot = uids.intern(uid)
    while members.count <= Int(slot) { members.append(Member()) }
    return slot
  }

  /// Whether a uid has, or had, a membership.
  func hasMembership(_ uid: Span<UInt8>) -> Bool {
    guard let slot = uids.find(uid) else { return false }
    return !members[Int(slot)].periods.isEmpty
  }

  /// Notes that a member's piece of state is to be written.
  mutating func memberChanged(_ slot: Int32) {
    hasChanges = true
    guard !members[Int(slot)].isChanged else { return }
    members[Int(slot)].isChanged = true
    changedMembers.append(slot)
  }

  /// Notes that the piece of state of the message at an index is to be written.
  mutating func messageChanged(_ index: Int) {
    hasChanges = true
    guard timeline.flags[index].insert(.changed).inserted else { return }
    changedMessages.append(timeline.ids[index])
  }

  /// Notes that the marks of the message at an index are to be written.
  mutating func marksChanged(_ index: Int) {
    hasChanges = true
    guard timeline.flags[index].insert(.marksChanged).inserted else { return }
    changedMarks.append(timeline.ids[index])
  }

  /// Notes that the piece of state of the conversation itself is to be written.
  mutating func conversationChanged() {
    hasChanges = true
    isChanged = true
  }
}

/// What one application of a record needs besides the conversation, and where its effects go.
struct Application {
  /// The record being applied: the one that completes what it completes.
  var source: Coordinates
  /// The timestamp that counts for it.
  var timestamp: Instant
  /// Stream time.
  var now: Instant
  /// The conversation's id in the arena of the outputs, once it is there.
  var conversation: Text?
  /// How many events the record has caused so far.
  var eventsSoFar: Int64 = 0

  /// Gives the next number among the record's events.
  mutating func nextEvent() -> EventNumber {
    defer { eventsSoFar += 1 }
    return EventNumber(topic: source.topic, offset: source.offset, number: eventsSoFar)
  }
}

/// Memory that is used again for every record.
struct Scratch {
  /// Timeline indices of messages that a receipt newly covers, in its own kind.
  var covered: [Int] = []
  /// Timeline indices of messages that became complete.
  var deliveredToAll: [Int] = []
  var readByAll: [Int] = []
  /// Timeline indices of the messages that an exact receipt names.
  var named: [Int] = []
  /// Positions in a receipt's list of ids.
  var missing: [Int32] = []
  /// A mark for each slot that a roster names.
  var isNamed: [Bool] = []
  var groups = SenderGroups()
  /// Ids whose status is to be written.
  var touched: [Int64] = []

  mutating func begin() {
    covered.removeAll(keepingCapacity: true)
    deliveredToAll.removeAll(keepingCapacity: true)
    readByAll.removeAll(keepingCapacity: true)
  }
}
