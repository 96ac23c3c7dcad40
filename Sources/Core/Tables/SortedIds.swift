/// Ids in rising order that mostly come at the end and go at the beginning.
struct SortedIds {
  private var ids: [Int64] = []
  /// How many at the beginning of `ids` are gone.
  private var start = 0

  /// The number of ids.
  var count: Int { ids.count - start }
  var isEmpty: Bool { count == 0 }
  var last: Int64? { isEmpty ? nil : ids.last }

  /// The id with a number, from 0.
  subscript(_ position: Int) -> Int64 { ids[start + position] }

  /// The number of ids at or below `id`: the position of the first above it.
  func position(above id: Int64) -> Int {
    guard let last = ids.last, last > id else { return count }
    return (start..<ids.count).halved { ids[$0] > id } - start
  }

  /// Puts in an id that is not there.
  mutating func insert(_ id: Int64) { ids.insert(id, at: start + position(above: id)) }

  /// Takes out an id, if it is there.
  mutating func remove(_ id: Int64) {
    let position = position(above: id - 1)
    guard position < count, self[position] == id else { return }
    guard position == 0 else {
      ids.remove(at: start + position)
      return
    }
    start += 1
    if start > 64, start * 2 > ids.count {
      ids.removeFirst(start)
      start = 0
    }
  }
}

/// The messages that can be unread: all of a thread, and each sender's own among them.
struct UnreadIndex {
  private(set) var all = SortedIds()
  private var own: [Int32: SortedIds] = [:]

  /// How many ids are held, in all lists.
  var placeCount: Int { own.values.reduce(all.count + own.count) { $0 + $1.count } }

  mutating func insert(_ id: Int64, by sender: Int32) {
    all.insert(id)
    own[sender, default: SortedIds()].insert(id)
  }

  mutating func remove(_ id: Int64, by sender: Int32) {
    all.remove(id)
    own[sender]?.remove(id)
    if own[sender]?.isEmpty == true { own[sender] = nil }
  }

  /// How many messages above `floor`, and not above `ceiling`, are not the member's own, and the
  /// lowest of them: a few binary searches, however many there are.
  func count(
    above floor: Int64, upTo ceiling: Int64, for member: Int32
  ) -> (count: Int, from: Int64?) {
    guard floor < ceiling else { return (0, nil) }
    let begin = all.position(above: floor)
    let total = all.position(above: ceiling) - begin
    guard let own = own[member] else { return (total, total > 0 ? all[begin] : nil) }
    let ownBegin = own.position(above: floor)
    let ownTotal = own.position(above: ceiling) - ownBegin
    guard total > ownTotal else { return (0, nil) }
    // A member's own are among all. As long as both go together, all are the member's own: the
    // lowest other one stands where they first part.
    let parting = (0..<ownTotal).halved { all[begin + $0] != own[ownBegin + $0] }
    return (total - ownTotal, all[begin + parting])
  }
}

extension Range<Int> {
  /// The first number for which something holds that holds for all behind it, too, found by
  /// halving; the end where it holds for none.
  @inline(__always)
  func halved(_ holds: (Int) -> Bool) -> Int {
    var low = lowerBound
    var high = upperBound
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
