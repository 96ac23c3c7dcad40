extension ModelConversation {
  /// The newest status of a message.
  func status(of id: Int64) -> ModelStatus? { known[id]?.message.map(status) }

  /// The status of a message that never came, as far as its original tells.
  func status(
    ofOriginal original: JSONNode, _ id: Int64, _ deletion: ModelDeletion
  ) -> ModelStatus {
    ModelStatus(
      conversation: name.id, id: id, messageUId: original.name("messageUId"),
      sender: original["sender"]?.name("uid"), sentAt: original.time("sentAt"),
      tracking: .ended(.deleted), counts: ModelCounts(waitingFor: 0),
      doneAt: ModelByKind(delivered: nil, read: nil), deletedAt: deletion.at,
      deletedBy: deletion.by, replyCount: threads[id]?.count ?? 0)
  }

  private func status(of message: ModelMessage) -> ModelStatus {
    ModelStatus(
      conversation: name.id, id: message.id, messageUId: message.messageUId,
      sender: message.sender, sentAt: message.sentAt, tracking: message.tracking,
      counts: message.counts, doneAt: message.doneAt, deletedAt: message.deletion?.at,
      deletedBy: message.deletion?.by, replyCount: threads[message.id]?.count ?? 0)
  }

  /// What has become of a message so far.
  func outcome(of message: ModelMessage) -> ModelOutcome {
    let story = message.story
    var deletes = story.deletes
    // In a conversation of two only the sender may; in a group a scope can decide.
    var hasScoped = false
    for place in deletes.indices {
      if isGroup, !mayAlways(deletes[place].by, message) { hasScoped = true }
      deletes[place].dependsOnOrder = hasScoped
    }
    return ModelOutcome(
      status: status(of: message), isGroup: isGroup, audienceSize: message.audienceSize,
      facts: ModelByKind(delivered: fact(.delivered, of: message), read: fact(.read, of: message)),
      deletes: deletes, hasDelete: deletes.contains { isGroup || mayAlways($0.by, message) },
      passedSecondLimit: story.passedSecondLimit || pastLimit.touches(message),
      leaverInAudience: story.leaverInAudience,
      isOrderSensitive: story.hasWaited || story.leaverInAudience)
  }

  private func fact(
    _ kind: ModelReceiptRecord.Kind, of message: ModelMessage
  ) -> ModelOutcome.Fact {
    let story = message.story
    var fact = ModelOutcome.Fact(isPossible: story.isPossible[kind])
    guard let cause = story.causes[kind], let at = message.doneAt[kind] else { return fact }
    fact.announcement = ModelOutcome.Announcement(cause: cause, at: at)
    fact.lastNeededReceipt = story.lastNeeded[kind].offset
    return fact
  }

  /// What has become of a thread so far.
  func outcome(of thread: ModelThread, to parent: Int64) -> ModelThreadOutcome {
    ModelThreadOutcome(
      conversation: name.id, parent: parent, replyCount: thread.count,
      isExcepted: thread.isExcepted || thread.replies.all.contains(where: isExcepted))
  }

  /// Whether only a scope decides if a reply is deleted: its sender's delete holds sooner or
  /// later.
  func isExcepted(_ reply: ModelMessage) -> Bool {
    let deletes = reply.story.deletes
    return isGroup && !deletes.isEmpty && !deletes.contains { mayAlways($0.by, reply) }
  }

  /// Whether somebody may delete a message whatever the scope is.
  private func mayAlways(_ uid: Bytes, _ message: ModelMessage) -> Bool {
    uid == message.sender || uid == ModelConversationName.system
  }
}

extension Model {
  /// Hands out what has become of all that is not forgotten.
  func forEachRemaining(
    message: (ModelOutcome) -> Void, thread: (ModelThreadOutcome) -> Void
  ) {
    for conversation in conversations.values {
      for known in conversation.messages { message(conversation.outcome(of: known)) }
      for (parent, replies) in conversation.threads {
        thread(conversation.outcome(of: replies, to: parent))
      }
    }
  }
}
