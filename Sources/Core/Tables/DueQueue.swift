/// What is to be forgotten some day, the earliest first: a binary heap that is never moved.
struct DueQueue {
  /// One thing to be looked at.
  struct Thing {
    /// The conversation's slot.
    var conversation: Int32
    var part: Part
  }

  /// What of a conversation is to be looked at.
  enum Part {
    /// An accepted delete whose message has not come, by the message's id.
    case deletion(Int64)
    /// The ended memberships of a slot.
    case membership(Int32)
    /// All of it: it has no members, or is one of two.
    case whole
  }

  private var heap = Chunks<(due: Instant, thing: Thing)>()

  /// How many things are in it.
  var count: Int { heap.count }
  /// When the earliest thing is due.
  var nextDue: Instant? { heap.first?.due }

  mutating func add(_ part: Part, of conversation: Int, due: Instant) {
    heap.append((due, Thing(conversation: Int32(conversation), part: part)))
    var child = heap.count - 1
    while child > 0, heap[child].due < heap[(child - 1) / 2].due {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes out the earliest thing if it is due.
  mutating func take(at now: Instant) -> (due: Instant, thing: Thing)? {
    guard let first = heap.first, first.due <= now, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].due < heap[least].due { least = child }
      if least == parent { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  /// Gives its memory back, as far as the budget lasts.
  mutating func drop(on budget: inout Int) -> Bool { heap.drop(on: &budget, weight: 0) }
}
