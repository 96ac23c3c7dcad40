extension Conversation {
  /// Why a message cannot be a reply to what it names.
  func rejection(ofParent message: Event.Message) -> Rejection? {
    let parent = message.parentMessageId
    guard parent != 0 else { return nil }
    guard parent > 0, parent < message.id else {
      return Rejection(.invalidParentMessageId, field: "parentMessageId")
    }
    guard let index = timeline.index(of: parent), timeline.parents[index] != 0 else { return nil }
    return Rejection(.wrongMessageThread, field: "parentMessageId")
  }

  /// Counts a reply that has just been put in, and tells of it; one that is deleted already is
  /// only known.
  mutating func addReply(_ index: Int, isDeleted: Bool, _ turn: inout Turn) {
    let parent = timeline.parents[index]
    threads[parent, default: Thread()].knownCount += 1
    threadChanged(parent)
    guard !isDeleted else { return }
    threads[parent]?.replyCount += 1
    threads[parent]?.replies.insert(timeline.ids[index], by: timeline.senders[index])
    emitThread(parent, &turn)
  }

  /// Takes a deleted reply out of its parent's count, and tells of it.
  mutating func removeReply(_ index: Int, _ turn: inout Turn) {
    let parent = timeline.parents[index]
    threads[parent]?.replyCount -= 1
    threads[parent]?.replies.remove(timeline.ids[index], by: timeline.senders[index])
    threadChanged(parent)
    emitThread(parent, &turn)
  }

  private mutating func emitThread(_ parent: Int64, _ turn: inout Turn) {
    guard let thread = threads[parent] else { return }
    if timeline.index(of: parent) != nil { turn.scratch.touched.append(parent) }
    let last = thread.replies.all.last
    let conversation = turn.text(ofConversation: id)
    turn.outputs.threads.append(
      ThreadUpdated(
        conversation: conversation, number: turn.nextEvent(), to: everybody(conversation, &turn),
        parentMessageId: parent, replyCount: thread.replyCount,
        lastReply: last.flatMap { id in
          timeline.index(of: id).map { (id: id, at: timeline.sentAt[$0]) }
        }))
  }

  /// Everybody in the conversation: the group, or both parties.
  func everybody(_ conversation: Text, _ turn: inout Turn) -> Recipients {
    guard isDirect else { return .guid(Self.guid(conversation)) }
    let first = turn.outputs.uids.count
    // The parties come first in the table, and never go.
    for slot in members.indices where !members[slot].periods.isEmpty {
      turn.outputs.uids.append(turn.outputs.add(uids[slot]))
    }
    return .uids(first..<turn.outputs.uids.count)
  }

  /// Forgets a thread of which neither the parent nor a reply is known any more.
  mutating func forgetThread(_ parent: Int64) {
    guard let thread = threads[parent], thread.knownCount == 0, timeline.index(of: parent) == nil
    else { return }
    unwritten.noteRemoved(.thread(id, parent: parent), isWritten: thread.isWritten)
    threads[parent] = nil
    for member in positions.members(ofThread: parent) {
      forgetPosition(member)
      freeIfUnneeded(member.slot)
    }
  }

  /// Forgets how far a member has come in a thread.
  mutating func forgetPosition(_ member: ThreadMember) {
    guard let position = positions[member] else { return }
    positions[member] = nil
    unwritten.noteRemoved(
      .position(id, slot: member.slot, parent: member.parent), isWritten: position.isWritten)
  }

  /// Changes how far a member has come, in the conversation or in a thread of it.
  mutating func changeProgress(of slot: Int32, in thread: Int64, _ body: (inout Progress) -> Void) {
    guard thread != 0 else {
      body(&members[Int(slot)].progress)
      memberChanged(slot)
      return
    }
    let member = ThreadMember(slot: slot, parent: thread)
    var position = positions[member] ?? ThreadProgress()
    body(&position.progress)
    unwritten.note(.position(member), &position.isChanged)
    positions[member] = position
  }
}
