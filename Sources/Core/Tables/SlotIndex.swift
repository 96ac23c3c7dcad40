/// A hash table from hashes to slots, in parts of a bounded size.
///
/// It grows by linear hashing: one part after another is divided in two, and taken together again
/// as it gets empty, so that no single change moves more than a part, however much there is. The
/// owner keeps what stands at the slots, and says which of those with an equal hash is meant.
struct SlotIndex {
  /// Open addressing with linear probing: a slot below its hash, or -1.
  private struct Part {
    var buckets: [Int64] = []
    var count = 0
  }

  /// So many slots in a part on average: one that has not had its turn yet has twice as many.
  private static var partSize: Int { 512 }

  private var parts: [Part] = []
  /// The highest power of two that is not above the number of parts.
  private var round = 1
  /// The number of slots.
  private(set) var count = 0
  /// How many slots were put into other places than they had. For tests.
  private(set) var moves = 0

  /// How many words of memory it has, about.
  var capacity: Int { parts.reduce(0) { $0 + $1.buckets.count } }

  /// The slot that is meant among those with a hash of 31 bits.
  func find(_ hash: Int, _ isMeant: (Int32) -> Bool) -> Int32? {
    guard count > 0 else { return nil }
    let part = place(of: hash)
    let mask = parts[part].buckets.count - 1
    guard mask > 0 else { return nil }
    var bucket = Self.home(hash) & mask
    while true {
      let entry = parts[part].buckets[bucket]
      if entry < 0 { return nil }
      if Self.hash(entry) == hash, isMeant(Self.slot(entry)) { return Self.slot(entry) }
      bucket = (bucket + 1) & mask
    }
  }

  /// Puts in a slot that is not there, under a hash of 31 bits.
  mutating func insert(_ slot: Int32, _ hash: Int) {
    if parts.isEmpty { parts.append(Part()) }
    add(Int64(hash) << 32 | Int64(slot), to: place(of: hash))
    count += 1
    if count > parts.count * Self.partSize { divide() }
  }

  /// Takes out a slot, which is there under this hash.
  mutating func remove(_ slot: Int32, _ hash: Int) {
    let part = place(of: hash)
    let mask = parts[part].buckets.count - 1
    var hole = Self.home(hash) & mask
    while Self.slot(parts[part].buckets[hole]) != slot { hole = (hole + 1) & mask }
    // Moves back what stands behind the hole and could have stood in it.
    var next = (hole + 1) & mask
    while parts[part].buckets[next] >= 0 {
      let home = Self.home(Self.hash(parts[part].buckets[next])) & mask
      if (next - home) & mask >= (next - hole) & mask {
        parts[part].buckets[hole] = parts[part].buckets[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    parts[part].buckets[hole] = -1
    parts[part].count -= 1
    count -= 1
    if parts[part].count * 16 < mask, mask >= 64 { rebuild(part, (mask + 1) / 4) }
    if parts.count > 1, count * 4 < parts.count * Self.partSize { unite() }
  }

  /// Gives its memory back, as far as the budget lasts; nothing can be found any more then.
  mutating func drop(on budget: inout Int) -> Bool {
    count = 0
    while budget > 0, parts.popLast() != nil { budget -= Work.output }
    return parts.isEmpty
  }

  private mutating func add(_ entry: Int64, to part: Int) {
    parts[part].count += 1
    if parts[part].count * 2 > parts[part].buckets.count {
      rebuild(part, max(8, parts[part].buckets.count * 2))
    }
    enter(entry, part)
  }

  private mutating func enter(_ entry: Int64, _ part: Int) {
    let mask = parts[part].buckets.count - 1
    var bucket = Self.home(Self.hash(entry)) & mask
    while parts[part].buckets[bucket] >= 0 { bucket = (bucket + 1) & mask }
    parts[part].buckets[bucket] = entry
  }

  private mutating func rebuild(_ part: Int, _ size: Int) {
    var old = [Int64](repeating: -1, count: size)
    swap(&old, &parts[part].buckets)
    for entry in old where entry >= 0 { enter(entry, part) }
    moves += old.count / 2
  }

  /// Divides the part whose turn it is.
  private mutating func divide() {
    let part = parts.count - round
    var old = Part()
    swap(&old, &parts[part])
    parts.append(Part())
    if parts.count == 2 * round { round *= 2 }
    for entry in old.buckets where entry >= 0 { add(entry, to: place(of: Self.hash(entry))) }
    moves += old.count
  }

  /// Takes the last part and the one that it was divided from together.
  private mutating func unite() {
    if parts.count == round { round /= 2 }
    guard let last = parts.popLast() else { return }
    for entry in last.buckets where entry >= 0 { add(entry, to: place(of: Self.hash(entry))) }
    moves += last.count
  }

  private func place(of hash: Int) -> Int {
    let place = hash & (2 * round - 1)
    return place < parts.count ? place : place - round
  }

  /// Other bits than those that choose the part, where there are enough.
  private static func home(_ hash: Int) -> Int { hash >> 19 }
  private static func hash(_ entry: Int64) -> Int { Int(entry >> 32) }
  private static func slot(_ entry: Int64) -> Int32 { Int32(truncatingIfNeeded: entry) }
}
