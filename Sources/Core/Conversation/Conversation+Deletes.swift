/// What became of a delete.
enum DeleteOutcome {
  case accepted
  /// It was accepted before its message, which may still come.
  case acceptedWithoutMessage
  /// The same delete came before.
  case repeated
  /// It waits for its message.
  case waits
  case rejected(Rejection)
}

extension Conversation {
  /// The uid of the system, which may delete everywhere.
  private static let system = Array("app_system".utf8)

  /// Applies a delete, if its message is known, was deleted before it came, or cannot come any
  /// more.
  mutating func apply(_ delete: Event.Delete, of event: Event, _ turn: inout Turn) -> DeleteOutcome
  {
    let text = event.text.span
    let deletedBy = text.extracting(delete.deletedBy.range)
    let at = delete.at ?? turn.record.timestamp
    if let deletion = deletions[delete.messageId] {
      return deletion.deletedBy.holdsSame(as: deletedBy) && deletion.deletedAt == at
        ? .repeated : .rejected(Rejection(.messageAlreadyDeleted, field: "messageId"))
    }
    guard let index = timeline.index(of: delete.messageId) else {
      guard isExpired(delete.messageId) else { return .waits }
      return applyWithoutMessage(delete, of: event, &turn)
    }
    guard timeline.tracking[index] != nil else {
      return .rejected(
        Rejection(.messageNotFound, field: "messageId", message: "Actions cannot be deleted."))
    }
    let sender = timeline.senders[index]
    guard mayDelete(deletedBy, isSender: uids.find(deletedBy) == sender) else {
      return .rejected(Rejection(.permissionDenied, field: "deletedBy.uid"))
    }
    close(index, deletedBy: deletedBy, at: at)
    turn.scratch.touched.append(delete.messageId)
    emitDelete(delete, of: event, index: index, at: at, &turn)
    unread.remove(delete.messageId, by: sender)
    if timeline.parents[index] != 0 { removeReply(index, &turn) }
    return .accepted
  }

  /// Decides a delete whose message has not come: by the original that it brings.
  mutating func applyWithoutMessage(_ delete: Event.Delete, of event: Event, _ turn: inout Turn)
    -> DeleteOutcome
  {
    let text = event.text.span
    guard delete.original != nil else {
      return .rejected(Rejection(.messageNotFound, field: "messageId"))
    }
    let deletedBy = text.extracting(delete.deletedBy.range)
    let isSender =
      delete.originalSender.map {
        [UInt8](copying: text.extracting($0.range)).holdsSame(as: deletedBy)
      } ?? false
    guard mayDelete(deletedBy, isSender: isSender) else {
      return .rejected(Rejection(.permissionDenied, field: "deletedBy.uid"))
    }
    let at = delete.at ?? turn.record.timestamp
    deletions[delete.messageId] = Deletion(
      deletedBy: [UInt8](copying: deletedBy), deletedAt: at, acceptedAt: turn.now)
    deletionChanged(delete.messageId)
    emitDelete(delete, of: event, index: nil, at: at, &turn)
    emitStatus(ofOriginalIn: delete, text, at: at, &turn)
    return .acceptedWithoutMessage
  }

  /// Writes the status of a message that was deleted before it came: what its original says of it.
  private func emitStatus(
    ofOriginalIn delete: Event.Delete, _ text: Span<UInt8>, at: Instant, _ turn: inout Turn
  ) {
    let uid = delete.originalMessageUId
    let sender = delete.originalSender
    let status = Status(
      conversation: turn.text(ofConversation: id), messageId: delete.messageId,
      messageUId: uid.map { turn.outputs.add(copying: text.extracting($0.range)) },
      sender: sender.map { turn.outputs.add(copying: text.extracting($0.range)) },
      sentAt: delete.originalSentAt, tracking: .endedDeleted, deliveredCount: 0,
      undeliveredCount: 0, readCount: 0, unreadCount: 0, deletedAt: at,
      deletedBy: turn.outputs.add(copying: text.extracting(delete.deletedBy.range)),
      replyCount: threads[delete.messageId]?.replyCount ?? 0)
    turn.outputs.statuses.append(status)
  }

  /// Closes a message that was deleted before it came.
  mutating func deleteOnArrival(_ index: Int) {
    timeline.end(index, as: .endedDeleted)
    deletions[timeline.ids[index]]?.acceptedAt = nil
    deletionChanged(timeline.ids[index])
  }

  /// Forgets a delete with its message, or one whose message never came.
  mutating func forgetDeletion(_ id: Int64) {
    guard let deletion = deletions.removeValue(forKey: id) else { return }
    unwritten.noteRemoved(.deletion(self.id, id: id), isWritten: deletion.isWritten)
  }

  /// Who may delete: the sender, the system, and in a group who has a scope above participant.
  private func mayDelete(_ uid: Span<UInt8>, isSender: Bool) -> Bool {
    if isSender || Self.system.holdsSame(as: uid) { return true }
    guard !isDirect, let slot = uids.find(uid) else { return false }
    return members[Int(slot)].scope != .participant
  }

  private mutating func close(_ index: Int, deletedBy: Span<UInt8>, at: Instant) {
    let id = timeline.ids[index]
    timeline.end(index, as: .endedDeleted)
    messageChanged(index)
    dropMarks(index)
    deletions[id] = Deletion(deletedBy: [UInt8](copying: deletedBy), deletedAt: at, acceptedAt: nil)
    deletionChanged(id)
  }

  /// Forgets the marks of a message whose counts stand still.
  mutating func dropMarks(_ index: Int) {
    timeline.marks[index] = nil
    timeline.flags[index].remove(.marked)
    let isWritten = timeline.flags[index].remove(.marksWritten) != nil
    unwritten.noteRemoved(.marks(id, id: timeline.ids[index]), isWritten: isWritten)
  }

  private func emitDelete(
    _ delete: Event.Delete, of event: Event, index: Int?, at: Instant, _ turn: inout Turn
  ) {
    let text = event.text.span
    let conversation = turn.text(ofConversation: id)
    var item = MessageDeleted(
      conversation: conversation, number: turn.nextEvent(), to: everybody(conversation, &turn),
      messageId: delete.messageId, parentMessageId: delete.originalParentMessageId ?? 0,
      deletedBy: turn.outputs.add(copying: text.extracting(delete.deletedBy.range)),
      deletedByObject: turn.outputs.add(copying: text.extracting(delete.deletedByObject.range)),
      deletedAt: at, receiverId: Text(start: 0, count: 0), isGroup: !isDirect)
    switch delete.receiver {
    case .group(let id), .user(let id):
      item.receiverId = turn.outputs.add(copying: text.extracting(id.range))
    }
    item.original = delete.original.map { turn.outputs.add(copying: text.extracting($0.range)) }
    if let index {
      item.parentMessageId = timeline.parents[index]
      item.tracked = TrackedMessage(
        sender: turn.outputs.add(uids[Int(timeline.senders[index])]),
        sentAt: timeline.sentAt[index], messageUId: messageUId(index, &turn))
    }
    turn.outputs.deletes.append(item)
  }
}
