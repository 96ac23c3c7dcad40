/// The records of a partition that wait for a message or a membership, in the order in which they
/// were applied: by ticket, a number that only rises.
struct WaitingRoom {
  /// A record that waits.
  struct Entry {
    /// What the changelog keeps of it.
    var state: WaitingState
    /// The record, decoded.
    var event: Event
    /// The conversation it waits in, by its slot.
    var conversation: Int32
    var isChanged = false
    /// The changelog has it.
    var isWritten = false
  }

  /// Whether what changes is noted, for `drain`.
  let isJournaled: Bool
  /// The next record's ticket.
  private(set) var nextTicket: Int64 = 0
  /// The number of records that wait.
  private(set) var count = 0
  /// By ticket from `first` on; records that have gone leave a hole.
  private var entries: [Entry?] = []
  private var first: Int64 = 0
  /// How many entries at the beginning of `entries` are used up.
  private var head = 0
  /// Tickets whose piece of state is to be written, or is gone.
  private(set) var changed: [Int64] = []
  private(set) var removed: [Int64] = []

  init(isJournaled: Bool) { self.isJournaled = isJournaled }

  /// The record that has waited longest.
  var oldest: Entry? { head < entries.count ? entries[head] : nil }

  /// The record with a ticket, if it still waits.
  subscript(_ ticket: Int64) -> Entry? { position(ticket).flatMap { entries[$0] } }

  /// Takes a record in and gives it the next ticket.
  mutating func add(_ entry: Entry) -> Int64 {
    var entry = entry
    if count == 0 { reset(to: nextTicket) }
    entry.state.ticket = nextTicket
    entry.isChanged = isJournaled
    nextTicket += 1
    count += 1
    if isJournaled { changed.append(entry.state.ticket) }
    entries.append(entry)
    return entry.state.ticket
  }

  /// Puts back a record that was tried again and still waits.
  ///
  /// - Parameter isChanged: whether the changelog has to hear of it.
  mutating func update(_ entry: Entry, isChanged: Bool) {
    guard let position = position(entry.state.ticket) else { return }
    entries[position] = entry
    guard isChanged, isJournaled, !entry.isChanged else { return }
    entries[position]?.isChanged = true
    changed.append(entry.state.ticket)
  }

  /// Lets a record go.
  mutating func remove(_ ticket: Int64) {
    guard let position = position(ticket), let entry = entries[position] else { return }
    if entry.isWritten, isJournaled { removed.append(ticket) }
    entries[position] = nil
    count -= 1
    while head < entries.count, entries[head] == nil { head += 1 }
    if head > 1024, head * 2 > entries.count {
      entries.removeFirst(head)
      first += Int64(head)
      head = 0
    }
  }

  /// Calls `body` with each record to be written, and counts them as written.
  mutating func drain<E: Error>(
    _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    for ticket in removed { try body(.removed(.waiting(ticket: ticket)), false) }
    for ticket in changed {
      guard let position = position(ticket), let entry = entries[position] else { continue }
      try body(.waiting(entry.state), !entry.isWritten)
      entries[position]?.isChanged = false
      entries[position]?.isWritten = true
    }
    changed.removeAll(keepingCapacity: true)
    removed.removeAll(keepingCapacity: true)
  }

  /// The records that wait, in the order of their tickets.
  func forEach<E: Error>(_ body: (Entry) throws(E) -> Void) throws(E) {
    for case .some(let entry) in entries[head...] { try body(entry) }
  }

  /// Fills the room with saved records.
  mutating func restore(_ saved: [Entry], nextTicket: Int64) {
    let sorted = saved.sorted { $0.state.ticket < $1.state.ticket }
    self.nextTicket = max(nextTicket, (sorted.last?.state.ticket ?? -1) + 1)
    reset(to: sorted.first?.state.ticket ?? self.nextTicket)
    for var entry in sorted {
      while first + Int64(entries.count) < entry.state.ticket { entries.append(nil) }
      entry.isWritten = true
      entries.append(entry)
      count += 1
    }
    // Later tickets may have gone as well: the next record lies at its own place behind them.
    while count > 0, first + Int64(entries.count) < self.nextTicket { entries.append(nil) }
  }

  private mutating func reset(to ticket: Int64) {
    entries.removeAll(keepingCapacity: true)
    head = 0
    first = ticket
  }

  private func position(_ ticket: Int64) -> Int? {
    let position = ticket - first
    return position >= Int64(head) && position < Int64(entries.count) ? Int(position) : nil
  }
}

