/// Records that are written later than they were made, or once more.
struct WorkloadHeld: Sendable {
  struct Item: Sendable {
    var record: WorkloadRecord
    var isRepeat: Bool
    /// After how many records of all it is due.
    var due: Int
  }

  private static let capacity = 64
  private var items: [Item] = []
  private var nextDue = Int.max

  var hasRoom: Bool { items.count < Self.capacity }

  mutating func hold(_ record: WorkloadRecord, isRepeat: Bool, until due: Int) {
    items.append(Item(record: record, isRepeat: isRepeat, due: due))
    nextDue = min(nextDue, due)
  }

  /// Gives one that is due, the first held of the first due.
  mutating func release(due: Int) -> Item? {
    guard nextDue <= due, let index = items.firstIndex(where: { $0.due == nextDue }) else {
      return nil
    }
    let item = items.remove(at: index)
    nextDue = items.reduce(.max) { min($0, $1.due) }
    return item
  }
}
