/// The free slots of a table, of which the lowest is given out first: a bit each, and above each
/// level of bits one that says which of its words have any.
struct FreeSlots {
  private var levels: [[UInt64]] = [[]]

  /// The lowest; nil where none is free.
  var first: Int32? {
    guard var place = levels.last?.firstIndex(where: { $0 != 0 }) else { return nil }
    for level in levels.reversed() { place = place << 6 | level[place].trailingZeroBitCount }
    return Int32(place)
  }

  /// How many words it takes.
  var wordCount: Int { levels.reduce(0) { $0 + $1.count } }

  mutating func insert(_ slot: Int32) {
    var place = Int(slot)
    var level = 0
    while level < levels.count {
      while levels[level].count <= place >> 6 { levels[level].append(0) }
      levels[level][place >> 6] |= 1 << UInt64(place & 63)
      place >>= 6
      level += 1
      // The highest level has one word: a level above it would be a single bit.
      if level == levels.count, levels[level - 1].count > 1 { raise() }
    }
  }

  /// Takes a slot out, if it is in.
  mutating func remove(_ slot: Int32) {
    var place = Int(slot)
    for level in levels.indices {
      guard place >> 6 < levels[level].count else { return }
      levels[level][place >> 6] &= ~(1 << UInt64(place & 63))
      guard levels[level][place >> 6] == 0 else { return }
      place >>= 6
    }
  }

  /// Forgets the words behind all slots below `count`, of which none may be in.
  mutating func trim(to count: Int) {
    var words = count
    for level in levels.indices {
      words = (words + 63) >> 6
      if levels[level].count > words { levels[level].removeLast(levels[level].count - words) }
    }
    while levels.count > 1, levels[levels.count - 2].count <= 1 { levels.removeLast() }
  }

  /// Puts a level above the highest one, which has grown beyond one word.
  private mutating func raise() {
    var words = [UInt64](repeating: 0, count: (levels[levels.count - 1].count + 63) >> 6)
    for (place, word) in levels[levels.count - 1].enumerated() where word != 0 {
      words[place >> 6] |= 1 << UInt64(place & 63)
    }
    levels.append(words)
  }
}