/// The tickets of what waits in one conversation, by what it waits for.
struct ConversationWaiting {
  /// All of them, rising.
  private(set) var tickets: [Int64] = []
  /// Those that wait for a membership of their sender, rising.
  private(set) var forMember: [Int64] = []
  private var forId: [Int64: [Int64]] = [:]
  private var forMessageUId: [[UInt8]: [Int64]] = [:]

  var isEmpty: Bool { tickets.isEmpty }

  /// Puts a record on the lists of all that it waits for.
  mutating func add(_ entry: WaitingRoom.Entry, ticket: Int64) {
    tickets.append(ticket)
    if entry.state.waitsForMember { forMember.append(ticket) }
    Self.forEachName(of: entry.event, entry.state.missing) { id, uid in
      if let id, forId[id]?.last != ticket { forId[id, default: []].append(ticket) }
      if let uid, forMessageUId[uid]?.last != ticket {
        forMessageUId[uid, default: []].append(ticket)
      }
    }
  }

  /// Puts a record that was tried again, and waits for a membership, on its lists again: the id
  /// that has come is among what is missing until then.
  mutating func putBack(_ entry: WaitingRoom.Entry) {
    let ticket = entry.state.ticket
    forMember = Self.with(ticket, forMember)
    Self.forEachName(of: entry.event, entry.state.missing) { id, uid in
      if let id { forId[id] = Self.with(ticket, forId[id] ?? []) }
      if let uid { forMessageUId[uid] = Self.with(ticket, forMessageUId[uid] ?? []) }
    }
  }

  /// Takes out who waits for a membership.
  mutating func takeMemberList(into tickets: inout [Int64]) {
    tickets.append(contentsOf: forMember)
    forMember.removeAll()
  }

  /// Takes out who waits for a message that has come.
  mutating func take(id: Int64, messageUId: [UInt8]?, into tickets: inout [Int64]) {
    if let waiting = forId.removeValue(forKey: id) { tickets.append(contentsOf: waiting) }
    if let messageUId, let waiting = forMessageUId.removeValue(forKey: messageUId) {
      tickets.append(contentsOf: waiting)
    }
  }

  /// Takes a record off the lists of the ids at some positions of its list.
  mutating func remove(_ entry: WaitingRoom.Entry, positions: [Int32]) {
    let ticket = entry.state.ticket
    Self.forEachName(of: entry.event, positions) { id, uid in
      if let id { forId[id] = Self.without(ticket, forId[id]) }
      if let uid { forMessageUId[uid] = Self.without(ticket, forMessageUId[uid]) }
    }
  }

  /// Takes a record off every list.
  mutating func remove(_ entry: WaitingRoom.Entry) {
    remove(entry, positions: entry.state.missing)
    tickets = Self.without(entry.state.ticket, tickets) ?? []
    forMember = Self.without(entry.state.ticket, forMember) ?? []
  }

  private static func place(of ticket: Int64, in tickets: [Int64]) -> Int {
    var low = 0
    var high = tickets.count
    while low < high {
      let middle = (low + high) / 2
      if tickets[middle] < ticket { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func with(_ ticket: Int64, _ tickets: consuming [Int64]) -> [Int64] {
    var tickets = tickets
    let place = place(of: ticket, in: tickets)
    if place == tickets.count || tickets[place] != ticket { tickets.insert(ticket, at: place) }
    return tickets
  }

  private static func without(_ ticket: Int64, _ tickets: consuming [Int64]?) -> [Int64]? {
    guard var tickets else { return nil }
    let place = place(of: ticket, in: tickets)
    if place < tickets.count, tickets[place] == ticket { tickets.remove(at: place) }
    return tickets.isEmpty ? nil : tickets
  }

  /// Calls `body` with the id or `messageUId` at each position.
  private static func forEachName(
    of event: Event, _ positions: [Int32], _ body: (Int64?, [UInt8]?) -> Void
  ) {
    if case .delete(let delete) = event.body, !positions.isEmpty { body(delete.messageId, nil) }
    guard case .receipt(let receipt) = event.body else { return }
    switch receipt.covers {
    case .conversation: break
    case .upTo(let id): if !positions.isEmpty { body(id, nil) }
    case .ids: for position in positions { body(event.ids[Int(position)], nil) }
    case .messageUIds:
      for position in positions {
        body(nil, [UInt8](event.text[event.messageUIds[Int(position)].range]))
      }
    }
  }
}
