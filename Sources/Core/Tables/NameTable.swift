/// Names (uids, conversation ids, `messageUId`s) as small integers: a hash table from the bytes of
/// a name to its slot, which is looked up without an allocation.
///
/// Freed slots are given out again, the lowest first, so that the slots are a function of what the
/// table holds and of the order of what came, and of nothing else. The order of the hash table
/// itself (seeded anew in each process, so that nobody can make names collide) is never seen.
struct NameTable {
  /// The names by slot; a free slot's name is empty.
  private(set) var names: [[UInt8]] = []
  /// The number of names.
  private(set) var count = 0
  private var hashes: [Int] = []
  private var free = FreeSlots()
  /// Open addressing with linear probing: a slot, or -1.
  private var buckets: [Int32] = []

  /// The slot of a name, where it has one.
  func find(_ name: Span<UInt8>) -> Int32? {
    guard !buckets.isEmpty else { return nil }
    let hash = Self.hash(name)
    var bucket = hash & (buckets.count - 1)
    while true {
      let slot = buckets[bucket]
      if slot < 0 { return nil }
      if hashes[Int(slot)] == hash, names[Int(slot)].holdsSame(as: name) { return slot }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
  }

  /// The slot of a name, which gets one if it has none.
  mutating func intern(_ name: Span<UInt8>) -> Int32 {
    if let slot = find(name) { return slot }
    let slot = free.first ?? Int32(names.count)
    free.remove(slot)
    place([UInt8](copying: name), at: slot)
    return slot
  }

  /// Puts a name on the slot that a saved state gives it; slots that are left out are free.
  mutating func restore(_ name: [UInt8], at slot: Int32) {
    while names.count < Int(slot) {
      free.insert(Int32(names.count))
      names.append([])
      hashes.append(0)
    }
    free.remove(slot)
    place(name, at: slot)
  }

  /// Frees a slot.
  mutating func remove(_ slot: Int32) {
    guard slot >= 0, Int(slot) < names.count, !names[Int(slot)].isEmpty else { return }
    var hole = hashes[Int(slot)] & (buckets.count - 1)
    while buckets[hole] != slot { hole = (hole + 1) & (buckets.count - 1) }
    // Moves back what stands behind the hole and could have stood in it.
    var next = (hole + 1) & (buckets.count - 1)
    while buckets[next] >= 0 {
      let home = hashes[Int(buckets[next])] & (buckets.count - 1)
      if (next - home) & (buckets.count - 1) >= (next - hole) & (buckets.count - 1) {
        buckets[hole] = buckets[next]
        hole = next
      }
      next = (next + 1) & (buckets.count - 1)
    }
    buckets[hole] = -1
    names[Int(slot)] = []
    count -= 1
    free.insert(slot)
    while let last = names.last, last.isEmpty {
      names.removeLast()
      hashes.removeLast()
      free.remove(Int32(names.count))
    }
    free.trim(to: names.count)
    if count * 16 < buckets.count, buckets.count > 64 { rehash(buckets.count / 4) }
  }

  /// How many words of memory it has, about, beside the names' own.
  var capacity: Int { names.count * 2 + buckets.count / 2 + free.wordCount }

  /// Gives its names back, as far as the budget lasts; nothing can be found any more then.
  mutating func drop(on budget: inout Int) -> Bool {
    while !names.isEmpty {
      guard budget > 0 else { return false }
      budget -= 4
      names.removeLast()
    }
    self = NameTable()
    return true
  }

  private mutating func place(_ name: [UInt8], at slot: Int32) {
    let hash = Self.hash(name.span)
    if Int(slot) == names.count {
      names.append(name)
      hashes.append(hash)
    } else {
      names[Int(slot)] = name
      hashes[Int(slot)] = hash
    }
    count += 1
    if count * 2 > buckets.count {
      rehash(max(8, buckets.count * 2))
    } else {
      enter(slot)
    }
  }

  private mutating func enter(_ slot: Int32) {
    var bucket = hashes[Int(slot)] & (buckets.count - 1)
    while buckets[bucket] >= 0 { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = slot
  }

  private mutating func rehash(_ size: Int) {
    buckets = [Int32](repeating: -1, count: size)
    for slot in names.indices where !names[slot].isEmpty { enter(Int32(slot)) }
  }

  /// Not negative. The words are put together by hand: a span gives its bytes one by one.
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
    return hasher.finalize() & .max
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
    for index in bytes.indices { append(bytes[index]) }
  }
}
