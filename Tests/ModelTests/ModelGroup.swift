/// All that was ever applied to one conversation.
final class ModelGroup {
  enum Roster { case unknown, known, tooLarge }

  let name: ModelConversationName
  var roster = Roster.unknown
  /// The id of the first roster that was applied.
  var firstRosterId: Int64?
  /// The id of the roster that ended the second limit.
  var largeFloor: Int64?
  /// Every id that came, of whatever kind.
  var known: [Int64: ModelKnown] = [:]
  /// In the order of application.
  var memberships: [ModelMembership] = []
  /// Every receipt that was accepted.
  var claims: [ModelClaim] = []

  init(name: ModelConversationName) { self.name = name }

  /// All messages, rising by id.
  private(set) var messages: [ModelMessage] = []

  /// The messages whose receipts count, rising by id.
  var tracked: [ModelMessage] { messages.filter { $0.tracking == .on } }

  func hasMembership(_ uid: Bytes) -> Bool { memberships.contains { $0.uid == uid } }

  /// The memberships that last, one a uid.
  var current: [Bytes: ModelMembership] {
    Dictionary(memberships.filter { $0.end == nil }.map { ($0.uid, $0) }) { _, later in later }
  }

  func add(_ message: ModelMessage) {
    known[message.id] = ModelKnown(id: message.id, message: message)
    messages.append(message)
    messages.sort { $0.id < $1.id }
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
}

/// One id of the message topic.
struct ModelKnown {
  var id: Int64
  /// Nil for an action record.
  var message: ModelMessage?
}

/// One time of a uid in the group.
final class ModelMembership {
  let uid: Bytes
  let begin: Int64
  let isExempt: Bool
  /// The id of the record that ended it.
  var end: Int64?

  init(uid: Bytes, begin: Int64, isExempt: Bool) {
    self.uid = uid
    self.begin = begin
    self.isExempt = isExempt
  }
}

/// What a receipt says, once it is accepted.
struct ModelClaim {
  enum Covers {
    case upTo(Int64)
    case sentUpTo(Int64)
    case exactly(Set<Int64>)
  }

  var uid: Bytes
  var kind: ModelReceiptRecord.Kind
  var covers: Covers

  func covers(_ message: ModelMessage) -> Bool {
    switch covers {
    case .upTo(let id): message.id <= id
    case .sentUpTo(let time): message.sentAt <= time
    case .exactly(let ids): ids.contains(message.id)
    }
  }
}

/// A message of a group.
final class ModelMessage {
  enum Tracking: Equatable {
    case on
    case off(String)
    case ended(String)
  }

  let id: Int64
  let sender: Bytes
  let sentAt: Int64
  /// Nil, too, where another message had it first.
  let messageUId: Bytes?
  var tracking: Tracking
  /// Who shall receive and read it, each by the membership that makes him one of them.
  let audience: [Bytes: ModelMembership]
  /// Who of the audience has.
  var delivered: Set<Bytes> = []
  var read: Set<Bytes> = []
  /// When it was delivered to all, and read by all.
  var deliveredAt: Int64?
  var readAt: Int64?
  /// What is counted once the tracking has ended.
  var lastCounts: ModelCounts?

  init(
    _ record: ModelMessageRecord, messageUId: Bytes?, tracking: Tracking,
    audience: [Bytes: ModelMembership]
  ) {
    id = record.id
    sender = record.sender
    sentAt = record.sentAt
    self.messageUId = messageUId
    self.tracking = tracking
    self.audience = audience
  }

  /// Who has done one kind.
  func done(_ kind: ModelReceiptRecord.Kind) -> Set<Bytes> {
    kind == .delivered ? delivered : read
  }

  /// Whether somebody of the audience has a say still, under a rule for leavers.
  func waitsFor(_ uid: Bytes, _ leavers: String) -> Bool {
    guard let membership = audience[uid] else { return false }
    return membership.end == nil || leavers == "hold"
  }

  /// Nobody is waited for any more, and somebody really has done it.
  func isComplete(_ kind: ModelReceiptRecord.Kind, _ leavers: String) -> Bool {
    let done = done(kind)
    return !done.isEmpty
      && audience.keys.allSatisfy { done.contains($0) || !waitsFor($0, leavers) }
  }

  func counts(_ leavers: String) -> ModelCounts {
    if let lastCounts { return lastCounts }
    let waiting = audience.keys.filter { waitsFor($0, leavers) }
    return ModelCounts(
      delivered: delivered.count, undelivered: waiting.count { !delivered.contains($0) },
      read: read.count, unread: waiting.count { !read.contains($0) })
  }
}

struct ModelCounts: Equatable {
  var delivered = 0
  var undelivered = 0
  var read = 0
  var unread = 0
}
