extension Machine {
  /// Applies what waited for an id that has come, and for the memberships that a record brought:
  /// deletes first, then receipts, each in the order in which they came.
  ///
  /// - Returns: the tickets of all, of which the receipts are still to be applied.
  mutating func wakeDeletes(
    _ slot: Int, waitingFor id: Int64, messageUId: [UInt8]? = nil, isMembership: Bool = false
  ) -> [Int64] {
    guard conversations[slot].waiting != nil else { return [] }
    var tickets: [Int64] = []
    conversations[slot].waiting?.take(id: id, messageUId: messageUId, into: &tickets)
    if isMembership { conversations[slot].waiting?.takeMemberList(into: &tickets) }
    tickets.sort()
    for ticket in tickets { wakeDelete(ticket, slot) }
    return tickets
  }

  /// Applies what waited under a ticket, if it is a delete.
  private mutating func wakeDelete(_ ticket: Int64, _ slot: Int) {
    guard let entry = room[ticket], case .delete(let delete) = entry.event.body else { return }
    let outer = turn.begin(record(of: entry))
    defer { turn.record = outer }
    let outcome = conversations[slot].apply(delete, of: entry.event, &turn)
    if case .waits = outcome { return }
    if case .rejected(let rejection) = outcome { reject(entry, rejection) }
    letGo(entry, slot)
  }

  /// Applies what waited under a ticket, if it is a receipt.
  mutating func wakeReceipt(_ ticket: Int64, _ slot: Int) {
    guard let old = room[ticket], case .receipt(let receipt) = old.event.body else { return }
    let outer = turn.begin(record(of: old))
    defer { turn.record = outer }
    var missing = old.state.missing
    let outcome = conversations[slot].apply(
      receipt, of: old.event, value: old.state.value.span, missing: &missing, &turn)
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
    entry.state.eventsSoFar = turn.record.eventsSoFar
    entry.state.waitsForMember = false
    switch outcome {
    case .done: letGo(entry, slot)
    case .rejected(let rejection):
      reject(entry, rejection)
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
  private func record(of entry: WaitingRoom.Entry) -> Turn.Record {
    Turn.Record(
      source: entry.state.source, timestamp: entry.state.source.timestamp ?? entry.state.appliedAt,
      eventsSoFar: entry.state.eventsSoFar)
  }

  /// Gives up a record that has waited in vain. A receipt that names only what is older than all
  /// that is known adds nothing; a delete that brings the original is decided by that.
  mutating func giveUp(_ ticket: Int64) {
    guard let entry = room[ticket] else { return }
    let slot = Int(entry.conversation)
    let outer = turn.begin(record(of: entry))
    defer { turn.record = outer }
    switch entry.event.body {
    case .receipt(let receipt):
      if let rejection = conversations[slot].rejection(of: receipt, entry, turn) {
        reject(entry, rejection)
      } else {
        turn.outputs.tally.tooOld += 1
      }
    case .delete(let delete):
      var outcome = conversations[slot].apply(delete, of: entry.event, &turn)
      if case .waits = outcome {
        outcome = conversations[slot].applyWithoutMessage(delete, of: entry.event, &turn)
      }
      if case .acceptedWithoutMessage = outcome {
        scheduleForgetting(deletion: delete.messageId, in: slot, acceptedAt: turn.now)
      }
      if case .rejected(let rejection) = outcome { reject(entry, rejection) }
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

  /// Rejects a record that waited, which is the one in hand.
  private mutating func reject(_ entry: WaitingRoom.Entry, _ rejection: Rejection) {
    turn.reject(rejection, key: entry.state.key.span, value: entry.state.value.span)
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
    of receipt: Event.Receipt, _ entry: WaitingRoom.Entry, _ turn: borrowing Turn
  ) -> Rejection? {
    if roster == .known {
      let slot = uids.find(entry.event.text.span.extracting(receipt.sender.range))
      guard let slot, members[Int(slot)].hasMembership(at: turn.now, turn.rules) else {
        return Rejection(.uidNotFound, field: "sender.uid")
      }
    }
    let lowest = timeline.lowestId ?? .min
    let isOld = entry.state.missing.allSatisfy {
      guard case .id(let id) = receipt.covers.name($0, in: entry.event) else { return false }
      return id < lowest
    }
    guard !isOld, let field = receipt.covers.field else { return nil }
    return Rejection(.messageNotFound, field: field)
  }
}
