/// For which of the leavers of one record the messages wait, as far as their watermarks say: those
/// of one word of slots at a time, a bit each.
///
/// This is what `MemberInThread` says of each leaver and message, but for 64 leavers at once: a
/// message waits for a leaver if it is behind the beginning of the membership, by its id and by its
/// arrival, behind what the leaver has covered by id in its thread, and behind what they have
/// covered by time. Each of these is a beginning in an order of its own, from where on all messages
/// are behind it: so they are found with one pass through each order, whatever the orders are.
struct Releases {
  /// The leavers in hand: their slots have one word.
  var slots: [Int32] = []
  /// By row, that is by id: the bits of the leavers for whose reading, and delivery, it waits.
  private(set) var read: [UInt64] = []
  private(set) var delivered: [UInt64] = []
  /// The rows by arrival and by when they were sent; empty where that is the order of ids.
  private var byArrival: [Int32] = []
  private var byTime: [Int32] = []
  /// The rows thread by thread, and where those of each thread are; empty where threads are not
  /// separate.
  private var byThread: [Int32] = []
  private var threads: [Int64: Range<Int>] = [:]
  /// By position in an order, during a pass: the bits that change there.
  private var readChanges: [UInt64] = []
  private var deliveredChanges: [UInt64] = []
  /// How many passes through the messages there are for each word.
  private(set) var passCount = 2

  /// Begins with all the messages of a timeline.
  ///
  /// - Parameter isSeparate: whether threads are separate.
  mutating func begin(_ timeline: Timeline, isSeparate: Bool) {
    let first = timeline.indices.lowerBound
    let count = timeline.indices.count
    Self.fill(&read, count)
    Self.fill(&delivered, count)
    Self.fill(&readChanges, count + 1)
    Self.fill(&deliveredChanges, count + 1)
    Self.sort(&byArrival, count) { timeline.sequences[first + $0] < timeline.sequences[first + $1] }
    Self.sort(&byTime, count) { timeline.sentAt[first + $0] < timeline.sentAt[first + $1] }
    byThread.removeAll(keepingCapacity: true)
    threads.removeAll(keepingCapacity: true)
    if isSeparate { beginThreads(timeline) }
    passCount = 2 + [byArrival, byTime, byThread].count(where: { !$0.isEmpty })
  }

  private mutating func beginThreads(_ timeline: Timeline) {
    let first = timeline.indices.lowerBound
    byThread.append(contentsOf: timeline.indices.lazy.map { Int32($0 - first) })
    let thread = { (row: Int32) in timeline.parents[first + Int(row)] }
    byThread.sort { (thread($0), $0) < (thread($1), $1) }
    var start = 0
    for position in byThread.indices {
      let parent = thread(byThread[position])
      guard position + 1 == byThread.count || thread(byThread[position + 1]) != parent else {
        continue
      }
      threads[parent] = start..<(position + 1)
      start = position + 1
    }
  }

  private static func fill(_ words: inout [UInt64], _ count: Int) {
    words.removeAll(keepingCapacity: true)
    words.append(contentsOf: repeatElement(0, count: count))
  }

  /// Sorts the rows, unless they are in order.
  private static func sort(_ rows: inout [Int32], _ count: Int, by areInOrder: (Int, Int) -> Bool) {
    rows.removeAll(keepingCapacity: true)
    guard count > 1, (1..<count).contains(where: { areInOrder($0, $0 - 1) }) else { return }
    rows.append(contentsOf: (0..<count).lazy.map(Int32.init))
    rows.sort { areInOrder(Int($0), Int($1)) || !areInOrder(Int($1), Int($0)) && $0 < $1 }
  }

  /// Finds for which of the leavers in hand the messages wait.
  mutating func find(_ timeline: Timeline, _ members: [Member], _ positions: Positions) {
    passById(timeline, members)
    if !byArrival.isEmpty { passByArrival(timeline, members) }
    if !byTime.isEmpty { passByTime(timeline, members) }
    if !byThread.isEmpty { passByThread(timeline, members, positions) }
  }

