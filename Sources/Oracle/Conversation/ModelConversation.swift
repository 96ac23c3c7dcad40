/// All that was ever applied to one conversation and is not forgotten.
///
/// Two users are a group of two (or one, who talks to himself) whose memberships began before
/// every id and never end.
final class ModelConversation {
  let name: ModelConversationName
  var roster = OracleStart.Roster.unknown
  /// The id of the first roster that was applied.
  var firstRosterId: Int64?
  /// The id of the roster that ended the second limit.
  var largeFloor: Int64?
  /// Who is above participant, while the roster is too large to be known.
  var scopes: Set<Bytes> = []
  /// Every id that came and has not expired, of whatever kind.
  private(set) var known = ModelSorted<ModelKnown>()
  /// The messages among them, by the time when they were sent.
  private var sent = ModelSorted<ModelSent>()
  private var messageUIds: [Bytes: ModelMessage] = [:]
  /// How many known messages each uid has sent.
  private var sentCounts: [Bytes: Int] = [:]
  var highestExpired: Int64 = 0
  /// Stream time at the last record.
  var lastRecordAt: Int64
  /// Nobody knows when some of its records were applied: it is not forgotten.
  var isTimeless = false
  /// Whether it is looked at one window after its last record.
  var isScheduled = false

  /// Everybody of whom something is known or was said, by uid and by number.
  private var numbers: [Bytes: Int] = [:]
  private(set) var members: [ModelMember] = []
  /// How many memberships last.
  private(set) var currentCount = 0
  /// The highest id that began or ended a membership.
  private var highestMembershipId: Int64 = 0
  /// Those memberships that last, until one begins or ends.
  private var everybody: ModelPresence?
  /// Who has sent or received something while the roster was unknown.
  var strangers: Set<Bytes> = []
  /// No receipt that was accepted covers an id, or a time, above these.
  var highestClaim: Int64 = 0
  var highestClaimedTime = Int64.min

  /// Deletes that were accepted before their messages came.
  var earlyDeletes: [Int64: ModelEarlyDelete] = [:]
  /// The threads, by parent.
  var threads: [Int64: ModelThread] = [:]
  var waiting = ModelWaitingRoom()
  var pastLimit = ModelPastLimit()

  init(name: ModelConversationName, at time: Int64) {
    self.name = name
    lastRecordAt = time
    guard !isGroup else { return }
    roster = .known
    for uid in name.users {
      let member = ensureMember(uid)
      member.memberships = [ModelMembership(of: member, begin: 0)]
    }
    currentCount = members.count
  }

  var isGroup: Bool { name.guid != nil }

  /// Whether it is not forgotten however old its last record is.
  var isLasting: Bool {
    isTimeless || isGroup && (roster == .tooLarge || currentCount > 0)
  }

  // Ids and messages.

  /// All messages, rising by id.
  var messages: [ModelMessage] { known.all.compactMap(\.message) }

  /// The messages of a list above an id, rising.
  func messages(of list: Int64, above id: Int64, upTo last: Int64 = .max) -> [ModelMessage] {
    guard list == 0 else {
      return threads[list].map { Array($0.replies.above(id, upTo: last)) } ?? []
    }
    return known.above(id, upTo: last).compactMap { known in
      known.message.flatMap { $0.list == 0 ? $0 : nil }
    }
  }

  /// The messages that were sent after a time and up to another, rising by id.
  func messages(sentAfter time: Int64, upTo last: Int64) -> [ModelMessage] {
    sent.above(ModelSent.Key(at: time, id: .max), upTo: ModelSent.Key(at: last, id: .max))
      .map(\.message).sorted { $0.id < $1.id }
  }

  func add(_ known: ModelKnown) {
    self.known.insert(known)
    guard let message = known.message else { return }
    sent.insert(ModelSent(message: message))
    sentCounts[message.sender, default: 0] += 1
    if let uid = message.messageUId { messageUIds[uid] = message }
  }

  /// An id has expired.
  func remove(_ known: ModelKnown) {
    self.known.remove(known.id)
    highestExpired = max(highestExpired, known.id)
    guard let message = known.message else { return }
    sent.remove(ModelSent(message: message).key)
    sentCounts[message.sender, default: 0] -= 1
    if sentCounts[message.sender] == 0 { sentCounts[message.sender] = nil }
    if let uid = message.messageUId { messageUIds[uid] = nil }
  }

