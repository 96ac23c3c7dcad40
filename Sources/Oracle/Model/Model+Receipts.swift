/// A receipt that is accepted, with what is asked of it again and again.
struct ModelAccepted {
  var receipt: ModelReceiptRecord
  /// The receipt's time.
  var at: Int64
  var source: ModelSource
  /// It has waited.
  var hasWaited: Bool
  /// Nothing else of its sender waits that could have covered the same before.
  var isFirst: Bool
}

extension Model {
  /// Applies what can be applied of a receipt now. Gives false where it has to wait (still).
  mutating func attempt(_ receipt: ModelReceiptRecord, _ waiter: ModelWaiting) -> Bool {
    let conversation = waiter.conversation
    let member = conversation.member(receipt.sender)
    waiter.waitsForMembership =
      conversation.roster == .known && member?.memberships.isEmpty ?? true
    if waiter.waitsForMembership { return false }
    let accepted = ModelAccepted(
      receipt: receipt, at: waiter.source.time(ofDevice: receipt.at), source: waiter.source,
      hasWaited: waiter.hasWaited,
      isFirst: conversation.waiting.count(of: receipt.sender) == (waiter.hasWaited ? 1 : 0))
    switch receipt.covers {
    case .upTo(let id):
      if conversation.known[id] == nil, !conversation.isGone(id) { return false }
      applyCumulative(accepted, upTo: id, by: member, in: conversation)
      return true
    case .conversation:
      applyToAll(accepted, by: member, in: conversation)
      return true
    case .exactly: return applyExactly(accepted, waiter, by: member, in: conversation)
    }
  }

  private mutating func applyCumulative(
    _ accepted: ModelAccepted, upTo id: Int64, by member: ModelMember?,
    in conversation: ModelConversation
  ) {
    let receipt = accepted.receipt
    guard let known = conversation.known[id] else {
      readExpired(accepted, upTo: id, by: member, in: conversation)
      return
    }
    let list = known.message?.list ?? 0
    if receipt.kind == .unread {
      unread(accepted, known, by: member, in: conversation)
      return
    }
    guard let member = kept(member, receipt.sender, in: conversation) else { return }
    let claims = member.claims
    member.claims.change(receipt.kind) { $0.claim(list, upTo: id, at: accepted.at) }
    conversation.highestClaim = max(conversation.highestClaim, id)
    // Up to where the member had come all is there; what is read is received.
    let start = max(claims[receipt.kind].upTo(list).value, claims.read.upTo(list).value)
    _ = cover(
      conversation.messages(of: list, above: start, upTo: id), accepted, by: member,
      in: conversation)
    if receipt.kind == .read { read(accepted, by: member, list, upTo: id, in: conversation) }
  }

  /// A receipt that names what has expired adds nothing, but a `read` moves the cursor.
  private mutating func readExpired(
    _ accepted: ModelAccepted, upTo id: Int64, by member: ModelMember?,
    in conversation: ModelConversation
  ) {
    guard accepted.receipt.kind == .read,
      let member = kept(member, accepted.receipt.sender, in: conversation)
    else { return }
    // The thread that it names beside a message that does not tell.
    let list = rules.threads == "separate" ? max(0, accepted.receipt.parentMessageId) : 0
    read(accepted, by: member, list, upTo: id, in: conversation)
    // Of a thread of which nothing is known nothing is kept; but the member is told.
    if list > 0, conversation.threads[list] == nil { member.forget(list) }
  }

