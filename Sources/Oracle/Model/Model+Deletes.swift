extension Model {
  /// Applies a delete if its message is known. Gives false where it has to wait (still).
  mutating func attempt(
    _ delete: ModelDeleteRecord, _ source: ModelSource, in conversation: ModelConversation
  ) -> Bool {
    let deletion = deletion(delete, source)
    if conversation.earlyDeletes[delete.messageId] != nil {
      deleteEarlyAgain(delete, deletion, source, in: conversation)
      return true
    }
    guard let known = conversation.known[delete.messageId] else {
      guard conversation.isGone(delete.messageId) else { return false }
      deleteUnknown(delete, source, in: conversation)
      return true
    }
    guard let message = known.message else {
      reject(source, ModelFault("ERR_MESSAGE_NOT_FOUND"))
      return true
    }
    let verdict: ModelOutcome.Delete.Verdict
    if let first = message.deletion {
      verdict = ModelOutcome.Delete.Verdict(of: deletion, after: first)
    } else if !mayDelete(delete.deletedBy, message.sender, in: conversation) {
      verdict = .rejected(code: "ERR_PERMISSION_DENIED")
    } else {
      verdict = .accepted
      message.delete(deletion)
      outputs.touch(message.id, in: conversation)
      tellDeleted(delete, deletion, message, source)
      if message.parent > 0 { deleteReply(message, in: conversation, source) }
    }
    message.story.deletes.append(rejecting(source, delete, verdict))
    return true
  }

  /// The message has not come in time, or cannot come: its original decides, if the record brings
  /// it.
  mutating func deleteUnknown(
    _ delete: ModelDeleteRecord, _ source: ModelSource, in conversation: ModelConversation
  ) {
    let deletion = deletion(delete, source)
    if conversation.earlyDeletes[delete.messageId] != nil {
      deleteEarlyAgain(delete, deletion, source, in: conversation)
    } else if let original = delete.original {
      let sender = original["sender"]?["uid"]?.string
      guard mayDelete(delete.deletedBy, sender, in: conversation) else {
        reject(source, ModelFault("ERR_PERMISSION_DENIED"))
        return
      }
      conversation.earlyDeletes[delete.messageId] = ModelEarlyDelete(
        deletion: deletion, records: [rejecting(source, delete, .accepted)])
      if !isTimeless {
        due.earlyDeletes.append(
          ModelApplied(conversation: conversation, id: delete.messageId, at: now))
      }
      tellDeleted(delete, deletion, nil, source)
      outputs.touch(
        delete.messageId, in: conversation,
        last: conversation.status(ofOriginal: original, delete.messageId, deletion))
    } else {
      reject(source, ModelFault("ERR_MESSAGE_NOT_FOUND"))
    }
  }

  /// Another delete of a message that has not come.
  private mutating func deleteEarlyAgain(
    _ delete: ModelDeleteRecord, _ deletion: ModelDeletion, _ source: ModelSource,
    in conversation: ModelConversation
  ) {
    guard var early = conversation.earlyDeletes[delete.messageId] else { return }
    let verdict = ModelOutcome.Delete.Verdict(of: deletion, after: early.deletion)
    early.records.append(rejecting(source, delete, verdict))
    conversation.earlyDeletes[delete.messageId] = early
  }

  private func deletion(_ delete: ModelDeleteRecord, _ source: ModelSource) -> ModelDeletion {
    ModelDeletion(by: delete.deletedBy, at: delete.at ?? source.timestamp, acceptedAt: now)
  }

  /// Rejects a delete if that is the verdict, and gives what the message's outcome tells of it.
  private mutating func rejecting(
    _ source: ModelSource, _ delete: ModelDeleteRecord, _ verdict: ModelOutcome.Delete.Verdict
  ) -> ModelOutcome.Delete {
    if case .rejected(let code) = verdict { reject(source, ModelFault(code)) }
    return ModelOutcome.Delete(
      offset: source.input.offset, by: delete.deletedBy, verdict: verdict)
  }

  private func mayDelete(
    _ uid: Bytes, _ sender: Bytes?, in conversation: ModelConversation
  ) -> Bool {
    uid == sender || uid == ModelConversationName.system || isModerator(uid, in: conversation)
  }

  /// Whether somebody may delete what others sent.
  private func isModerator(_ uid: Bytes, in conversation: ModelConversation) -> Bool {
    if conversation.roster == .tooLarge { return conversation.scopes.contains(uid) }
    return conversation.member(uid)?.current.map { $0.scope != .participant } ?? false
  }

  /// `messageDeleted` and the action message.
  private mutating func tellDeleted(
    _ delete: ModelDeleteRecord, _ deletion: ModelDeletion, _ message: ModelMessage?,
    _ source: ModelSource
  ) {
    let deleted = ModelDeleted(
      record: delete, at: deletion.at,
      message: message.map { message in
        ModelDeleted.Message(
          sender: message.sender, sentAt: message.sentAt, parent: message.parent,
          messageUId: message.messageUId)
      })
    let event = ModelEvent(
      conversation: delete.conversation, origin: source.nextOrigin(), content: .deleted(deleted))
    outputs.add(event, .deletions)
    outputs.add(action: deleted)
  }
}

extension ModelOutcome.Delete.Verdict {
  /// The same delete twice changes nothing; a different one is too late.
  fileprivate init(of deletion: ModelDeletion, after first: ModelDeletion) {
    self = deletion.isSame(as: first) ? .repeated : .rejected(code: "ERR_MESSAGE_ALREADY_DELETED")
  }
}
