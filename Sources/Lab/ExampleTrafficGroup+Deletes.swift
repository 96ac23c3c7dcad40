import Core

// Replies, deletes and messages marked as unread.
extension ExampleTrafficGroup {
  /// Decides whether a new message is a reply, or one that is deleted before it comes.
  mutating func decideFate(of message: inout Message, using random: inout SplitMix64) {
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3:
      let parents = messages.suffix(12).filter { $0.parent == 0 && !$0.isDeleted }
      guard let parent = parents.randomElement(using: &random) else { return }
      message.parent = parent.id
      expectations.threads[name(parent.id), default: .init()].updates += 1
      expectations.threads[name(parent.id)]?.replyCount += 1
    case 3:
      message.isDeleted = true
      // What decides is the original that it brings: nothing else is known of the message yet.
      writeDelete(of: message, by: message.sender, bringsOriginal: true)
    default: break
    }
  }

  /// Has a message of an earlier round deleted, and in some rounds what cannot be.
  mutating func deleteMessages(_ round: Int, using random: inout SplitMix64) {
    now += 60
    let open = messages.indices.filter { !messages[$0].isDeleted }
    guard let index = open.randomElement(using: &random) else { return }
    let message = messages[index]
    let strangers = members.indices.dropFirst().filter { $0 != message.sender }
    if round == 2, let stranger = strangers.randomElement(using: &random) {
      writeDelete(of: message, by: stranger, bringsOriginal: false)
      expectations.rejections += 1
      return
    }
    // The first member owns the group.
    let actor = Bool.random(using: &random) ? message.sender : 0
    messages[index].isDeleted = true
    writeDelete(of: message, by: actor, bringsOriginal: Bool.random(using: &random))
    if message.parent != 0 {
      expectations.threads[name(message.parent)]?.updates += 1
      expectations.threads[name(message.parent)]?.replyCount -= 1
    }
    guard round == 3 else { return }
    // The same delete again changes nothing, another one is rejected.
    records.append(records[records.count - 1])
    now += 1
    writeDelete(of: message, by: 0, bringsOriginal: false)
    expectations.rejections += 1
  }

  /// Lets some members mark a message as unread when all is written, and one his own.
  mutating func markUnread(using random: inout SplitMix64) {
    now += 3600
    var present = members.indices.filter { members[$0].leftAt == nil && !members[$0].isBot }
    present.shuffle(using: &random)
    for index in present.prefix(2) {
      let member = members[index]
      let theirs = messages.filter {
        $0.sender != index && !$0.isDeleted && $0.id > member.joinedAt
      }
      guard let message = theirs.suffix(8).randomElement(using: &random) else { continue }
      writeUnread(message.id, by: index)
      // His other device is slow: what it read is older, and changes nothing.
      if member.readUpTo == lastId { writeOldRead(by: index) }
      let unread = theirs.filter { $0.id > message.id }
      let name = ExampleTraffic.MemberName(conversation: "group_\(guid)", uid: member.uid)
      expectations.unread[name] = .init(count: unread.count, from: unread.first?.id)
    }
    if let own = messages.last(where: { present.contains($0.sender) }), own.id.isMultiple(of: 3) {
      writeUnread(own.id, by: own.sender)
      expectations.rejections += 1
    }
  }

  private mutating func writeDelete(of message: Message, by actor: Int, bringsOriginal: Bool) {
    let original = bringsOriginal ? #","message":\#(text(of: message))"# : ""
    write(
      .deletes,
      """
      {"messageId":\(message.id),"receiverId":"\(guid)","receiverType":"group",\
      "deletedBy":{"uid":"\(members[actor].uid)"},"deletedAt":\(now)\(original)}
      """)
  }

  private mutating func writeUnread(_ id: Int64, by index: Int) {
    write(
      .receipts,
      """
      {"receiptType":"unread","messageId":\(id),"sender":{"uid":"\(members[index].uid)"},\
      "receiverId":"\(guid)","receiverType":"group","unreadAt":\(now)}
      """)
  }

  private mutating func writeOldRead(by index: Int) {
    write(
      .receipts,
      """
      {"receiptType":"read","messageId":\(lastId),"sender":{"uid":"\(members[index].uid)"},\
      "receiverId":"\(guid)","receiverType":"group","readAt":\(now - 3000)}
      """)
  }
}