  /// The first pass. An order that is the same as that of ids has no pass of its own.
  private mutating func passById(_ timeline: Timeline, _ members: [Member]) {
    let first = timeline.indices.lowerBound
    for slot in slots {
      let member = members[Int(slot)]
      guard let period = member.periods.last else { continue }
      var read = timeline.firstIndex(above: period.beginId) - first
      if byArrival.isEmpty { read = max(read, behind(period.beginSequence, timeline)) }
      var delivered = read
      if byTime.isEmpty {
        read = max(read, behind(member.progress.read.sentUpTo, timeline))
        delivered = max(read, behind(member.progress.delivered.sentUpTo, timeline))
      }
      if byThread.isEmpty {
        read = max(read, timeline.firstIndex(above: member.progress.read.upTo) - first)
        delivered = max(
          read, delivered, timeline.firstIndex(above: member.progress.delivered.upTo) - first)
      }
      readChanges[read] |= slot.bit
      deliveredChanges[delivered] |= slot.bit
    }
    var (reading, delivering): (UInt64, UInt64) = (0, 0)
    for row in read.indices {
      reading |= Self.take(&readChanges[row])
      delivering |= Self.take(&deliveredChanges[row])
      read[row] = reading
      delivered[row] = delivering
    }
    clearEnd()
  }

  private mutating func passByArrival(_ timeline: Timeline, _ members: [Member]) {
    for slot in slots {
      guard let period = members[Int(slot)].periods.last else { continue }
      let begin = behind(period.beginSequence, timeline)
      readChanges[begin] |= slot.bit
      deliveredChanges[begin] |= slot.bit
    }
    pass(byArrival)
  }

  private mutating func passByTime(_ timeline: Timeline, _ members: [Member]) {
    for slot in slots {
      let member = members[Int(slot)]
      let read = behind(member.progress.read.sentUpTo, timeline)
      readChanges[read] |= slot.bit
      deliveredChanges[max(read, behind(member.progress.delivered.sentUpTo, timeline))] |= slot.bit
    }
    pass(byTime)
  }

  private mutating func pass(_ order: [Int32]) {
    var (reading, delivering): (UInt64, UInt64) = (0, 0)
    for position in order.indices {
      reading |= Self.take(&readChanges[position])
      delivering |= Self.take(&deliveredChanges[position])
      read[Int(order[position])] &= reading
      delivered[Int(order[position])] &= delivering
    }
    clearEnd()
  }

  /// In each thread a leaver has come otherwise far.
  private mutating func passByThread(
    _ timeline: Timeline, _ members: [Member], _ positions: Positions
  ) {
    for slot in slots {
      let member = members[Int(slot)]
      cover(0, slot, member.progress, timeline)
      for key in positions.members(ofSlot: slot) {
        guard let position = positions[key] else { continue }
        cover(key.parent, slot, position.progress, timeline)
      }
    }
    var (isRead, isDelivered): (UInt64, UInt64) = (0, 0)
    for position in byThread.indices {
      isRead ^= Self.take(&readChanges[position])
      isDelivered ^= Self.take(&deliveredChanges[position])
      read[Int(byThread[position])] &= ~isRead
      delivered[Int(byThread[position])] &= ~isDelivered
    }
    clearEnd()
  }

  /// Notes what a leaver has covered of a thread by id.
  private mutating func cover(
    _ thread: Int64, _ slot: Int32, _ progress: Progress, _ timeline: Timeline
  ) {
    guard let range = threads[thread] else { return }
    readChanges[range.lowerBound] ^= slot.bit
    readChanges[behind(progress.read.upTo, in: range, timeline)] ^= slot.bit
    deliveredChanges[range.lowerBound] ^= slot.bit
    deliveredChanges[
      behind(max(progress.read.upTo, progress.delivered.upTo), in: range, timeline)] ^= slot.bit
  }

  /// The position of the first message of a thread above an id.
  private func behind(_ id: Int64, in range: Range<Int>, _ timeline: Timeline) -> Int {
    let first = timeline.indices.lowerBound
    return range.halved { timeline.ids[first + Int(byThread[$0])] > id }
  }

  /// The position of the first message, by arrival, behind a moment of the message topic.
  private func behind(_ sequence: Int64, _ timeline: Timeline) -> Int {
    let first = timeline.indices.lowerBound
    return read.indices.halved {
      timeline.sequences[first + (byArrival.isEmpty ? $0 : Int(byArrival[$0]))] > sequence
    }
  }

  /// The position of the first message, by when they were sent, that a time watermark does not
  /// cover.
  private func behind(_ sentUpTo: Instant, _ timeline: Timeline) -> Int {
    guard sentUpTo != .distantPast else { return 0 }
    let first = timeline.indices.lowerBound
    return read.indices.halved {
      timeline.sentAt[first + (byTime.isEmpty ? $0 : Int(byTime[$0]))] > sentUpTo
    }
  }

  private static func take(_ word: inout UInt64) -> UInt64 {
    defer { word = 0 }
    return word
  }

  private mutating func clearEnd() {
    readChanges[read.count] = 0
    deliveredChanges[read.count] = 0
  }
}

extension Int32 {
  /// The bit of a slot in its word.
  var bit: UInt64 { 1 << UInt64(self % 64) }
}
