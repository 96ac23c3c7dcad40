package import Core
package import Oracle

extension Oracle {
  /// Begins with what a machine holds, before the first input.
  package mutating func begin(with machine: Machine) {
    begin(at: machine.streamTime?.milliseconds) { take in
      var conversation: ConversationPieces?
      machine.forEachPiece { change in
        switch change {
        case .conversation(let state):
          if let conversation { take(.conversation(conversation.whole)) }
          conversation = ConversationPieces(state)
        case .waiting(let state):
          if let conversation { take(.conversation(conversation.whole)) }
          conversation = nil
          take(OracleStart(state))
        case .member, .message, .marks, .thread, .position, .deletion, .removed:
          conversation?.add(change)
        }
      }
      if let conversation { take(.conversation(conversation.whole)) }
    }
  }
}

/// The pieces of one conversation, as they come.
private struct ConversationPieces {
  private var state: OracleStart.Conversation
  private var members: [Int32: OracleStart.Member] = [:]

  init(_ state: ConversationState) {
    self.state = OracleStart.Conversation(id: state.conversation)
    self.state.roster = OracleStart.Roster(rawValue: "\(state.roster)") ?? .unknown
    self.state.firstRosterId = state.firstRosterId
    self.state.largeFloor = state.largeFloor
    self.state.highestExpiredId = state.highestExpiredId
    self.state.lastRecordAt = state.lastRecordAt?.milliseconds
  }

  /// The conversation, once all has come.
  var whole: OracleStart.Conversation {
    var whole = state
    whole.members = members.values.sorted { $0.slot < $1.slot }
    return whole
  }

  mutating func add(_ change: Change) {
    switch change {
    case .member(let member): members[member.slot] = OracleStart.Member(member)
    case .message(let message): state.messages.append(OracleStart.Message(message))
    case .marks(let marks):
      // They come behind their message.
      guard let last = state.messages.indices.last, state.messages[last].id == marks.id else {
        return
      }
      state.messages[last].body?.exactly = (
        Set(MarksState.slots(marks.delivered).map(Int.init)),
        Set(MarksState.slots(marks.read).map(Int.init))
      )
    case .thread(let thread):
      state.replyCounts.append((thread.parentMessageId, thread.replyCount))
    case .position(let position):
      members[position.slot]?.lists[position.parentMessageId] = position.progress.told
    case .deletion(let deletion):
      state.deletions.append(
        (
          deletion.id, deletion.deletedBy, deletion.deletedAt.milliseconds,
          deletion.acceptedAt?.milliseconds
        ))
    case .conversation, .waiting, .removed: break
    }
  }
}

extension OracleStart.Member {
  fileprivate init(_ state: MemberState) {
    self.init(
      slot: Int(state.slot), uid: state.uid, scope: "\(state.scope)",
      periods: state.periods.map { period in
        (
          (period.beginId, period.endId), (period.beginSequence, period.endSequence),
          period.endedAt?.milliseconds, period.isExempt
        )
      },
      lists: [0: state.progress.told],
      sentUpTo: (state.progress.delivered.sentMark, state.progress.read.sentMark),
      newestConversationRead: state.progress.cursor.newestConversationRead.milliseconds)
  }
}

extension Core.Progress {
  fileprivate var told: OracleStart.Progress {
    (
      (delivered.idMark, read.idMark), cursor.position, cursor.lastReadId,
      (cursor.newestRead.milliseconds, cursor.newestUnread.milliseconds)
    )
  }
}

extension Watermarks {
  fileprivate var idMark: OracleStart.Mark { (upTo, upToAt.milliseconds) }

  fileprivate var sentMark: OracleStart.Mark { (sentUpTo.milliseconds, sentUpToAt.milliseconds) }
}

extension OracleStart.Message {
  fileprivate init(_ state: MessageState) {
    var body: OracleStart.Body?
    if case .message(let sender, let uid, let parent, let tracking, let announced, let counts) =
      state.body
    {
      body = OracleStart.Body(
        sender: Int(sender), messageUId: uid, parent: parent,
        tracking: (tracking.word.description, tracking.reason?.description),
        doneAt: (announced.deliveredAt?.milliseconds, announced.readAt?.milliseconds),
        finalCounts: counts.map { counts in
          (
            Int(counts.delivered), Int(counts.pendingDelivered), Int(counts.read),
            Int(counts.pendingRead)
          )
        })
    }
    self.init(
      id: state.id, offset: state.sequence, appliedAt: state.appliedAt.milliseconds,
      sentAt: state.sentAt.milliseconds, body: body)
  }
}

extension OracleStart {
  fileprivate init(_ state: WaitingState) {
    self = .waiting(
      OracleRecord(
        topic: Topic(state.source.topic).oracleTopic, partition: state.source.partition,
        offset: state.source.offset,
        timestamp: state.source.timestamp?.milliseconds, key: state.key, value: state.value),
      appliedAt: state.appliedAt.milliseconds, missing: state.missing.map { Int($0) },
      events: Int(state.eventsSoFar))
  }
}
