// One answer to who has received and read what, and whether somebody is waited for.
extension Conversation {
  /// Where a member stands towards the message at an index. `Releases` has the same answer for
  /// many leavers and all messages at once.
  func standing(of slot: Int32, at index: Int, _ rules: Rules) -> Standing {
    member(slot, in: thread(index, rules), rules)
      .standing(of: facts(index), marks: timeline.marks[index])
  }

  /// One member towards the messages of a thread.
  func member(_ slot: Int32, in thread: Int64, _ rules: Rules) -> MemberInThread {
    MemberInThread(
      slot: slot, periods: members[Int(slot)].periods, progress: progress(of: slot, in: thread),
      rules)
  }

  /// How far a member has come in a thread; the time watermarks hold in all of them.
  func progress(of slot: Int32, in thread: Int64) -> Progress {
    let own = members[Int(slot)].progress
    guard thread != 0 else { return own }
    var progress = positions[ThreadMember(slot: slot, parent: thread)]?.progress ?? Progress()
    progress.takeTimes(of: own)
    return progress
  }

  /// What decides who has to receive the message at an index, and which watermarks cover it.
  func facts(_ index: Int) -> MessageFacts {
    MessageFacts(
      id: timeline.ids[index], sequence: timeline.sequences[index],
      appliedAt: timeline.appliedAt[index], sentAt: timeline.sentAt[index],
      sender: timeline.senders[index])
  }

  /// The thread that a message belongs to for receipts and unread counts, where threads are
  /// separate, else 0 for the conversation.
  func thread(_ index: Int, _ rules: Rules) -> Int64 {
    rules.threads == .separate ? timeline.parents[index] : 0
  }
}
