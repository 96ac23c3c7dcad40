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
    switch outcome {
    case .done: break
    case .rejected(let rejection):
      outputs.reject(rejection, application, key: key, value: value, rules: rules)
    case .waitsForMember, .waitsForMessages:
      var waitsForMember = false
      if case .waitsForMember = outcome { waitsForMember = true }
      wait(
        event, in: slot, key: key, value: value, missing: missing,
        waitsForMember: waitsForMember, application, &outputs)
    }
  }

  /// Applies a delete that has just come; one whose message is not known waits.
  mutating func receive(
    _ delete: Event.Delete, of event: Event, in slot: Int, key: Span<UInt8>,
    value: Span<UInt8>, _ application: inout Application, _ outputs: inout Outputs
  ) {
    switch conversations[slot].apply(delete, of: event, &application, &scratch, &outputs) {
    case .accepted, .repeated: break
    case .acceptedWithoutMessage:
      scheduleForgetting(deletion: delete.messageId, in: slot, acceptedAt: application.now)
    case .rejected(let rejection):
      outputs.reject(rejection, application, key: key, value: value, rules: rules)
    case .waits:
      wait(
        event, in: slot, key: key, value: value, missing: [0], waitsForMember: false, application,
        &outputs)
    }
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

  private mutating func wait(
    _ event: Event, in slot: Int, key: Span<UInt8>, value: Span<UInt8>, missing: [Int32],
    waitsForMember: Bool, _ application: Application, _ outputs: inout Outputs
  ) {
    var entry = WaitingRoom.Entry(
      state: WaitingState(
        ticket: 0, source: application.source, key: [UInt8](copying: key),
        value: [UInt8](copying: value), appliedAt: application.now, missing: missing,
        eventsSoFar: application.eventsSoFar, waitsForMember: waitsForMember),
      event: event, conversation: Int32(slot))
    entry.event.coordinates = application.source
    let ticket = room.add(entry)
    conversations[slot].addWaiting(entry, ticket: ticket)
    bound(slot, &outputs)
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

  /// Applies what waited for an id that has come, and for the memberships that a record brought:
  /// deletes first, then receipts, each in the order in which they came.
  ///
  /// - Returns: the tickets of all, of which the receipts are still to be applied.
  mutating func wakeDeletes(
    _ slot: Int, waitingFor id: Int64, isMembership: Bool = false, _ outputs: inout Outputs
  ) -> [Int64] {
    let tickets = waiting(slot, for: id, isMembership: isMembership)
    wakeDeletes(tickets, slot, &outputs)
    return tickets
  }

  /// Takes the tickets of what waits for an id, in the order in which it came, off the lists.
  mutating func waiting(
    _ slot: Int, for id: Int64, messageUId: [UInt8]? = nil, isMembership: Bool = false
  ) -> [Int64] {
    guard conversations[slot].waiting != nil else { return [] }
    var tickets: [Int64] = []
    conversations[slot].waiting?.take(id: id, messageUId: messageUId, into: &tickets)
    if isMembership { conversations[slot].waiting?.takeMemberList(into: &tickets) }
    tickets.sort()
    return tickets
  }

  /// Applies the deletes among what waited.
  mutating func wakeDeletes(_ tickets: [Int64], _ slot: Int, _ outputs: inout Outputs) {
    for ticket in tickets {
      guard let entry = room[ticket], case .delete(let delete) = entry.event.body else { continue }
      tryAgain(delete, entry, slot, &outputs)
    }
  }

  /// Applies what waited under a ticket, if it is a receipt.
  mutating func wakeReceipt(_ ticket: Int64, _ slot: Int, _ outputs: inout Outputs) {
    guard let entry = room[ticket], case .receipt(let receipt) = entry.event.body else { return }
    tryAgain(receipt, entry, slot, &outputs)
  }

  private mutating func tryAgain(
    _ delete: Event.Delete, _ entry: WaitingRoom.Entry, _ slot: Int, _ outputs: inout Outputs
  ) {
    var application = application(of: entry)
    let outcome = conversations[slot].apply(
      delete, of: entry.event, &application, &scratch, &outputs)
    if case .waits = outcome { return }
    if case .rejected(let rejection) = outcome { reject(entry, rejection, &outputs) }
    letGo(entry, slot)
  }

  private mutating func tryAgain(
    _ receipt: Event.Receipt, _ old: WaitingRoom.Entry, _ slot: Int, _ outputs: inout Outputs
  ) {
    var application = application(of: old)
    var missing = old.state.missing
    let outcome = conversations[slot].apply(
      receipt, of: old.event, value: old.state.value.span, missing: &missing, rules: rules,
      &application, &scratch, &outputs)
    // Both lists rise.
    var next = 0
    let came = old.state.missing.filter { position in
      guard next < missing.count, missing[next] == position else { return true }
      next += 1
      return false
    }
    conversations[slot].waiting?.remove(old, positions: came)
    var entry = old
    entry.state.missing = missing
    entry.state.eventsSoFar = application.eventsSoFar
    entry.state.waitsForMember = false
    switch outcome {
    case .done: letGo(entry, slot)
    case .rejected(let rejection):
      reject(entry, rejection, &outputs)
      letGo(entry, slot)
    case .waitsForMember:
      entry.state.waitsForMember = true
      conversations[slot].waiting?.putBack(entry)
      room.update(entry, isChanged: entry.state != old.state)
    case .waitsForMessages: room.update(entry, isChanged: entry.state != old.state)
    }
  }

  /// A record that waited is applied with its own coordinates and timestamp, at the time of what
  /// it waited for.
  private func application(of entry: WaitingRoom.Entry) -> Application {
    var application = Application(
      source: entry.state.source,
      timestamp: entry.state.source.timestamp ?? entry.state.appliedAt,
      now: streamTime ?? entry.state.appliedAt)
    application.eventsSoFar = entry.state.eventsSoFar
    return application
  }

  /// Gives up a record that has waited in vain. A receipt that names only what is older than all
  /// that is known adds nothing; a delete that brings the original is decided by that.
  mutating func giveUp(_ ticket: Int64, _ outputs: inout Outputs) {
    guard let entry = room[ticket] else { return }
    let slot = Int(entry.conversation)
    switch entry.event.body {
    case .receipt(let receipt):
      if let rejection = conversations[slot].rejection(
        of: receipt, entry, at: streamTime ?? entry.state.appliedAt, rules)
      {
        reject(entry, rejection, &outputs)
      } else {
        outputs.tally.tooOld += 1
      }
    case .delete(let delete):
      var application = application(of: entry)
      var outcome = conversations[slot].apply(
        delete, of: entry.event, &application, &scratch, &outputs)
      if case .waits = outcome {
        outcome = conversations[slot].applyWithoutMessage(
          delete, of: entry.event, &application, &outputs)
      }
      if case .acceptedWithoutMessage = outcome {
        scheduleForgetting(deletion: delete.messageId, in: slot, acceptedAt: application.now)
      }
      if case .rejected(let rejection) = outcome { reject(entry, rejection, &outputs) }
    case .message, .membership, .action, .edit, .invalid: break
    }
    letGo(entry, slot)
    noteChanges(slot)
  }

  private mutating func letGo(_ entry: WaitingRoom.Entry, _ slot: Int) {
    conversations[slot].removeWaiting(entry)
    room.remove(entry.state.ticket)
    // Nothing keeps it from being forgotten any more.
    if conversations[slot].waiting == nil { schedule(slot) }
  }

  private func reject(
    _ entry: WaitingRoom.Entry, _ rejection: Rejection, _ outputs: inout Outputs
  ) {
    outputs.reject(
      rejection, application(of: entry), key: entry.state.key.span,
      value: entry.state.value.span, rules: rules)
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

  /// Why a receipt has waited in vain; nil where it is merely older than all that is known.
  fileprivate func rejection(
    of receipt: Event.Receipt, _ entry: WaitingRoom.Entry, at now: Instant, _ rules: Rules
  ) -> Rejection? {
    let uid = entry.event.text.span.extracting(receipt.sender.range)
    if roster == .known, !hasMembership(uid, at: now, rules) {
      return Rejection(.uidNotFound, field: "sender.uid")
    }
    let lowest = timeline.lowestId ?? .min
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
  /// Rejects a record; a value that is larger than an input may be, and a key that no output topic
  /// has to take, are left out.
  mutating func reject(
    _ rejection: Rejection, _ application: Application, key: Span<UInt8>?, value: Span<UInt8>?,
    rules: Rules
  ) {
    var item = Rejected(
      rejection: rejection, source: application.source, timestamp: application.timestamp)
    if let key, key.count > Event.maxKeyBytes {
      item.omittedKeyBytes = key.count
    } else if let key {
      item.key = add(copying: key)
    }
    if let value, value.count > rules.maxRecordBytes {
      item.omittedBytes = value.count
    } else if let value {
      item.value = add(copying: value)
    }
    rejected.append(item)
  }

  /// Says of the last rejection which key was expected, where the event does.
  mutating func expect(_ key: Text?, of event: Event) {
    guard let key, var item = rejected.popLast() else { return }
    item.expectedKey = add(copying: event.text.span.extracting(key.range))
    rejected.append(item)
  }
}
