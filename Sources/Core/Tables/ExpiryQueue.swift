/// The known ids of a partition in the order in which they were applied.
struct ExpiryQueue {
  /// A known id.
  struct Entry: BitwiseCopyable {
    var conversation: Int32
    var id: Int64
    var sequence: Int64
    var appliedAt: Instant
  }

  private var entries = ChunkedQueue<Entry>()

  /// The number of known ids.
  var count: Int { entries.count }
  var first: Entry? { entries.first }
  /// How many it has memory for, about.
  var capacity: Int { entries.capacity }

  /// The entry at a place, from the first on.
  subscript(_ place: Int) -> Entry? { entries[place] }

  mutating func append(_ entry: Entry) { entries.append(entry) }

  mutating func removeFirst() { entries.removeFirst() }

  /// Gives its memory back, as far as the budget lasts.
  mutating func drop(on budget: inout Int) -> Bool { entries.drop(on: &budget) }
}
