extension Conversation {
  /// The most ids in one announcement.
  static let idsPerAnnouncement = 1000
  /// The most senders that a receipt's event names one by one.
  static let recipientsPerEvent = 100

  /// Notes the message at an index as complete, in each kind in which it has become so: nobody is
  /// waited for any more, and somebody has really done it.
  mutating func settle(_ index: Int, at: Instant, _ turn: inout Turn) {
    guard isDirect || turn.rules.enhancedMessagingStatus else { return }
    if timeline.counts[index].isDelivered, timeline.flags[index].insert(.deliveredToAll).inserted {
      timeline.deliveredAt[index] = at
      turn.scratch.deliveredToAll.append(index)
    }
    if timeline.counts[index].isRead, timeline.flags[index].insert(.readByAll).inserted {
      timeline.readAt[index] = at
      turn.scratch.readByAll.append(index)
    }
  }

  /// Emits what `settle` has noted, sender by sender.
  mutating func emitAnnouncements(cause: Cause, at: Instant, _ turn: inout Turn) {
    emitAnnouncements(.delivered, cause: cause, at: at, &turn)
    emitAnnouncements(.read, cause: cause, at: at, &turn)
  }

  private mutating func emitAnnouncements(
    _ kind: ReceiptKind, cause: Cause, at: Instant, _ turn: inout Turn
  ) {
    let isRead = kind == .read
    let complete = isRead ? turn.scratch.readByAll : turn.scratch.deliveredToAll
    guard !complete.isEmpty else { return }
    for index in complete {
      messageChanged(index)
      turn.scratch.touched.append(timeline.ids[index])
    }
    // In a conversation of two the status tells it all.
    guard !isDirect else { return }
    turn.scratch.groups.sort(complete, in: timeline)
    let conversation = turn.text(ofConversation: id)
    for (group, sender) in turn.scratch.groups.senders.enumerated() {
      let messages = turn.scratch.groups.range(group)
      let uid = turn.outputs.add(uids[Int(sender)])
      for start in stride(
        from: messages.lowerBound, to: messages.upperBound, by: Self.idsPerAnnouncement)
      {
        let end = min(start + Self.idsPerAnnouncement, messages.upperBound)
        let first = turn.outputs.ids.count
        for position in start..<end {
          turn.outputs.ids.append(timeline.ids[turn.scratch.groups.indices[position]])
        }
        let announcement = Announcement(
          kind: kind, conversation: conversation, guid: Self.guid(conversation), cause: cause,
          sender: uid, ids: first..<turn.outputs.ids.count, at: at)
        if isRead {
          turn.outputs.readByAll.append(announcement)
        } else {
          turn.outputs.deliveredToAll.append(announcement)
        }
      }
    }
  }

  /// Emits a receipt to the senders of what it newly covers.
  mutating func emitReceipt(_ receipt: Event.Receipt, value: Span<UInt8>, _ turn: inout Turn) {
    guard turn.rules.receiptEvents == .all || (isDirect && turn.rules.receiptEvents == .direct)
    else { return }
    let conversation = turn.text(ofConversation: id)
    turn.scratch.groups.list(turn.scratch.covered, in: timeline)
    let to: Recipients
    if turn.scratch.groups.senders.count > Self.recipientsPerEvent {
      to = .guid(Self.guid(conversation))
    } else {
      let first = turn.outputs.uids.count
      for sender in turn.scratch.groups.senders {
        turn.outputs.uids.append(turn.outputs.add(uids[Int(sender)]))
      }
      to = .uids(first..<turn.outputs.uids.count)
    }
    turn.outputs.receiptsAdded.append(
      ReceiptAdded(
        kind: receipt.kind, conversation: conversation, number: turn.nextEvent(), to: to,
        receipt: turn.outputs.add(copying: value)))
  }

  /// Answers an exact read receipt with the counts of what it newly covers.
  mutating func emitResponses(
    _ receipt: Event.Receipt, reader slot: Int32, at: Instant, _ turn: inout Turn
  ) {
    guard receipt.kind == .read, !receipt.covers.isCumulative else { return }
    let conversation = turn.text(ofConversation: id)
    let reader = turn.outputs.add(uids[Int(slot)])
    turn.scratch.groups.sort(turn.scratch.covered, in: timeline)
    for (group, sender) in turn.scratch.groups.senders.enumerated() {
      let first = turn.outputs.counts.count
      for position in turn.scratch.groups.range(group) {
        turn.outputs.counts.append(counts(turn.scratch.groups.indices[position], &turn))
      }
      turn.outputs.responses.append(
        ReceiptResponse(
          conversation: conversation, number: turn.nextEvent(),
          to: turn.outputs.add(uids[Int(sender)]), reader: reader, readAt: at,
          responses: first..<turn.outputs.counts.count))
    }
  }

  private func counts(_ index: Int, _ turn: inout Turn) -> MessageCounts {
    MessageCounts(
      messageId: timeline.ids[index], messageUId: messageUId(index, &turn),
      readCount: Int(timeline.counts[index].read),
      unreadCount: Int(timeline.counts[index].pendingRead))
  }

  func messageUId(_ index: Int, _ turn: inout Turn) -> Text? {
    let slot = timeline.messageUIdSlots[index]
    return slot < 0 ? nil : turn.outputs.add(messageUIds[Int(slot)])
  }

  /// Ends the application of a record, with the newest status of each message that it touched.
  ///
  /// - Returns: whether the conversation may be forgotten some day.
  mutating func finish(_ turn: inout Turn) -> Bool {
    if !turn.scratch.touched.isEmpty { emitStatuses(&turn) }
    lastRecordAt = turn.now
    guard isForgettable else { return false }
    if writtenRecordAt != turn.now { unwritten.noteOwn() }
    return true
  }

  /// Writes the newest status of each message that was touched, by id.
  mutating func emitStatuses(_ turn: inout Turn) {
    turn.scratch.touched.sort()
    var last: Int64 = 0
    for id in turn.scratch.touched where id != last {
      last = id
      if let index = timeline.index(of: id) { emitStatus(index, &turn) }
    }
    turn.scratch.touched.removeAll(keepingCapacity: true)
  }

  /// Writes the newest status of the message at an index.
  mutating func emitStatus(_ index: Int, _ turn: inout Turn) {
    guard let tracking = timeline.tracking[index] else { return }
    let id = timeline.ids[index]
    let announced = timeline.announced(index)
    let counts = timeline.counts[index]
    let deletion = deletions[id]
    turn.outputs.statuses.append(
      Status(
        conversation: turn.text(ofConversation: self.id), messageId: id,
        messageUId: messageUId(index, &turn),
        sender: turn.outputs.add(uids[Int(timeline.senders[index])]),
        sentAt: timeline.sentAt[index], tracking: tracking,
        deliveredCount: Int(counts.delivered), undeliveredCount: Int(counts.pendingDelivered),
        readCount: Int(counts.read), unreadCount: Int(counts.pendingRead),
        deliveredAt: announced.deliveredAt, readAt: announced.readAt,
        deletedAt: deletion?.deletedAt, deletedBy: deletion.map { turn.outputs.add($0.deletedBy) },
        replyCount: threads[id]?.replyCount ?? 0))
  }

  /// The guid in a group's conversation id.
  static func guid(_ conversation: Text) -> Text {
    let prefix = "group_".utf8.count
    return Text(start: conversation.start + prefix, count: max(0, conversation.count - prefix))
  }
}
