package import Core

/// Folds a partition's changelog into a machine.
///
/// It takes the records in the order of the log and keeps the last one of each key, undecoded, so
/// that the whole log and the compacted one give the same; memory is bounded by the live state.
/// Then it puts the pieces into a machine, as many at a time as it is told to; which lie in memory
/// either undecoded or in the machine, and never both. What comes of it depends on the live pieces
/// and on nothing else.
package struct StateFold {
  /// What it takes to fold a piece, and again to decode it and put it into the machine, in looks at
  /// an id; and for how many bytes one look more.
  private static let pieceCost = 100
  private static let bytesPerLook = 16

  private var table = PieceTable()
  /// What the live pieces are so far, to be held against what the partition's record says.
  package private(set) var tally = StateTally()
  /// The partition's own record, the last one so far.
  package private(set) var record: PartitionRecord?
  /// The group that was the first to claim the partition, where that is not confirmed yet by a
  /// later transaction.
  package private(set) var claimant: String?
  /// How many pieces are in the machine.
  package private(set) var counted = 0
  private var assembly: Assembly?
  private var givingBack = GivingBack()

  /// A fold that has taken nothing.
  package init() {}

  /// The number of live pieces that are not in the machine yet.
  package var count: Int { table.count + (record == nil || isCounting ? 0 : 1) }

  /// Whether it has begun to fill the machine: it takes no record any more.
  package var isCounting: Bool { assembly != nil }

  /// Takes one record; one without a value is a tombstone.
  ///
  /// - Returns: what it took, in looks at an id.
  /// - Throws: where there is no key, or the partition's own record cannot be read.
  @discardableResult
  package mutating func take(
    key: Span<UInt8>?, value: Span<UInt8>?
  ) throws(StateError) -> Int {
    guard let key, key.count > 0 else { throw .malformed }
    precondition(assembly == nil, "the machine is being filled")
    if StateCodec.isPartition(key: key) {
      record = try PartitionRecord(key: key, value: value)
      claimant = record?.isClaim == true ? claimant ?? record?.group : nil
      return Self.pieceCost
    }
    if let value {
      let bytes = Array(copying: value)
      if !table.update(key, bytes) {
        table.add(key, bytes, of: StateCodec.conversation(inKey: Array(copying: key)))
        tally.add(key: key)
      }
    } else if table.remove(key) {
      tally.remove(key: key)
    }
    return Self.pieceCost + (value?.count ?? 0) / Self.bytesPerLook
  }

  /// Restores the machine, all at once. The fold is empty after that.
  ///
  /// - Returns: the machine, and what the last transaction wrote beside its state; nil where the
  ///   changelog does not have it.
  package mutating func finish(
    rules: Rules, partition: Int32
  ) throws(StateError) -> (machine: Machine, partition: PartitionRecord?) {
    while true {
      var budget = Int.max
      if let done = try fill(rules: rules, partition: partition, on: &budget) { return done }
    }
  }

  /// Goes on filling the machine, as far as the budget lasts.
  ///
  /// - Parameter budget: about how many ids, members or messages of a member may be looked at; what
  ///   it took is taken off, which may be a piece too much.
  /// - Returns: the machine and the partition's record, once all is done.
  package mutating func fill(
    rules: Rules, partition: Int32, on budget: inout Int
  ) throws(StateError) -> (machine: Machine, partition: PartitionRecord?)? {
    if assembly == nil {
      if record != nil { counted += 1 }
      assembly = Assembly(record, rules: rules, partition: partition)
    }
    while budget > 0 {
      switch assembly?.stage {
      case .conversations: sortConversations(on: &budget)
      case .pieces: sortPieces(on: &budget)
      case .decoding: try decode(on: &budget)
      case .counting: count(on: &budget)
      case .dropping:
        if givingBack.go(on: &budget, { table.drop(on: &$0) }) { assembly?.stage = .ending }
      case .ending:
        guard let done = end(on: &budget) else { continue }
        return done
      case nil: return nil
      }
    }
    return nil
  }

  /// Goes on giving back what it holds, as far as the budget lasts; it can do nothing else then.
  ///
  /// - Returns: whether all is gone.
  package mutating func drop(on budget: inout Int) -> Bool {
    guard table.dropKeys(on: &budget), table.drop(on: &budget) else { return false }
    return assembly?.drop(on: &budget) ?? true
  }

  private mutating func sortConversations(on budget: inout Int) {
    guard let assembly, table.dropKeys(on: &budget),
      assembly.order.sortConversations(of: table, on: &budget)
    else { return }
    begin(on: &budget)
  }

  /// Begins with the next conversation.
  private mutating func begin(on budget: inout Int) {
    let isMore = assembly?.order.nextConversation(of: table, on: &budget)
    assembly?.stage = isMore == true ? .pieces : .dropping
  }

  private mutating func sortPieces(on budget: inout Int) {
    if assembly?.order.sortPieces(of: table, on: &budget) == true { assembly?.stage = .decoding }
  }

  private mutating func decode(on budget: inout Int) throws(StateError) {
    guard let assembly else { return }
    while budget > 0 {
      guard let next = assembly.order.nextPiece() else {
        assembly.stage = .counting
        return
      }
      let (key, value) = table.take(next)
      budget -= Self.pieceCost + value.count / Self.bytesPerLook
      try assembly.restore(key, value)
      counted += 1
    }
  }

  private mutating func count(on budget: inout Int) {
    if assembly?.machine.countRestored(on: &budget) == true { begin(on: &budget) }
  }

  private mutating func end(
    on budget: inout Int
  ) -> (machine: Machine, partition: PartitionRecord?)? {
    let nextTicket = assembly?.record?.nextTicket ?? 0
    guard assembly?.machine.finishRestore(nextTicket: nextTicket, on: &budget) == true,
      let assembly
    else { return nil }
    self = StateFold()
    return (assembly.machine, assembly.record)
  }
}

/// The filling of a machine, on its way:
///
///     conversations ─▶ pieces ─▶ decoding ─▶ counting ─▶ dropping ─▶ ending
///                        ▲                      │
///                        └─ the next conversation
private final class Assembly {
  enum Stage { case conversations, pieces, decoding, counting, dropping, ending }

  var stage = Stage.conversations
  var machine: Machine
  var order = PieceOrder()
  let record: PartitionRecord?
  var decoder: Decoder

  init(_ record: PartitionRecord?, rules: Rules, partition: Int32) {
    self.record = record
    machine = Machine(partition: partition, rules: rules)
    machine.beginRestore(streamTime: record?.streamTime)
    decoder = Decoder(ofWhatWaits: rules)
  }

  /// Goes on giving back what it holds, as far as the budget lasts.
  ///
  /// - Returns: whether all is gone.
  func drop(on budget: inout Int) -> Bool {
    order.drop(on: &budget) && machine.drop(on: &budget)
  }

  func restore(_ key: [UInt8], _ value: [UInt8]) throws(StateError) {
    switch try StateCodec.decode(key: key, value: value) {
    case .partition: throw .malformed
    case .change(.waiting(let state)):
      machine.restore(.waiting(state), event: try event(state))
    case .change(let change): machine.restore(change)
    }
  }

  /// What a waiting record says, decoded again.
  private func event(_ state: WaitingState) throws(StateError) -> Event {
    var event = Event(coordinates: state.source)
    decoder.decode(state.source, key: state.key.span, value: state.value.span, into: &event)
    if case .invalid = event.body { throw .malformed }
    return event
  }
}

extension [UInt8] {
  /// Copies the bytes of a span.
  package init(copying span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
  }
}
