extension Model {
  /// A reply was added.
  mutating func addReply(
    _ message: ModelMessage, to conversation: ModelConversation, _ source: ModelSource
  ) {
    let thread = conversation.threads[message.parent] ?? ModelThread()
    conversation.threads[message.parent] = thread
    thread.add(message)
    if message.deletion == nil { tell(thread, to: message.parent, in: conversation, source) }
  }

  /// A reply was deleted.
  mutating func deleteReply(
    _ message: ModelMessage, in conversation: ModelConversation, _ source: ModelSource
  ) {
    guard let thread = conversation.threads[message.parent] else { return }
    thread.delete(message)
    tell(thread, to: message.parent, in: conversation, source)
  }

  private mutating func tell(
    _ thread: ModelThread, to parent: Int64, in conversation: ModelConversation,
    _ source: ModelSource
  ) {
    if conversation.known[parent] != nil { outputs.touch(parent, in: conversation) }
    let state = ModelThreadState(
      parent: parent, replyCount: thread.count,
      last: thread.last.map { (id: $0.id, at: $0.sentAt) })
    let event = ModelEvent(
      conversation: conversation.name, origin: source.nextOrigin(), content: .thread(state))
    outputs.add(event, .threads)
  }
}
