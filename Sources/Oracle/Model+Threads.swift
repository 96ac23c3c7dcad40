extension Model {
  /// A reply was added.
  mutating func addReply(
    _ message: ModelMessage, to conversation: ModelConversation, _ source: ModelSource
  ) {
    let isDeleted = message.deletion != nil
    conversation.threads[message.parent, default: [:]][message.id] = ModelReply(
      sentAt: message.sentAt, isDeleted: isDeleted)
    if !isDeleted { tellThread(message.parent, in: conversation, source) }
  }

  /// A reply was deleted.
  mutating func deleteReply(
    _ message: ModelMessage, in conversation: ModelConversation, _ source: ModelSource
  ) {
    conversation.threads[message.parent]?[message.id]?.isDeleted = true
    tellThread(message.parent, in: conversation, source)
  }

  private mutating func tellThread(
    _ parent: Int64, in conversation: ModelConversation, _ source: ModelSource
  ) {
    let replies = conversation.replies(to: parent)
    // Expired replies count, but are no last ones.
    let last = replies.filter { conversation.known[$0.id] != nil }.max { $0.id < $1.id }
    if conversation.known[parent] != nil { outputs.touch(conversation.name.id, parent) }
    outputs.threads.append(
      output(
        "threadUpdated", source, conversation.name,
        [
          "to": conversation.name.everybody, "parentMessageId": .int(parent),
          "replyCount": .int(Int64(replies.count)),
          "lastReplyId": last.map { .int($0.id) } ?? .null,
          "lastReplyAt": last.map { .seconds($0.sentAt) } ?? .null,
        ]))
  }
}

extension ModelConversation {
  /// The replies to a message that are not deleted.
  func replies(to parent: Int64) -> [(id: Int64, sentAt: Int64)] {
    (threads[parent] ?? [:]).filter { !$0.value.isDeleted }
      .map { (id: $0.key, sentAt: $0.value.sentAt) }
  }
}
