extension Machine {
  /// Applies a receipt that has just come; what cannot be applied yet waits.
  mutating func receive(
    _ receipt: Event.Receipt, of event: Event, in slot: Int, key: Span<UInt8>,
    value: Span<UInt8>, _ application: inout Application, _ outputs: inout Outputs
  ) {
    var missing = takeMissing(receipt, of: event)
    defer { scratch.missing = missing }
    let outcome = conversations[slot].apply(
      receipt, of: event, value: value, missing: &missing, rules: rules, &application, &scratch,
      &outputs)
    if case .done = outcome { return }
    var entry = WaitingRoom.Entry(
      state: WaitingState(
        ticket: 0, source: application.source, key: [UInt8](copying: key),
        value: [UInt8](copying: value), appliedAt: application.now, missing: missing,
        eventsSoFar: application.eventsSoFar),
      event: event, conversation: Int32(slot))
    entry.event.coordinates = application.source
    if case .waitsForMember = outcome { entry.isOnMemberList = true }
    let ticket = room.add(entry)
    conversations[slot].addWaiting(entry, ticket: ticket)
    bound(slot, &outputs)
  }

  /// Every position in the receipt's list of ids, in memory that is used again.
  private mutating func takeMissing(_ receipt: Event.Receipt, of event: Event) -> [Int32] {
    var missing: [Int32] = []
    swap(&missing, &scratch.missing)
    missing.removeAll(keepingCapacity: true)
    switch receipt.covers {
    case .conversation: break
    case .upTo: missing.append(0)
    case .ids: missing.append(contentsOf: event.ids.indices.lazy.map(Int32.init))
    case .messageUIds: missing.append(contentsOf: event.messageUIds.indices.lazy.map(Int32.init))
    }
    return missing
  }

  /// Lets the oldest go where more wait than may.
  private mutating func bound(_ slot: Int, _ outputs: inout Outputs) {
    if let tickets = conversations[slot].waiting?.tickets,
      tickets.count > rules.maxWaitingPerConversation, let oldest = tickets.first
    {
      giveUp(oldest, &outputs)
    }
    if room.count > rules.maxWaitingPerPartition, let oldest = room.oldest {
      giveUp(oldest.state.ticket, &outputs)
    }
  }

  /// Applies what waited for an id that has come, and for the memberships that a record brought.
  mutating func wake(
    _ slot: Int, id: Int64, messageUId: [UInt8]? = nil, isMembership: Bool = false,
    _ outputs: inout Outputs
  ) {
    guard conversations[slot].waiting != nil else { return }
    var tickets: [Int64] = []
    conversations[slot].waiting?.take(id: id, messageUId: messageUId, into: &tickets)
    if isMembership { conversations[slot].waiting?.takeMemberList(into: &tickets) }
    tickets.sort()
    for ticket in tickets { tryAgain(ticket, slot, &outputs) }
  }

  private mutating func tryAgain(_ ticket: Int64, _ slot: Int, _ outputs: inout Outputs) {
    guard var entry = room[ticket], case .receipt(let receipt) = entry.event.body else { return }
    var application = Application(
      source: entry.state.source, timestamp: entry.state.source.timestamp ?? entry.state.appliedAt,
      now: streamTime ?? entry.state.appliedAt)
    application.eventsSoFar = entry.state.eventsSoFar
    let before = entry.state
    var missing = before.missing
    let outcome = conversations[slot].apply(
      receipt, of: entry.event, value: before.value.span, missing: &missing, rules: rules,
      &application, &scratch, &outputs)
    // Both lists rise.
    var next = 0
    let came = before.missing.filter { position in
      guard next < missing.count, missing[next] == position else { return true }
      next += 1
      return false
    }
    conversations[slot].waiting?.remove(entry, positions: came)
    entry.state.missing = missing
    entry.state.eventsSoFar = application.eventsSoFar
    entry.isOnMemberList = false
    switch outcome {
    case .done:
      conversations[slot].removeWaiting(entry)
      room.remove(ticket)
    case .waitsForMember:
      conversations[slot].waiting?.putOnMemberList(ticket)
      entry.isOnMemberList = true
      room.update(entry, isChanged: entry.state != before)
    case .waitsForMessages:
      room.update(entry, isChanged: entry.state != before)
    }
  }

  /// Does what is due: gives up what has waited for `grace`, in the order in which it came.
  ///
  /// - Returns: whether more is due.
  @discardableResult
  mutating func expire(atMost limit: Int, _ outputs: inout Outputs) -> Bool {
    guard let streamTime else { return false }
    var done = 0
    while let oldest = room.oldest,
      streamTime.millisecondsSince(oldest.state.appliedAt) >= rules.grace
    {
      if done == limit { return true }
      giveUp(oldest.state.ticket, &outputs)
      done += 1
    }
    return false
  }

  /// Rejects a record that has waited in vain; one that names only what is older than all that is
  /// known adds nothing instead.
  private mutating func giveUp(_ ticket: Int64, _ outputs: inout Outputs) {
    guard let entry = room[ticket] else { return }
    let slot = Int(entry.conversation)
    conversations[slot].removeWaiting(entry)
    room.remove(ticket)
    if let rejection = conversations[slot].rejection(of: entry) {
      outputs.reject(
        rejection, entry.state.source, key: entry.state.key.span, value: entry.state.value.span,
        rules: rules)
    } else {
      outputs.tally.tooOld += 1
    }
  }
}

extension Conversation {
  mutating func addWaiting(_ entry: WaitingRoom.Entry, ticket: Int64) {
    var waiting = self.waiting ?? ConversationWaiting()
    self.waiting = nil
    waiting.add(entry, ticket: ticket)
    self.waiting = waiting
  }

  mutating func removeWaiting(_ entry: WaitingRoom.Entry) {
    waiting?.remove(entry)
    if waiting?.isEmpty == true { waiting = nil }
  }

  /// Why a record has waited in vain; nil where it is merely older than all that is known.
  fileprivate func rejection(of entry: WaitingRoom.Entry) -> Rejection? {
    guard case .receipt(let receipt) = entry.event.body else { return nil }
    let uid = entry.event.text.span.extracting(receipt.sender.range)
    if roster == .known, !hasMembership(uid) { return Rejection(.uidNotFound, field: "sender.uid") }
    let lowest = timeline.ids.first ?? .min
    switch receipt.covers {
    case .conversation: return nil
    case .upTo(let id):
      return id < lowest ? nil : Rejection(.messageNotFound, field: "messageId")
    case .ids:
      let isOld = entry.state.missing.allSatisfy { entry.event.ids[Int($0)] < lowest }
      return isOld ? nil : Rejection(.messageNotFound, field: "messageIds")
    case .messageUIds: return Rejection(.messageNotFound, field: "messageUIds")
    }
  }
}

extension Outputs {
  /// Rejects a record; a value that is larger than an input may be is left out.
  mutating func reject(
    _ rejection: Rejection, _ source: Coordinates, key: Span<UInt8>?, value: Span<UInt8>?,
    rules: Rules
  ) {
    var item = Rejected(
      rejection: rejection, source: source, timestamp: source.timestamp ?? .distantPast)
    if let key { item.key = add(copying: key) }
    if let value, value.count > rules.maxRecordBytes {
      item.omittedBytes = value.count
    } else if let value {
      item.value = add(copying: value)
    }
    rejected.append(item)
  }
}
