/// The state machine of one partition: events in, outputs and changes of state out.
///
/// It is pure and deterministic: no I/O, clock, thread or random number. Time enters by the
/// timestamps of the records and by ticks.
package struct Machine {
  /// The partition it decides for.
  package let partition: Int32
  /// The options in force.
  package var rules: Rules { turn.rules }
  let isJournaled: Bool
  /// The newest timestamp applied; nil before there is any time.
  package internal(set) var streamTime: Instant?
  /// What is added to an offset of the message topic to give a record's number in its order; above
  /// 0 once that topic was made anew and its offsets have begun again.
  package var sequenceBase: Int64 = 0
  /// The number of the next record that will have to wait.
  package var nextTicket: Int64 { room.nextTicket }
  /// How many conversations are known.
  package var conversationCount: Int { names.count }
  /// How many messages and action records of the tracking window are known.
  package var messageCount: Int { expiries.count }
  /// How many messages have their receipts counted, in all conversations.
  package internal(set) var openMessageCount = 0
  /// How far members have come in threads, in all conversations: how many such positions there are.
  package internal(set) var positionCount = 0
  /// How many records wait for a message or a membership.
  package var waitingCount: Int { room.count }

  /// The conversations' ids, and the conversations by slot.
  var names = NameTable()
  var conversations = Chunks<Conversation>()
  /// The conversations with pieces of state to be written.
  var changed: [Int32] = []
  /// Pieces that the changelog has of conversations that are forgotten.
  var removed: [ChangeKey] = []
  var draining = Draining()
  /// How many pieces of conversations are to be written.
  var noted = 0
  var room: WaitingRoom
  var expiries = ExpiryQueue()
  var due = DueQueue()
  /// The input in hand, with all that is used again for the next one.
  var turn: Turn
  /// The receipts that the last record has woken, as long as they are not all applied.
  var woken: Woken?
  /// What a restore has collected.
  var restoring = Restoring()

  /// A machine without any state.
  ///
  /// - Parameter isJournaled: whether changes of state are noted for `drainChanges`; without a
  ///   changelog they would be held for ever.
  package init(partition: Int32, rules: Rules, isJournaled: Bool = true) {
    self.partition = partition
    self.isJournaled = isJournaled
    turn = Turn(rules: rules)
    room = WaitingRoom(isJournaled: isJournaled)
  }

  /// Applies one decoded record and adds what it causes to `outputs`.
  ///
  /// Thousands of receipts may wait for a record, each for thousands of messages: with a limit they
  /// are applied a part at a time, and nothing else may be asked of the machine before `resume` has
  /// applied them all. What comes of it is the same.
  ///
  /// - Parameters:
  ///   - key: the record's key; for a good record its conversation id.
  ///   - value: the record's value.
  ///   - bounds: how far stream time may move, and how much work may be done.
  /// - Returns: whether more is to be done: then `resume` is to be called.
  package mutating func apply(
    _ event: Event, key: Span<UInt8>?, value: Span<UInt8>?, within bounds: Bounds,
    into outputs: inout Outputs
  ) -> Bool {
    swap(&turn.outputs, &outputs)
    let named = event.members.count + event.ids.count + event.messageUIds.count
    defer { end(&outputs, extra: Work.thing + Work.output * named) }
    // What has no timestamp is as new as the newest; the first record of all as new as the clock.
    let present = streamTime ?? (bounds.clock == .distantFuture ? nil : bounds.clock)
    if let time = event.coordinates.timestamp ?? present {
      advance(to: min(time, bounds.clock))
      doDue(atMost: .max)
    }
    let timestamp = event.coordinates.timestamp ?? streamTime ?? Self.timeless
    turn.now = streamTime ?? timestamp
    turn.record = Turn.Record(
      source: event.coordinates, sequence: event.coordinates.offset &+ sequenceBase,
      timestamp: timestamp)
    if case .invalid(let rejection) = event.body {
      turn.reject(rejection, key: key, value: value)
      turn.outputs.expect(event.expectedKey, of: event)
      return false
    }
    guard let key, let value else { return false }
    if case .edit = event.body { return false }
    let slot = conversation(key)
    var tickets: [Int64] = []
    if isNews(event, in: slot, key: key, value: value) {
      tickets = apply(event, in: slot, key: key, value: value)
    }
    return wakeReceipts(tickets, from: 0, in: slot, limit: bounds.work)
  }

  /// Goes on applying what the last record has woken.
  ///
  /// - Parameters:
  ///   - limit: how much work may be done, about.
  ///   - outputs: the same ones.
  /// - Returns: whether more is to be done.
  package mutating func resume(limit: Int, into outputs: inout Outputs) -> Bool {
    guard let woken else { return false }
    self.woken = nil
    swap(&turn.outputs, &outputs)
    turn.record = woken.record
    // What is there already has been counted.
    let weight = turn.outputs.weight
    defer { end(&outputs, extra: -weight) }
    return wakeReceipts(woken.tickets, from: woken.next, in: woken.slot, limit: limit)
  }

  /// Applies receipts that a record has woken, and finishes the record with the last of them.
  private mutating func wakeReceipts(
    _ tickets: [Int64], from first: Int, in slot: Int, limit: Int
  ) -> Bool {
    for next in first..<tickets.count {
      guard turn.scratch.work < limit else {
        woken = Woken(slot: slot, tickets: tickets, next: next, record: turn.record)
        return true
      }
      wakeReceipt(tickets[next], slot)
    }
    finish(slot)
    return false
  }

  /// Whether a record is to be applied. One of the message topic whose id is known is a duplicate,
  /// or another record under an id in use; one that is too old to be known is passed over.
  private mutating func isNews(
    _ event: Event, in slot: Int, key: Span<UInt8>, value: Span<UInt8>
  ) -> Bool {
    guard let id = event.body.messageTopicId else { return true }
    if let index = conversations[slot].timeline.index(of: id) {
      if !conversations[slot].isRepeated(event, index) {
        turn.reject(Rejection(.idInUse, field: "id"), key: key, value: value)
      }
      return false
    }
    guard !conversations[slot].isExpired(id) else { return false }
    if conversations[slot].isFarAbove(id) { turn.outputs.hasIdJump = true }
    expiries.append(
      ExpiryQueue.Entry(
        conversation: Int32(slot), id: id, sequence: turn.record.sequence, appliedAt: turn.now))
    return true
  }

  /// - Returns: the tickets of what waited for it, of which the receipts are still to be applied.
  private mutating func apply(
    _ event: Event, in slot: Int, key: Span<UInt8>, value: Span<UInt8>
  ) -> [Int64] {
    let text = event.text.span
    switch event.body {
    case .message(let message):
      let rejection = conversations[slot].apply(message, text: text, &turn)
      if let rejection { turn.reject(rejection, key: key, value: value) }
      let uid = message.messageUId.map { [UInt8](copying: text.extracting($0.range)) }
      let tickets = wakeDeletes(
        slot, waitingFor: message.id, messageUId: rejection == nil ? uid : nil)
      // Not before: what a delete has closed is not announced any more.
      conversations[slot].complete(message, &turn)
      return tickets
    case .membership(let membership):
      conversations[slot].apply(membership, of: event, &turn)
      noteEnded(slot)
      return wakeDeletes(slot, waitingFor: membership.id, isMembership: true)
    case .action(let id, let sentAt):
      conversations[slot].applyAction(id: id, sentAt: sentAt, &turn)
      return wakeDeletes(slot, waitingFor: id)
    case .receipt(let receipt): receive(receipt, of: event, in: slot, key: key, value: value)
    case .delete(let delete): receive(delete, of: event, in: slot, key: key, value: value)
    case .edit, .invalid: break
    }
    return []
  }

  /// Moves stream time on without a record and does what is due, at most `limit` things.
  ///
  /// - Returns: whether more is due: then it is to be called again.
  package mutating func tick(to time: Instant, limit: Int, into outputs: inout Outputs) -> Bool {
    swap(&turn.outputs, &outputs)
    defer { end(&outputs) }
    advance(to: time)
    return doDue(atMost: limit)
  }

  /// Ends a call: puts the statuses in order, says what it took, and gives the outputs back.
  private mutating func end(_ outputs: inout Outputs, extra: Int = 0) {
    turn.outputs.sortStatuses()
    turn.outputs.work += turn.scratch.work + turn.outputs.weight + extra
    turn.scratch.work = 0
    swap(&turn.outputs, &outputs)
  }

  private mutating func advance(to time: Instant) {
    if streamTime == nil { beginTime(at: time) }
    streamTime = max(streamTime ?? time, time)
  }

  /// What stands for a time where nothing, not even a clock, has given one yet: `replay` begins
  /// with a record that has none.
  private static let timeless = Instant(milliseconds: 0)

  /// What came before there was any time counts as applied now. Wherever there is no clock a record
  /// of the message topic has a time of its own, so that only receipts and deletes can wait.
  private mutating func beginTime(at time: Instant) {
    var waiting: [WaitingRoom.Entry] = []
    room.forEach { waiting.append($0) }
    for entry in waiting {
      var entry = entry
      entry.state.appliedAt = time
      room.update(entry, isChanged: true)
    }
    for slot in conversations.indices where !conversations[slot].id.isEmpty {
      conversations[slot].lastRecordAt = time
      conversations[slot].unwritten.noteOwn()
      noteChanges(slot)
    }
  }

  /// The slot of the conversation with an id, which begins if it is new.
  private mutating func conversation(_ id: Span<UInt8>) -> Int {
    let slot = Int(names.intern(id))
    let now = streamTime ?? .distantPast
    if slot == conversations.count {
      conversations.append(Conversation(id: names[slot], at: now, isJournaled: isJournaled))
    } else if conversations[slot].id.isEmpty {
      conversations[slot] = Conversation(id: names[slot], at: now, isJournaled: isJournaled)
    }
    return slot
  }

  /// Writes the statuses that an input has touched, and notes what it has changed.
  private mutating func finish(_ slot: Int) {
    if conversations[slot].finish(&turn) { schedule(slot) }
    noteChanges(slot)
  }

  /// Puts a conversation with pieces of state to be written on the list of those.
  mutating func noteChanges(_ slot: Int) {
    countOpen(slot)
    let count = conversations[slot].unwritten.noted
    guard count > 0 else { return }
    noted += count
    conversations[slot].unwritten.noted = 0
    guard !conversations[slot].unwritten.isListed else { return }
    conversations[slot].unwritten.isListed = true
    changed.append(Int32(slot))
  }

  /// Counts a conversation's open messages, and its positions, among those of all.
  mutating func countOpen(_ slot: Int) {
    let count = conversations[slot].timeline.trackedCount
    openMessageCount += count - conversations[slot].openCount
    conversations[slot].openCount = count
    positionCount += conversations[slot].positions.count - conversations[slot].positionCount
    conversations[slot].positionCount = conversations[slot].positions.count
  }
}

/// What one input may take.
package struct Bounds: Sendable {
  /// How far stream time moves on at most (in `replay`: `distantFuture`).
  package var clock: Instant
  /// How much work may be done at once, about, as `Outputs.work` counts it.
  package var work: Int

  /// Bounds the time by a clock, and the work where there is a limit.
  package init(clock: Instant, work: Int = .max) {
    self.clock = clock
    self.work = work
  }
}

/// The receipts that a record has woken: they are applied in the order of their tickets.
struct Woken {
  let slot: Int
  let tickets: [Int64]
  /// How many of them are applied.
  let next: Int
  /// The record that has woken them.
  let record: Turn.Record
}

extension Event.Body {
  /// The id that a record of the message topic makes known.
  fileprivate var messageTopicId: Int64? {
    switch self {
    case .message(let message): message.id
    case .membership(let membership): membership.id
    case .action(let id, _): id
    case .edit, .receipt, .delete, .invalid: nil
    }
  }
}
