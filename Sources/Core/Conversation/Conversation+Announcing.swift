extension Conversation {
  /// The most ids in one announcement.
  static let idsPerAnnouncement = 1000
  /// The most senders that a receipt's event names one by one.
  static let recipientsPerEvent = 100

  /// Notes the message at an index as complete, in each kind in which it has become so: nobody is
  /// waited for any more, and somebody has really done it.
  mutating func settle(_ index: Int, _ rules: Rules, _ scratch: inout Scratch, at: Instant) {
    guard isDirect || rules.enhancedMessagingStatus else { return }
    let counts = timeline.counts[index]
    if counts.pendingDelivered == 0, counts.delivered > 0,
      timeline.flags[index].insert(.deliveredToAll).inserted
    {
      timeline.deliveredAt[index] = at
      scratch.deliveredToAll.append(index)
    }
    if counts.pendingRead == 0, counts.read > 0,
      timeline.flags[index].insert(.readByAll).inserted
    {
      timeline.readAt[index] = at
      scratch.readByAll.append(index)
    }
  }

  /// Announces what `settle` has noted, sender by sender.
  mutating func announce(
    cause: Cause, at: Instant, _ application: inout Application, _ scratch: inout Scratch,
    _ outputs: inout Outputs
  ) {
    announce(.delivered, cause: cause, at: at, &application, &scratch, &outputs)
    announce(.read, cause: cause, at: at, &application, &scratch, &outputs)
  }

  private mutating func announce(
    _ kind: ReceiptKind, cause: Cause, at: Instant, _ application: inout Application,
    _ scratch: inout Scratch, _ outputs: inout Outputs
  ) {
    let isRead = kind == .read
    let complete = isRead ? scratch.readByAll : scratch.deliveredToAll
    guard !complete.isEmpty else { return }
    for index in complete {
      messageChanged(index)
      scratch.touched.append(timeline.ids[index])
    }
    // In a conversation of two the status tells it all.
    guard !isDirect else { return }
    scratch.groups.sort(complete, in: timeline)
    let conversation = outputs.text(of: self, &application)
    for (group, sender) in scratch.groups.senders.enumerated() {
      let messages = scratch.groups.range(group)
      let uid = outputs.add(uids[Int(sender)])
      for start in stride(
        from: messages.lowerBound, to: messages.upperBound, by: Self.idsPerAnnouncement)
      {
        let end = min(start + Self.idsPerAnnouncement, messages.upperBound)
        let first = outputs.ids.count
        for position in start..<end {
          outputs.ids.append(timeline.ids[scratch.groups.indices[position]])
        }
        let announcement = Announcement(
          kind: kind, conversation: conversation, guid: Self.guid(conversation), cause: cause,
          sender: uid, ids: first..<outputs.ids.count, at: at)
        if isRead {
          outputs.readByAll.append(announcement)
        } else {
          outputs.deliveredToAll.append(announcement)
        }
      }
    }
  }

  /// Tells the senders of what a receipt newly covers.
  mutating func emit(
    _ receipt: Event.Receipt, value: Span<UInt8>, rules: Rules,
    _ application: inout Application, _ scratch: inout Scratch, _ outputs: inout Outputs
  ) {
    guard rules.receiptEvents == .all || (isDirect && rules.receiptEvents == .direct) else {
      return
    }
    let conversation = outputs.text(of: self, &application)
    scratch.groups.list(scratch.covered, in: timeline)
    let to: Recipients
    if scratch.groups.senders.count > Self.recipientsPerEvent {
      to = .guid(Self.guid(conversation))
    } else {
      let first = outputs.uids.count
      for sender in scratch.groups.senders {
        outputs.uids.append(outputs.add(uids[Int(sender)]))
      }
      to = .uids(first..<outputs.uids.count)
    }
    outputs.receiptsAdded.append(
      ReceiptAdded(
        kind: receipt.kind, conversation: conversation, number: application.nextEvent(), to: to,
        receipt: outputs.add(copying: value)))
  }

  /// Answers an exact read receipt with the counts of what it newly covers.
  mutating func respond(
    _ receipt: Event.Receipt, reader slot: Int32, at: Instant, _ application: inout Application,
    _ scratch: inout Scratch, _ outputs: inout Outputs
  ) {
    guard receipt.kind == .read else { return }
    switch receipt.covers {
    case .upTo, .conversation: return
    case .ids, .messageUIds: break
    }
    let conversation = outputs.text(of: self, &application)
    let reader = outputs.add(uids[Int(slot)])
    scratch.groups.sort(scratch.covered, in: timeline)
    for (group, sender) in scratch.groups.senders.enumerated() {
      let first = outputs.counts.count
      for position in scratch.groups.range(group) {
        outputs.counts.append(counts(scratch.groups.indices[position], &outputs))
      }
      outputs.responses.append(
        ReceiptResponse(
          conversation: conversation, number: application.nextEvent(),
          to: outputs.add(uids[Int(sender)]), reader: reader, readAt: at,
          responses: first..<outputs.counts.count))
    }
  }

  private func counts(_ index: Int, _ outputs: inout Outputs) -> MessageCounts {
    MessageCounts(
      messageId: timeline.ids[index], messageUId: messageUId(index, &outputs),
      readCount: Int(timeline.counts[index].read),
      unreadCount: Int(timeline.counts[index].pendingRead))
  }

  func messageUId(_ index: Int, _ outputs: inout Outputs) -> Text? {
    let slot = timeline.messageUIdSlots[index]
    return slot < 0 ? nil : outputs.add(messageUIds[Int(slot)])
  }

  /// Writes the newest status of each message that was touched, by id.
  func emitStatuses(
    _ application: inout Application, _ scratch: inout Scratch, _ outputs: inout Outputs
  ) {
    scratch.touched.sort()
    var last: Int64 = 0
    for id in scratch.touched where id != last {
      last = id
      if let index = timeline.index(of: id) { emitStatus(index, &application, &outputs) }
    }
    scratch.touched.removeAll(keepingCapacity: true)
  }

  /// Writes the newest status of the message at an index.
  func emitStatus(
    _ index: Int, _ application: inout Application, _ outputs: inout Outputs
  ) {
    guard let tracking = timeline.kinds[index].tracking else { return }
    let id = timeline.ids[index]
    let announced = timeline.announced(index)
    let counts = timeline.counts[index]
    let deletion = deletions[id]
    outputs.statuses.append(
      Status(
        conversation: outputs.text(of: self, &application), messageId: id,
        messageUId: messageUId(index, &outputs),
        sender: outputs.add(uids[Int(timeline.senders[index])]),
        sentAt: timeline.sentAt[index], tracking: tracking,
        deliveredCount: Int(counts.delivered), undeliveredCount: Int(counts.pendingDelivered),
        readCount: Int(counts.read), unreadCount: Int(counts.pendingRead),
        deliveredAt: announced.deliveredAt, readAt: announced.readAt,
        deletedAt: deletion?.deletedAt, deletedBy: deletion.map { outputs.add($0.deletedBy) },
        replyCount: threads[id]?.replyCount ?? 0))
  }

  /// The guid in a group's conversation id.
  static func guid(_ conversation: Text) -> Text {
    let prefix = "group_".utf8.count
    return Text(start: conversation.start + prefix, count: max(0, conversation.count - prefix))
  }
}

