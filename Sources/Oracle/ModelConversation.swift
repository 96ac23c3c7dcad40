/// All that was ever applied to one conversation and is not forgotten.
///
/// Two users are a group of two (or one, who talks to himself) whose memberships began before
/// every id and never end.
final class ModelConversation {
  enum Roster { case unknown, known, tooLarge }

  let name: ModelConversationName
  var roster = Roster.unknown
  /// The id of the first roster that was applied.
  var firstRosterId: Int64?
  /// The id of the roster that ended the second limit.
  var largeFloor: Int64?
  /// Who is above participant, while the roster is too large to be known.
  var scopes: Set<Bytes> = []
  /// Every id that came and has not expired, of whatever kind.
  var known: [Int64: ModelKnown] = [:]
  var highestExpired: Int64 = 0
  /// Stream time at the last record.
  var lastRecordAt: Int64
  /// In the order of application.
  var memberships: [ModelMembership] = []
  /// When the last of those memberships ended that are forgotten.
  var formerMembers: [Bytes: Int64] = [:]
  /// Every cumulative receipt that was accepted, in the order of application.
  var claims: [ModelClaim] = []
  /// What was done to unread cursors, in the order of application.
  var cursorMoves: [ModelCursorMove] = []
  /// Who has sent or received something while the roster was unknown.
  var strangers: Set<Bytes> = []
  /// Deletes that were accepted before their messages came.
  var earlyDeletes: [Int64: ModelDeletion] = [:]
  /// The replies to each parent.
  var threads: [Int64: [Int64: ModelReply]] = [:]

  init(name: ModelConversationName, at time: Int64) {
    self.name = name
    lastRecordAt = time
    guard !isGroup else { return }
    roster = .known
    memberships = name.users.map { ModelMembership(uid: $0, begin: 0) }
  }

  var isGroup: Bool { name.guid != nil }

  /// All messages, rising by id.
  var messages: [ModelMessage] { known.values.compactMap(\.message).sorted { $0.id < $1.id } }

  /// The messages whose receipts count, rising by id.
  var tracked: [ModelMessage] { messages.filter { $0.tracking == .on } }

  func hasMembership(_ uid: Bytes) -> Bool { memberships.contains { $0.uid == uid } }

  /// The memberships that last, one a uid.
  var current: [Bytes: ModelMembership] {
    Dictionary(memberships.filter { $0.end == nil }.map { ($0.uid, $0) }) { _, later in later }
  }

  /// Who was in the group at the place of an id, by what is known now; of two memberships of one
  /// uid the one applied later.
  func present(at id: Int64) -> [Bytes: ModelMembership] {
    var present: [Bytes: ModelMembership] = [:]
    for membership in memberships where membership.begin < id {
      if let end = membership.end, end < id { continue }
      present[membership.uid] = membership
    }
    return present
  }

  /// The message that holds a `messageUId`.
  func holder(of messageUId: Bytes) -> ModelMessage? {
    messages.first { $0.messageUId == messageUId }
  }

  /// Forgets what was said of a thread.
  func forget(_ thread: Int64) {
    claims.removeAll { $0.list == thread }
    cursorMoves.removeAll { $0.list == thread }
  }

  func isBelowAllKnown(_ id: Int64) -> Bool { known.keys.allSatisfy { id < $0 } }

  /// Whether an id is one of those that have expired, as far as can be told.
  func isGone(_ id: Int64) -> Bool { id <= highestExpired && isBelowAllKnown(id) }

  /// When a message was covered by what its member had said before it came.
  func coveredAt(_ kind: ModelReceiptRecord.Kind, by uid: Bytes, _ message: ModelMessage) -> Int64?
  {
    let own = claims.filter { $0.uid == uid && $0.kind == kind }
    let ids = own.filter { $0.list == message.list && $0.upTo >= message.id }
    let times = own.filter { $0.sentUpTo >= message.sentAt }
    return ids.max { $0.upTo < $1.upTo }?.at ?? times.max { $0.sentUpTo < $1.sentUpTo }?.at
  }
}

/// One id of the message topic.
struct ModelKnown {
  var id: Int64
  var sentAt: Int64
  /// Stream time when it was applied.
  var appliedAt: Int64
  /// Nil for an action record, and for a message that was rejected for its parent.
  var message: ModelMessage?
}

/// One time of a uid in the group.
final class ModelMembership {
  let uid: Bytes
  let begin: Int64
  let isExempt: Bool
  var scope: ModelScope
  /// The id of the record that ended it.
  var end: Int64?
  /// Stream time when it was ended.
  var endedAt: Int64?

  init(
    uid: Bytes, begin: Int64, isExempt: Bool = false, scope: ModelScope = .participant
  ) {
    self.uid = uid
    self.begin = begin
    self.isExempt = isExempt
    self.scope = scope
  }
}

/// What a cumulative receipt says, once it is accepted.
struct ModelClaim {
  var uid: Bytes
  var kind: ModelReceiptRecord.Kind
  /// The receipt's time.
  var at: Int64
  /// The list whose ids are meant.
  var list: Int64 = 0
  /// Covers this id of the list and every earlier one.
  var upTo: Int64 = 0
  /// Covers what was sent up to this time, in every list.
  var sentUpTo: Int64 = .min

  func covers(_ message: ModelMessage) -> Bool {
    message.list == list && message.id <= upTo || message.sentAt <= sentUpTo
  }
}

/// One reply, of a thread that is kept.
struct ModelReply {
  var sentAt: Int64
  var isDeleted: Bool
}

/// A delete that was accepted.
struct ModelDeletion {
  var by: Bytes
  var at: Int64
  /// Stream time when it was accepted.
  var acceptedAt: Int64

  func isSame(as other: ModelDeletion) -> Bool { by == other.by && at == other.at }
}
