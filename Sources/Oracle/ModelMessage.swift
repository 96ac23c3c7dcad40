/// A message of a conversation.
final class ModelMessage {
  enum Tracking: Equatable {
    case on
    case off(String)
    case ended(String)
  }

  let id: Int64
  let sender: Bytes
  let sentAt: Int64
  let parent: Int64
  /// The list that it stands in: with `threads: separate` its parent's thread, else 0.
  let list: Int64
  /// Nil, too, where another message had it first.
  let messageUId: Bytes?
  var tracking: Tracking
  /// Who shall receive and read it, each by the membership that makes him one of them.
  let audience: [Bytes: ModelMembership]
  /// Who of the audience has.
  var delivered: Set<Bytes> = []
  var read: Set<Bytes> = []
  /// When it was delivered to all, and read by all; of two users, when the recipient did it.
  var deliveredAt: Int64?
  var readAt: Int64?
  var deletion: ModelDeletion?
  /// What is counted once the tracking has ended.
  private var lastCounts: ModelCounts?

  init(
    _ record: ModelMessageRecord, list: Int64, messageUId: Bytes?, tracking: Tracking,
    audience: [Bytes: ModelMembership]
  ) {
    id = record.id
    sender = record.sender
    sentAt = record.sentAt
    parent = record.parentMessageId
    self.list = list
    self.messageUId = messageUId
    self.tracking = tracking
    self.audience = audience
  }

  /// Who has done one kind.
  func done(_ kind: ModelReceiptRecord.Kind) -> Set<Bytes> {
    kind == .delivered ? delivered : read
  }

  /// Whether somebody of the audience has a say still, under a rule for leavers.
  private func waitsFor(_ uid: Bytes, _ leavers: String) -> Bool {
    guard let membership = audience[uid] else { return false }
    return membership.end == nil || leavers == "hold"
  }

  /// Nobody is waited for any more, and somebody really has done it.
  func isComplete(_ kind: ModelReceiptRecord.Kind, _ leavers: String) -> Bool {
    let done = done(kind)
    return !done.isEmpty
      && audience.keys.allSatisfy { done.contains($0) || !waitsFor($0, leavers) }
  }

  /// Nothing changes its counts from now on.
  func close(_ reason: String, _ leavers: String) {
    lastCounts = counts(leavers)
    tracking = .ended(reason)
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