  /// The message that holds a `messageUId`.
  func holder(of messageUId: Bytes) -> ModelMessage? { messageUIds[messageUId] }

  func hasKnownMessages(of uid: Bytes) -> Bool { sentCounts[uid] != nil }

  func isBelowAllKnown(_ id: Int64) -> Bool { known.first.map { id < $0.id } ?? true }

  /// Whether an id is one of those that have expired, as far as can be told.
  func isGone(_ id: Int64) -> Bool { id <= highestExpired && isBelowAllKnown(id) }

  // Members.

  func member(_ uid: Bytes) -> ModelMember? { numbers[uid].map { members[$0] } }

  /// The member with a uid, with whom something begins.
  func ensureMember(_ uid: Bytes) -> ModelMember {
    if let member = member(uid) { return member }
    let member = ModelMember(uid: uid, number: members.count)
    numbers[uid] = member.number
    members.append(member)
    return member
  }

  func hasMembership(_ uid: Bytes) -> Bool { member(uid)?.memberships.isEmpty == false }

  func begin(_ member: ModelMembershipRecord.Member, at id: Int64) {
    let uid = ensureMember(member.uid)
    guard uid.current == nil else { return }
    uid.memberships.append(
      ModelMembership(of: uid, begin: id, isExempt: member.isExempt, scope: member.scope))
    currentCount += 1
    membershipsChanged(at: id)
  }

  /// Takes a membership of a state that the model begins with.
  func begin(
    _ period: OracleStart.Period, of member: ModelMember, scope: ModelScope
  ) -> ModelMembership {
    let membership = ModelMembership(
      of: member, begin: period.ids.begin, isExempt: period.isExempt, scope: scope)
    membership.end = period.ids.end
    membership.endedAt = period.endedAt
    member.memberships.append(membership)
    if period.ids.end == nil { currentCount += 1 }
    membershipsChanged(at: max(period.ids.begin, period.ids.end ?? 0))
    return membership
  }

  /// Ends the membership of a uid, if there is one.
  func end(_ uid: Bytes, at id: Int64) -> ModelMembership? {
    guard let membership = member(uid)?.current else { return nil }
    membership.end = id
    currentCount -= 1
    membershipsChanged(at: id)
    return membership
  }

  private func membershipsChanged(at id: Int64) {
    everybody = nil
    highestMembershipId = max(highestMembershipId, id)
  }

  /// Forgets the roster and all that members have said.
  func forgetMembers() {
    for member in members {
      member.memberships = []
      member.forgetClaims()
    }
    currentCount = 0
    everybody = nil
  }

  /// Who was in the conversation at the place of an id, by what is known now.
  func presence(at id: Int64) -> ModelPresence {
    guard id > highestMembershipId else {
      let present = members.lazy.flatMap { member in
        member.memberships.filter { $0.holds(at: id) && !$0.isUnseen }
      }
      return ModelPresence(present, of: members.count)
    }
    if let everybody { return everybody }
    let presence = ModelPresence(members.lazy.compactMap(\.current), of: members.count)
    everybody = presence
    return presence
  }
}

/// One id of the message topic.
struct ModelKnown: ModelKeyed {
  var id: Int64
  var sentAt: Int64
  /// Nil for an action record, and for a message that was rejected for its parent.
  var message: ModelMessage?

  var key: Int64 { id }
}

/// A message by the time when it was sent.
struct ModelSent: ModelKeyed {
  struct Key: Comparable {
    var at: Int64
    var id: Int64

    static func < (a: Key, b: Key) -> Bool { a.at == b.at ? a.id < b.id : a.at < b.at }
  }

  var message: ModelMessage

  var key: Key { Key(at: message.sentAt, id: message.id) }
}

extension ModelMessage: ModelKeyed {
  var key: Int64 { id }
}

/// A delete that was accepted before its message came, and those that named it after that.
struct ModelEarlyDelete {
  var deletion: ModelDeletion
  var records: [ModelOutcome.Delete]
}

/// What may be missed of receipts for the second limit.
struct ModelPastLimit {
  var wasPassed = false
  /// The highest id that was known past the limit: a receipt that names it, or one before, may
  /// have been passed over.
  var highestId: Int64 = 0
  /// The same for receipts of the whole conversation: the latest time that one of them covered.
  var sentUpTo = Int64.min

  func touches(_ message: ModelMessage) -> Bool {
    wasPassed && (message.id <= highestId || message.sentAt <= sentUpTo)
  }
}
