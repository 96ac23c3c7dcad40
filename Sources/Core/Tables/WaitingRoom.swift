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
  /// Those of a few tickets that follow one another, by their common number.
  private var blocks: [Int64: [Entry]] = [:]
  /// The numbers of the blocks, rising, also of some that are gone; never of the first one.
  private var order = ChunkedQueue<Int64>()
  private var newestBlock: Int64?
  /// Tickets whose piece of state is to be written, or is gone.
  private(set) var changed: [Int64] = []
  private(set) var removed: [Int64] = []
  /// How many of these have been drained.
  private var drained = 0

  init(isJournaled: Bool) { self.isJournaled = isJournaled }

  /// How many places there are: of records, of blocks and of what has to be written.
  var placeCount: Int {
    let entries = blocks.values.reduce(blocks.count) { $0 + $1.count }
    return entries + order.count + changed.count + removed.count
  }

  /// The record that has waited longest.
  var oldest: Entry? { order.first.flatMap { blocks[$0]?.first } }

  /// The record with a ticket, if it still waits.
  subscript(_ ticket: Int64) -> Entry? { place(ticket).flatMap { blocks[Self.block(ticket)]?[$0] } }

  /// Takes a record in and gives it the next ticket.
  mutating func add(_ entry: Entry) -> Int64 {
    var entry = entry
    entry.state.ticket = nextTicket
    entry.isChanged = isJournaled
    nextTicket += 1
    if isJournaled { changed.append(entry.state.ticket) }
    append(entry)
    return entry.state.ticket
  }

  /// Puts back a record that was tried again and still waits.
  ///
  /// - Parameter isChanged: whether the changelog has to hear of it.
  mutating func update(_ entry: Entry, isChanged: Bool) {
    let ticket = entry.state.ticket
    guard let place = place(ticket) else { return }
    blocks[Self.block(ticket)]?[place] = entry
    guard isChanged, isJournaled, !entry.isChanged else { return }
    blocks[Self.block(ticket)]?[place].isChanged = true
    changed.append(ticket)
  }

  /// Lets a record go.
  mutating func remove(_ ticket: Int64) {
    guard let place = place(ticket), let entry = blocks[Self.block(ticket)]?.remove(at: place)
    else { return }
    if entry.isWritten, isJournaled { removed.append(ticket) }
    count -= 1
    guard blocks[Self.block(ticket)]?.isEmpty == true else { return }
    blocks[Self.block(ticket)] = nil
    while let first = order.first, blocks[first] == nil {
      order.removeFirst()
      if newestBlock == first { newestBlock = nil }
    }
  }

  /// Calls `body` with each record to be written, and counts them as written, as far as the budget
  /// lasts.
  ///
  /// - Returns: whether all are.
  mutating func drain<E: Error>(
    on budget: inout Int, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) -> Bool {
    while drained < removed.count + changed.count {
      guard budget > 0 else { return false }
      budget -= Work.output
      if drained < removed.count {
        try body(.removed(.waiting(ticket: removed[drained])), false)
      } else {
        let ticket = changed[drained - removed.count]
        if let place = place(ticket), let entry = self[ticket] {
          budget -= entry.state.value.count / Self.bytesPerLook
          try body(.waiting(entry.state), !entry.isWritten)
          blocks[Self.block(ticket)]?[place].isChanged = false
          blocks[Self.block(ticket)]?[place].isWritten = true
        }
      }
      drained += 1
    }
    drained = 0
    changed.removeAll(keepingCapacity: true)
    removed.removeAll(keepingCapacity: true)
    return true
  }

  /// For how many bytes that are written an id can be looked at.
  private static var bytesPerLook: Int { 16 }

  /// The records that wait, in the order of their tickets.
  func forEach<E: Error>(_ body: (Entry) throws(E) -> Void) throws(E) {
    for block in blocks.keys.sorted() {
      for entry in blocks[block] ?? [] { try body(entry) }
    }
  }

  /// Takes in a saved record; they come with rising tickets.
  mutating func restore(_ saved: Entry) {
    var entry = saved
    entry.isWritten = true
    nextTicket = max(nextTicket, entry.state.ticket + 1)
    append(entry)
  }

  /// Goes on with a saved ticket, or behind the last one restored.
  mutating func restore(nextTicket saved: Int64) { nextTicket = max(nextTicket, saved) }

  /// Gives what waits back, as far as the budget lasts.
  mutating func drop(on budget: inout Int) -> Bool {
    while let block = order.first {
      guard budget > 0 else { return false }
      budget -= (blocks.removeValue(forKey: block)?.count ?? 0) * Work.output + 1
      order.removeFirst()
    }
    return true
  }

  private mutating func append(_ entry: Entry) {
    let block = Self.block(entry.state.ticket)
    if newestBlock != block {
      order.append(block)
      newestBlock = block
    }
    blocks[block, default: []].append(entry)
    count += 1
  }

  private static func block(_ ticket: Int64) -> Int64 { ticket >> 4 }

  private func place(_ ticket: Int64) -> Int? {
    blocks[Self.block(ticket)]?.firstIndex { $0.state.ticket == ticket }
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
  /// How many tickets and names are on its lists.
  var placeCount: Int {
    let lists = Array(forId.values) + Array(forMessageUId.values)
    return lists.reduce(tickets.count + forMember.count + lists.count) { $0 + $1.count }
  }

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

  private static func with(_ ticket: Int64, _ tickets: consuming [Int64]) -> [Int64] {
    let index = tickets.indices.halved { tickets[$0] >= ticket }
    if index == tickets.count || tickets[index] != ticket { tickets.insert(ticket, at: index) }
    return tickets
  }

  private static func without(_ ticket: Int64, _ tickets: consuming [Int64]?) -> [Int64]? {
    guard var tickets else { return nil }
    let index = tickets.indices.halved { tickets[$0] >= ticket }
    if index < tickets.count, tickets[index] == ticket { tickets.remove(at: index) }
    return tickets.isEmpty ? nil : tickets
  }

  /// Calls `body` with the id or `messageUId` at each position.
  private static func forEachName(
    of event: Event, _ positions: [Int32], _ body: (Int64?, [UInt8]?) -> Void
  ) {
    if case .delete(let delete) = event.body, !positions.isEmpty { body(delete.messageId, nil) }
    guard case .receipt(let receipt) = event.body else { return }
    for position in positions {
      switch receipt.covers.name(position, in: event) {
      case .id(let id): body(id, nil)
      case .messageUId(let uid): body(nil, [UInt8](event.text[uid.range]))
      case nil: break
      }
    }
  }
}
