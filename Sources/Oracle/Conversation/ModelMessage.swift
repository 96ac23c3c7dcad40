/// A message of a conversation.
final class ModelMessage {
  let id: Int64
  let sender: Bytes
  let sentAt: Int64
  let parent: Int64
  /// The list that it stands in: with `threads: separate` its parent's thread, else 0.
  let list: Int64
  /// Nil, too, where another message had it first.
  let messageUId: Bytes?
  private(set) var tracking: ModelTracking
  /// Who was there; nil where nobody is waited for, or no longer.
  private var presence: ModelPresence?
  /// The sender's number, if the sender was there.
  private let senderNumber: Int?
  let audienceSize: Int
  /// Who of the audience has; of a deleted message, who would have.
  private var marks = ModelByKind(delivered: ModelBits(), read: ModelBits())
  /// What the marks come to.
  private var running: ModelCounts
  /// What is counted once the tracking has ended.
  private var lastCounts: ModelCounts?
  /// When it was delivered to all, and read by all; of two users, when the recipient did it.
  var doneAt = ModelByKind<Int64?>(delivered: nil, read: nil)
  private(set) var deletion: ModelDeletion?
  /// What its outcome tells besides.
  var story = ModelStory()

  init(
    _ record: ModelMessageRecord, sender: Bytes, list: Int64, messageUId: Bytes?,
    tracking: ModelTracking, presence: ModelPresence?, senderNumber: Int?, waitsForLeavers: Bool
  ) {
    id = record.id
    self.sender = sender
    sentAt = record.sentAt
    parent = record.parentMessageId
    self.list = list
    self.messageUId = messageUId
    self.tracking = tracking
    self.presence = presence
    self.senderNumber = senderNumber
    // The sender is there, too, and nobody waits for the sender's own receipt.
    let own = senderNumber.flatMap { presence?[$0] }
    audienceSize = (presence?.size ?? 0) - (own == nil ? 0 : 1)
    let leavers = (presence?.leavers ?? 0) - (own?.end == nil ? 0 : 1)
    story.leaverInAudience = leavers > 0
    running = ModelCounts(waitingFor: audienceSize - (waitsForLeavers ? 0 : leavers))
  }

  /// The membership that makes a member one of its audience.
  func membership(of member: ModelMember) -> ModelMembership? {
    member.number == senderNumber ? nil : presence?[member.number]
  }

  /// All who make up its audience.
  var audience: [ModelMembership] {
    guard let presence else { return [] }
    return presence.memberships.compactMap(\.self).filter { $0.member.number != senderNumber }
  }

  func has(_ kind: ModelReceiptRecord.Kind, _ member: ModelMember) -> Bool {
    marks[kind].contains(member.number)
  }

  /// Notes that one of its audience has it, and says whether that is news. Who reads a message
  /// has received it.
  func mark(
    _ kind: ModelReceiptRecord.Kind, _ membership: ModelMembership, isWaitedFor: Bool
  ) -> Bool {
    guard !has(kind, membership.member) else { return false }
    if kind == .read { _ = mark(.delivered, membership, isWaitedFor: isWaitedFor) }
    marks.change(kind) { $0.insert(membership.member.number) }
    running.done[kind] += 1
    if isWaitedFor { running.waiting[kind] -= 1 }
    return true
  }

  /// One of its audience has left and is waited for no more.
  func release(_ member: ModelMember) {
    for kind in [ModelReceiptRecord.Kind.delivered, .read] {
      if !has(kind, member) { running.waiting[kind] -= 1 }
      story.lastNeeded.change(kind) { $0.forget(member.number) }
    }
  }

  /// Nobody is waited for any more, and somebody really has done it. Of a deleted message: it
  /// would be.
  func isComplete(_ kind: ModelReceiptRecord.Kind) -> Bool {
    running.waiting[kind] == 0 && running.done[kind] > 0
  }

  /// Nothing changes its counts from now on.
  func close(_ reason: ModelTracking.Reason) {
    lastCounts = counts
    tracking = .ended(reason)
    if reason != .deleted { presence = nil }
  }

  /// It is deleted: its counts stand still, but the marks go on, as the outcome tells what would
  /// have been.
  func delete(_ deletion: ModelDeletion) {
    self.deletion = deletion
    close(.deleted)
  }

  /// Its tracking had ended with these counts before the model began.
  func begin(_ counts: ModelCounts) { lastCounts = counts }

  var counts: ModelCounts { lastCounts ?? running }
}

/// Who was in a conversation at some place of it, shared by the messages that see the same.
final class ModelPresence {
  /// By the numbers of their members; those for whom nobody waits are left out.
  let memberships: [ModelMembership?]
  /// How many were there, with those for whom nobody waits.
  let count: Int
  /// How many are not left out, and how many of these have left since.
  let size: Int
  let leavers: Int

  /// - Parameter present: of two memberships of one member the later counts.
  init(_ present: some Sequence<ModelMembership>, of members: Int) {
    var memberships: [ModelMembership?] = Array(repeating: nil, count: members)
    for membership in present { memberships[membership.member.number] = membership }
    count = memberships.count { $0 != nil }
    for (number, membership) in memberships.enumerated() where membership?.isExempt == true {
      memberships[number] = nil
    }
    size = memberships.count { $0 != nil }
    leavers = memberships.count { $0?.end != nil }
    self.memberships = memberships
  }

  subscript(number: Int) -> ModelMembership? {
    number < memberships.count ? memberships[number] : nil
  }
}

/// A delete that was accepted.
struct ModelDeletion {
  var by: Bytes
  var at: Int64
  /// Stream time when it was accepted.
  var acceptedAt: Int64

  func isSame(as other: ModelDeletion) -> Bool { by == other.by && at == other.at }
}
