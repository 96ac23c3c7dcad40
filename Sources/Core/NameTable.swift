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
  /// Free slots, falling.
  private var free: [Int32] = []
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
    let slot = free.popLast() ?? Int32(names.count)
    place([UInt8](copying: name), at: slot)
    return slot
  }

  /// Puts a name on a slot that a saved state gives it; `finishRestore` must follow.
  mutating func restore(_ name: [UInt8], at slot: Int32) {
    while names.count < Int(slot) {
      names.append([])
      hashes.append(0)
    }
    place(name, at: slot)
  }

  /// Ends a restore: the slots that were left out are free.
  mutating func finishRestore() {
    free = names.indices.reversed().filter { names[$0].isEmpty }.map(Int32.init)
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
    let place = free.firstIndex { $0 < slot } ?? free.count
    free.insert(slot, at: place)
    while let last = names.last, last.isEmpty {
      names.removeLast()
      hashes.removeLast()
    }
    if let first = free.firstIndex(where: { Int($0) < names.count }) {
      free.removeFirst(first)
    } else {
      free.removeAll()
    }
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
      grow()
    } else {
      enter(slot)
    }
  }

  private mutating func enter(_ slot: Int32) {
    var bucket = hashes[Int(slot)] & (buckets.count - 1)
    while buckets[bucket] >= 0 { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = slot
  }

  private mutating func grow() {
    buckets = [Int32](repeating: -1, count: max(8, buckets.count * 2))
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
