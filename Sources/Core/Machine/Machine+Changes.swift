/// How far the changes of state are handed out.
struct Draining {
  var removed = 0
  var conversations = 0
  /// Of the conversation in hand.
  var pieces = 0
}

extension Machine {
  /// How many pieces of state are to be written, or a few less: some of them may be gone by now.
  package var changeCount: Int { noted + removed.count + room.changed.count + room.removed.count }

  /// Hands out every piece of state that changed since the last call, tombstones first, and with
  /// each whether the changelog has nothing under its key yet. A tombstone is only given for a key
  /// that the changelog has.
  package mutating func drainChanges<E: Error>(
    _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) {
    var budget = Int.max
    while try !drainChanges(on: &budget, body) {}
  }

  /// Goes on handing them out, as far as the budget lasts. Nothing may be applied before all are.
  ///
  /// - Returns: whether all are handed out.
  package mutating func drainChanges<E: Error>(
    on budget: inout Int, _ body: (Change, _ isNew: Bool) throws(E) -> Void
  ) throws(E) -> Bool {
    while draining.removed < removed.count {
      guard budget > 0 else { return false }
      budget -= Work.output
      try body(.removed(removed[draining.removed]), false)
      draining.removed += 1
    }
    while draining.conversations < changed.count {
      let slot = changed[draining.conversations]
      if isListed(slot) {
        let isDone = try conversations[Int(slot)].drainChanges(&draining.pieces, on: &budget, body)
        guard isDone else { return false }
      }
      draining.pieces = 0
      draining.conversations += 1
    }
    guard try room.drain(on: &budget, body) else { return false }
    draining = Draining()
    removed.removeAll(keepingCapacity: true)
    changed.removeAll(keepingCapacity: true)
    noted = 0
    return true
  }

  /// Whether a conversation on the list of those with changes is not forgotten since, nor named
  /// there twice.
  private func isListed(_ slot: Int32) -> Bool {
    Int(slot) < conversations.count && conversations[Int(slot)].unwritten.isListed
  }

  /// The whole state, piece by piece, in an order that depends on nothing but the state.
  package func forEachPiece<E: Error>(_ body: (Change) throws(E) -> Void) throws(E) {
    let slots = conversations.indices.filter { !conversations[$0].id.isEmpty }.sorted {
      conversations[$0].id.lexicographicallyPrecedes(conversations[$1].id)
    }
    for slot in slots { try conversations[slot].forEachPiece(body) }
    try room.forEach { (entry: WaitingRoom.Entry) throws(E) in try body(.waiting(entry.state)) }
  }
}