  /// A receipt of the whole conversation.
  private mutating func applyToAll(
    _ accepted: ModelAccepted, by member: ModelMember?, in conversation: ModelConversation
  ) {
    let receipt = accepted.receipt
    let time = accepted.at
    conversation.pastLimit.sentUpTo = max(conversation.pastLimit.sentUpTo, time)
    guard let member = kept(member, receipt.sender, in: conversation) else { return }
    let claims = member.claims
    member.claims.change(receipt.kind) { $0.claim(sentUpTo: time, at: accepted.at) }
    conversation.highestClaimedTime = max(conversation.highestClaimedTime, time)
    let start = max(claims[receipt.kind].sentUpTo.value, claims.read.sentUpTo.value)
    _ = cover(
      conversation.messages(sentAfter: start, upTo: time), accepted, by: member, in: conversation)
    guard receipt.kind == .read else { return }
    for (list, id) in newest(sentUpTo: time, in: conversation) {
      read(accepted, by: member, list, upTo: id, in: conversation)
    }
    member.cursors.readAll(at: accepted.at)
  }

  /// What is known now is covered, and what is expired is passed over; the rest waits.
  private mutating func applyExactly(
    _ accepted: ModelAccepted, _ waiter: ModelWaiting, by member: ModelMember?,
    in conversation: ModelConversation
  ) -> Bool {
    var messages: [Int64: ModelMessage] = [:]
    for target in waiter.missing {
      switch target {
      case .id(let id):
        guard let known = conversation.known[id] else {
          if conversation.isGone(id) { waiter.missing.remove(target) }
          continue
        }
        messages[id] = known.message
      case .uid(let uid):
        guard let message = conversation.holder(of: uid) else { continue }
        messages[message.id] = message
      }
      waiter.missing.remove(target)
    }
    // Of whom nothing is known is in no audience.
    guard let member else { return waiter.missing.isEmpty }
    let named = messages.values.sorted { $0.id < $1.id }
    let added = cover(named, accepted, by: member, in: conversation)
    if accepted.receipt.kind == .read { respond(to: added, accepted) }
    return waiter.missing.isEmpty
  }

  /// The member of whom is kept what a uid says of itself. Past the second limit that is nobody;
  /// while the roster is unknown anybody, but no more uids than a group can have, and for the
  /// senders of what is known there is a place.
  func kept(
    _ member: ModelMember?, _ uid: Bytes, in conversation: ModelConversation
  ) -> ModelMember? {
    switch conversation.roster {
    case .known: return member
    case .tooLarge: return nil
    case .unknown:
      if conversation.strangers.count < 2 * rules.maxGroupMembers {
        conversation.strangers.insert(uid)
      }
      return conversation.strangers.contains(uid) ? conversation.ensureMember(uid) : nil
    }
  }

  /// Notes that a member has these messages; gives those that this is new for.
  private mutating func cover(
    _ messages: [ModelMessage], _ accepted: ModelAccepted, by member: ModelMember,
    in conversation: ModelConversation
  ) -> [ModelMessage] {
    let kind = accepted.receipt.kind
    let marked = messages.filter { mark($0, accepted, by: member) }
    guard !marked.isEmpty else { return [] }
    let added = marked.filter { $0.tracking == .on }
    if !conversation.isGroup {
      for message in added {
        if message.doneAt.delivered == nil { message.doneAt.delivered = accepted.at }
        message.doneAt[kind] = message.doneAt[kind] ?? accepted.at
        outputs.touch(message.id, in: conversation)
      }
    }
    if !added.isEmpty { tellSenders(of: added, accepted) }
    announce(among: marked, in: conversation, cause: .receipt, at: accepted.at)
    return added
  }

  /// Whether a receipt is news for a message.
  private func mark(
    _ message: ModelMessage, _ accepted: ModelAccepted, by member: ModelMember
  ) -> Bool {
    guard let membership = message.membership(of: member) else { return false }
    let had = message.has(.delivered, member)
    let isWaitedFor = membership.end == nil || rules.waitsForLeavers
    let kind = accepted.receipt.kind
    guard message.mark(kind, membership, isWaitedFor: isWaitedFor) else { return false }
    if accepted.hasWaited { message.story.hasWaited = true }
    guard isWaitedFor, accepted.isFirst else { return true }
    let offset = accepted.source.input.offset
    if kind == .read { message.story.lastNeeded.read.note(offset, of: member.number) }
    if !had { message.story.lastNeeded.delivered.note(offset, of: member.number) }
    return true
  }
}
