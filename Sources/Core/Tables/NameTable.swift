/// Names (uids, conversation ids, `messageUId`s, keys) as small integers: a hash table from the
/// bytes of a name to its slot, which is looked up without an allocation.
///
/// Freed slots are given out again, the lowest first, so that the slots are a function of what the
/// table holds and of the order of what came, and of nothing else. The order of the hash table
/// itself (seeded anew in each process, so that nobody can make names collide) is never seen.
///
/// However large it is, adding or taking out one name moves a bounded number of others.
struct NameTable {
  /// The names by slot; a free slot's name is empty.
  private var names = Chunks<[UInt8]>()
  private var free = FreeSlots()
  private var index = SlotIndex()

  /// The number of names.
  var count: Int { index.count }
  /// The number of slots, free ones too.
  var slotCount: Int { names.count }
  /// The slots, free ones too.
  var slots: Range<Int> { 0..<names.count }
  /// How many names were put into other places than they had. For tests.
  var moves: Int { index.moves }

  /// The name at a slot; that of a free one is empty.
  subscript(_ slot: Int) -> [UInt8] { names[slot] }

  /// The slot of a name, where it has one.
  func find(_ name: Span<UInt8>) -> Int32? {
    guard index.count > 0 else { return nil }
    return index.find(Self.hash(name)) { names[Int($0)].holdsSame(as: name) }
  }

  /// The slot of a name, which gets one if it has none.
  mutating func intern(_ name: Span<UInt8>) -> Int32 {
    let hash = Self.hash(name)
    if let slot = index.find(hash, { names[Int($0)].holdsSame(as: name) }) { return slot }
    let slot = free.first ?? Int32(names.count)
    free.remove(slot)
    place([UInt8](copying: name), hash, at: slot)
    return slot
  }

  /// Puts a name on the slot that a saved state gives it; slots that are left out are free.
  mutating func restore(_ name: [UInt8], at slot: Int32) {
    while names.count < Int(slot) {
      free.insert(Int32(names.count))
      names.append([])
    }
    free.remove(slot)
    place(name, Self.hash(name.span), at: slot)
  }

  /// Frees a slot.
  ///
  /// - Parameter limit: how many slots behind the last name are given up, at most: it may be the
  ///   last one of a million.
  mutating func remove(_ slot: Int32, trimming limit: Int = .max) {
    guard slot >= 0, Int(slot) < names.count, !names[Int(slot)].isEmpty else { return }
    let name = take(Int(slot))
    index.remove(slot, Self.hash(name.span))
    free.insert(slot)
    trim(atMost: limit)
  }

  /// Gives up free slots behind the last name.
  mutating func trim(atMost limit: Int) {
    let count = names.count
    while count - names.count < limit, let last = names.last, last.isEmpty {
      names.removeLast()
      free.remove(Int32(names.count))
    }
    if names.count < count { free.trim(to: names.count) }
  }

  /// How many words of memory it has, about, beside the names' own.
  var capacity: Int { names.count + index.capacity + free.wordCount }

  // Giving back. Nothing can be found or put in any more once it has begun.

  /// Gives back what finds a name, as far as the budget lasts; the names keep their slots.
  mutating func dropIndex(on budget: inout Int) -> Bool { index.drop(on: &budget) }

  /// Takes out the name at a slot.
  mutating func take(_ slot: Int) -> [UInt8] {
    var name: [UInt8] = []
    swap(&name, &names[slot])
    return name
  }

  /// Gives its names back, as far as the budget lasts.
  mutating func drop(on budget: inout Int) -> Bool {
    guard index.drop(on: &budget), names.drop(on: &budget, weight: 4) else { return false }
    self = NameTable()
    return true
  }

  private mutating func place(_ name: [UInt8], _ hash: Int, at slot: Int32) {
    if Int(slot) == names.count { names.append(name) } else { names[Int(slot)] = name }
    index.insert(slot, hash)
  }

  /// Of 31 bits. The words are put together by hand: a span gives its bytes one by one.
  private static func hash(_ name: Span<UInt8>) -> Int {
    var hasher = Hasher()
    var word: UInt64 = 0
    for index in name.indices {
      word = word << 8 | UInt64(name[index])
      if index & 7 == 7 {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    hasher.combine(UInt8(truncatingIfNeeded: name.count))
    return hasher.finalize() & 0x7FFF_FFFF
  }
}

extension [UInt8] {
  /// Whether both hold the same bytes.
  func holdsSame(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }

  /// The bytes of a span in an array of their own.
  init(copying bytes: Span<UInt8>) {
    self.init()
    append(copying: bytes)
  }

  /// Appends the bytes of a span.
  mutating func append(copying bytes: Span<UInt8>) {
    append(addingCapacity: bytes.count) { (end: inout OutputSpan<UInt8>) in
      for index in bytes.indices { end.append(bytes[index]) }
    }
  }
}
