extension Machine {
  /// Applies a receipt that has just come; what cannot be applied yet waits.
  mutating func receive(
    _ receipt: Event.Receipt, of event: Event, in slot: Int, key: Span<UInt8>, value: Span<UInt8>
  ) {
    // In memory that is used again.
    var missing: [Int32] = []
    swap(&missing, &turn.scratch.missing)
    missing.removeAll(keepingCapacity: true)
    missing.append(contentsOf: 0..<Int32(receipt.covers.nameCount(in: event)))
    let outcome = conversations[slot].apply(
      receipt, of: event, value: value, missing: &missing, &turn)
    swap(&missing, &turn.scratch.missing)
    switch outcome {
    case .done: break
    case .rejected(let rejection): turn.reject(rejection, key: key, value: value)
    case .waitsForMember: wait(event, in: slot, key: key, value: value, forMember: true)
    case .waitsForMessages: wait(event, in: slot, key: key, value: value)
    }
  }

  /// Applies a delete that has just come; one whose message is not known waits.
  mutating func receive(
    _ delete: Event.Delete, of event: Event, in slot: Int, key: Span<UInt8>, value: Span<UInt8>
  ) {
    switch conversations[slot].apply(delete, of: event, &turn) {
    case .accepted, .repeated: break
    case .acceptedWithoutMessage:
      scheduleForgetting(deletion: delete.messageId, in: slot, acceptedAt: turn.now)
    case .rejected(let rejection): turn.reject(rejection, key: key, value: value)
    case .waits:
      turn.scratch.missing.removeAll(keepingCapacity: true)
      turn.scratch.missing.append(0)
      wait(event, in: slot, key: key, value: value)
    }
  }

  /// Lets the record in hand wait for what `Scratch.missing` names, or for a membership.
  private mutating func wait(
    _ event: Event, in slot: Int, key: Span<UInt8>, value: Span<UInt8>, forMember: Bool = false
  ) {
    var entry = WaitingRoom.Entry(
      state: WaitingState(
        ticket: 0, source: turn.record.source, key: [UInt8](copying: key),
        value: [UInt8](copying: value), appliedAt: turn.now, missing: turn.scratch.missing,
        eventsSoFar: turn.record.eventsSoFar, waitsForMember: forMember),
      event: event, conversation: Int32(slot))
    entry.event.coordinates = turn.record.source
    let ticket = room.add(entry)
    conversations[slot].addWaiting(entry, ticket: ticket)
    bound(slot)
  }

  /// Lets the oldest go where more wait than may.
  private mutating func bound(_ slot: Int) {
    if let tickets = conversations[slot].waiting?.tickets,
      tickets.count > rules.maxWaitingPerConversation, let oldest = tickets.first
    {
      giveUp(oldest)
    }
    if room.count > rules.maxWaitingPerPartition, let oldest = room.oldest {
      giveUp(oldest.state.ticket)
    }
  }
}