extension Timeline.Kind {
  /// What a status says of it; nil for an action record, which has none.
  var tracking: Status.Tracking? {
    switch self {
    case .action: nil
    case .on: .on
    case .offTooLarge: .off(.groupTooLarge)
    case .offUnknown: .off(.rosterUnknown)
    case .offNotRequested: .off(.notRequested)
    case .endedTooLarge: .ended(.groupTooLarge)
    case .endedExpired: .ended(.expired)
    case .endedDeleted: .ended(.deleted)
    }
  }

  /// The kind that a status tells of.
  init(_ tracking: Status.Tracking) {
    switch tracking {
    case .on: self = .on
    case .off(.groupTooLarge): self = .offTooLarge
    case .off(.rosterUnknown): self = .offUnknown
    case .off(.notRequested): self = .offNotRequested
    case .ended(.groupTooLarge): self = .endedTooLarge
    case .ended(.expired): self = .endedExpired
    case .ended(.deleted): self = .endedDeleted
    }
  }
}

extension Outputs {
  /// The conversation's id in the arena, put there once for each application.
  mutating func text(of conversation: Conversation, _ application: inout Application) -> Text {
    if let text = application.conversation { return text }
    let text = add(conversation.id)
    application.conversation = text
    return text
  }

  /// Puts a text into the arena.
  mutating func add(_ bytes: [UInt8]) -> Text {
    defer { text.append(contentsOf: bytes) }
    return Text(start: text.count, count: bytes.count)
  }

  /// Puts a text into the arena.
  mutating func add(copying bytes: Span<UInt8>) -> Text {
    let start = text.count
    text.append(copying: bytes)
    return Text(start: start, count: bytes.count)
  }
}

extension Outputs {
  /// Brings the statuses of one input into the order of conversation and id, one a message, its
  /// last.
  mutating func sortStatuses() {
    guard statuses.count > 1 else { return }
    let order = statuses.indices.sorted { a, b in
      let left = statuses[a]
      let right = statuses[b]
      let isEqual = text[left.conversation.range].elementsEqual(text[right.conversation.range])
      guard isEqual else {
        return text[left.conversation.range]
          .lexicographicallyPrecedes(text[right.conversation.range])
      }
      return (left.messageId, a) < (right.messageId, b)
    }
    let sorted = order.map { statuses[$0] }
    statuses.removeAll(keepingCapacity: true)
    for status in sorted {
      if let last = statuses.last, last.messageId == status.messageId,
        text[last.conversation.range].elementsEqual(text[status.conversation.range])
      {
        statuses.removeLast()
      }
      statuses.append(status)
    }
  }
}
