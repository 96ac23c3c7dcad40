extension Model {
  /// Applies a delete if its message is known. Gives false where it has to wait (still).
  mutating func attempt(
    _ delete: ModelDeleteRecord, _ source: ModelSource, in conversation: ModelConversation
  ) -> Bool {
    let deletion = deletion(delete, source)
    if let first = conversation.earlyDeletes[delete.messageId] {
      deleteAgain(deletion, first, source)
      return true
    }
    guard let known = conversation.known[delete.messageId] else { return false }
    guard let message = known.message else {
      reject(source, ModelFault("ERR_MESSAGE_NOT_FOUND"))
      return true
    }
    if let first = message.deletion {
      deleteAgain(deletion, first, source)
    } else if delete.deletedBy != message.sender, !isModerator(delete.deletedBy, in: conversation) {
      reject(source, ModelFault("ERR_PERMISSION_DENIED"))
    } else {
      self.delete(message, deletion)
      outputs.touch(conversation.name.id, message.id)
      tellDeleted(delete, deletion, message, source)
      if message.parent > 0 { deleteReply(message, in: conversation, source) }
    }
    return true
  }

  /// The message has not come in time: its original decides, if the record brings it.
  mutating func deleteUnknown(
    _ delete: ModelDeleteRecord, _ source: ModelSource, in conversation: ModelConversation
  ) {
    let deletion = deletion(delete, source)
    if let first = conversation.earlyDeletes[delete.messageId] {
      deleteAgain(deletion, first, source)
    } else if let original = delete.original {
      let isSender = original["sender"]?["uid"] == .string(delete.deletedBy)
      guard isSender || isModerator(delete.deletedBy, in: conversation) else {
        reject(source, ModelFault("ERR_PERMISSION_DENIED"))
        return
      }
      conversation.earlyDeletes[delete.messageId] = deletion
      tellDeleted(delete, deletion, nil, source)
    } else {
      reject(source, ModelFault("ERR_MESSAGE_NOT_FOUND"))
    }
  }

  /// A message is deleted: its counts stand still.
  func delete(_ message: ModelMessage, _ deletion: ModelDeletion) {
    message.deletion = deletion
    message.close("DELETED", rules.leavers)
  }

  private func deletion(_ delete: ModelDeleteRecord, _ source: ModelSource) -> ModelDeletion {
    ModelDeletion(by: delete.deletedBy, at: delete.at ?? source.timestamp, acceptedAt: now)
  }

  /// The same delete twice changes nothing; a different one is too late.
  private mutating func deleteAgain(
    _ deletion: ModelDeletion, _ first: ModelDeletion, _ source: ModelSource
  ) {
    if deletion.isSame(as: first) { return }
    reject(source, ModelFault("ERR_MESSAGE_ALREADY_DELETED"))
  }

  /// Whether somebody may delete what others sent.
  private func isModerator(_ uid: Bytes, in conversation: ModelConversation) -> Bool {
    if conversation.roster == .tooLarge { return conversation.scopes.contains(uid) }
    return conversation.current[uid].map { $0.scope != .participant } ?? false
  }

  /// `messageDeleted` and the action message.
  private mutating func tellDeleted(
    _ delete: ModelDeleteRecord, _ deletion: ModelDeletion, _ message: ModelMessage?,
    _ source: ModelSource
  ) {
    let name = delete.conversation
    let parent = message?.parent ?? delete.parentOfOriginal
    let receiver: JSON = .string(name.receiver)
    let receiverType: JSON = name.guid == nil ? "user" : "group"
    let known: JSON = [
      "id": .int(delete.messageId), "conversationId": .string(name.id), "receiverId": receiver,
      "receiverType": receiverType, "parentMessageId": .int(parent),
    ]
    let tracked = known.adding("messageUId", message?.messageUId.map(JSON.string))
      .adding("sender", message.map { ["uid": .string($0.sender)] })
      .adding("sentAt", message.map { .seconds($0.sentAt) })
    let deleted = (delete.original ?? tracked)
      .adding("deletedAt", .seconds(deletion.at)).adding("deletedBy", .string(deletion.by))
      .adding("updatedAt", .seconds(deletion.at))
    var event = output(
      "messageDeleted", source, name, ["to": name.everybody, "message": deleted])
    var action = ModelOutput(
      topic: "actions", key: name.id,
      value: [
        "muid": .string(Bytes("deleted-\(delete.messageId)")), "category": "action",
        "type": "message", "action": "deleted", "message": "Message is deleted.",
        "actionBy": delete.deletedByObject, "actionOn": deleted,
        "actionFor": name.guid == nil ? ["uid": receiver] : ["guid": receiver],
        "conversationId": .string(name.id), "receiverId": receiver, "receiverType": receiverType,
        "sentAt": .seconds(deletion.at), "parentMessageId": .int(parent),
      ])
    event.verbatim = [delete.originalText].compactMap(\.self)
    action.verbatim = [delete.originalText, delete.deletedByText].compactMap(\.self)
    outputs.deletions += [event, action]
  }
}
