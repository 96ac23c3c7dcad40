extension Model {
  /// A cumulative `read` moves its sender's cursor in a list.
  mutating func read(
    _ accepted: ModelAccepted, by member: ModelMember, _ list: Int64, upTo id: Int64,
    in conversation: ModelConversation
  ) {
    let isMoved = member.cursors.read(list, upTo: id, at: accepted.at)
    // Without a roster nobody is told, as nobody is known to be a member.
    guard isMoved, conversation.roster == .known, rules.unreadEvents == "all" else { return }
    tellUnread(of: member, list, accepted, in: conversation)
  }

  /// An `unread` of a known message.
  mutating func unread(
    _ accepted: ModelAccepted, _ known: ModelKnown, by member: ModelMember?,
    in conversation: ModelConversation
  ) {
    guard conversation.roster != .tooLarge else { return }
    let uid = accepted.receipt.sender
    if known.message?.sender == uid {
      reject(accepted.source, ModelFault("ERR_CANNOT_MARK_OWN_MESSAGE"))
      return
    }
    let list = known.message?.list ?? 0
    let member = kept(member, uid, in: conversation)
    member?.cursors.unread(list, known.id, at: accepted.at)
    if rules.unreadEvents == "none" { return }
    tellUnread(
      of: member ?? ModelMember(uid: uid, number: 0), list, accepted, in: conversation)
  }

  /// The highest known id of each list among those that were sent up to a time.
  func newest(
    sentUpTo time: Int64, in conversation: ModelConversation
  ) -> [(list: Int64, id: Int64)] {
    let main = conversation.known.all.last { known in
      known.sentAt <= time && (known.message?.list ?? 0) == 0
    }
    var newest: [(list: Int64, id: Int64)] = [(list: 0, id: main?.id ?? 0)]
    guard rules.threads == "separate" else { return newest }
    for (parent, thread) in conversation.threads.sorted(by: { $0.key < $1.key }) {
      guard let reply = thread.replies.all.last(where: { $0.sentAt <= time }) else { continue }
      newest.append((list: parent, id: reply.id))
    }
    return newest
  }

  private mutating func tellUnread(
    of member: ModelMember, _ list: Int64, _ accepted: ModelAccepted,
    in conversation: ModelConversation
  ) {
    let cursor = member.cursors[list]
    var unread = ModelUnread(uid: member.uid, list: list, count: 0, lastRead: cursor.lastRead)
    if let membership = member.memberships.last {
      let start = max(cursor.id, membership.begin)
      let counted = conversation.messages(of: list, above: start, upTo: membership.end ?? .max)
        .filter { $0.deletion == nil && $0.sender != member.uid }
      unread.count = counted.count
      unread.from = counted.first?.id
    }
    let event = ModelEvent(
      conversation: conversation.name, origin: accepted.source.nextOrigin(),
      content: .unread(unread))
    outputs.add(event, .unread)
  }
}
