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
          take(.waiting(OracleStart.Waiting(state)))
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
    self.state.roster = OracleStart.Roster(state.roster)
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
      members[position.slot]?.lists[position.parentMessageId] = OracleStart.Progress(
        position.progress)
    case .deletion(let deletion):
      state.deletions.append(
        OracleStart.Deletion(
          id: deletion.id, by: deletion.deletedBy, at: deletion.deletedAt.milliseconds,
          acceptedAt: deletion.acceptedAt?.milliseconds))
    case .conversation, .waiting, .removed: break
    }
  }
}

extension OracleStart.Roster {
  fileprivate init(_ state: RosterState) {
    self =
      switch state {
      case .unknown: .unknown
      case .known: .known
      case .tooLarge: .tooLarge
      }
  }
}

extension OracleStart.Member {
  fileprivate init(_ state: MemberState) {
    self.init(
      slot: Int(state.slot), uid: state.uid, scope: "\(state.scope)",
      periods: state.periods.map { period in
        OracleStart.Period(
          ids: (period.beginId, period.endId), offsets: (period.beginSequence, period.endSequence),
          endedAt: period.endedAt?.milliseconds, isExempt: period.isExempt)
      },
      lists: [0: OracleStart.Progress(state.progress)],
      sentUpTo: (
        OracleStart.Mark(sent: state.progress.delivered),
        OracleStart.Mark(sent: state.progress.read)
      ),
      newestConversationRead: state.progress.cursor.newestConversationRead.milliseconds)
  }
}

extension OracleStart.Progress {
  fileprivate init(_ progress: Core.Progress) {
    let cursor = progress.cursor
    self.init(
      upTo: (OracleStart.Mark(ids: progress.delivered), OracleStart.Mark(ids: progress.read)),
      cursor: cursor.position, lastRead: cursor.lastReadId,
      newest: (cursor.newestRead.milliseconds, cursor.newestUnread.milliseconds))
  }
}

extension OracleStart.Mark {
  fileprivate init(ids marks: Watermarks) { self.init(marks.upTo, at: marks.upToAt.milliseconds) }

  fileprivate init(sent marks: Watermarks) {
    self.init(marks.sentUpTo.milliseconds, at: marks.sentUpToAt.milliseconds)
  }
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

extension OracleStart.Waiting {
  fileprivate init(_ state: WaitingState) {
    self.init(
      record: OracleRecord(
        topic: Topic(state.source.topic).oracleTopic, partition: state.source.partition,
        offset: state.source.offset,
        timestamp: state.source.timestamp?.milliseconds, key: state.key, value: state.value),
      appliedAt: state.appliedAt.milliseconds, missing: state.missing.map { Int($0) },
      events: Int(state.eventsSoFar))
  }
}
