/// What the leavers of one record take off the replies that are open, where threads are separate:
/// as steps from message to message for who has no position in a thread, and as runs of its replies
/// for who has one, so that many leavers and many replies are not multiplied.
struct ThreadReleases {
  /// The timeline indices of all replies, thread by thread, and where those of each thread are.
  private(set) var replies: [Int] = []
  private var ranges: [Int64: Range<Int>] = [:]
  /// By slot: the place of the first message that waited for a leaver without a position;
  /// `Int32.max` for who is no leaver.
  private(set) var readFrom: [Int32] = []
  private(set) var deliveredFrom: [Int32] = []
  /// By message: for how many leavers it is the first; then for how many it or one before it is.
  private(set) var readSteps: [Int32] = []
  private(set) var deliveredSteps: [Int32] = []
  /// By place in `replies`: how many more leavers have come so far in its thread than before it.
  private(set) var readBack: [Int32] = []
  private(set) var deliveredBack: [Int32] = []

  /// Begins with the replies of a timeline, and no leaver.
  mutating func begin(_ timeline: Timeline, members: Int) {
    replies.removeAll(keepingCapacity: true)
    replies.append(contentsOf: timeline.indices.lazy.filter { timeline.parents[$0] != 0 })
    replies.sort { (timeline.parents[$0], $0) < (timeline.parents[$1], $1) }
    ranges.removeAll(keepingCapacity: true)
    var start = 0
    for place in replies.indices {
      let parent = timeline.parents[replies[place]]
      guard place + 1 == replies.count || timeline.parents[replies[place + 1]] != parent else {
        continue
      }
      ranges[parent] = start..<(place + 1)
      start = place + 1
    }
    Self.fill(&readFrom, members, .max)
    Self.fill(&deliveredFrom, members, .max)
    Self.fill(&readSteps, timeline.indices.count + 1, 0)
    Self.fill(&deliveredSteps, timeline.indices.count + 1, 0)
    Self.fill(&readBack, replies.count + 1, 0)
    Self.fill(&deliveredBack, replies.count + 1, 0)
  }

  private static func fill(_ numbers: inout [Int32], _ count: Int, _ number: Int32) {
    numbers.removeAll(keepingCapacity: true)
    numbers.append(contentsOf: repeatElement(number, count: count))
  }

  /// Notes from where on the messages waited for a leaver without a position.
  mutating func add(_ slot: Int32, readFrom read: Int, deliveredFrom delivered: Int) {
    readFrom[Int(slot)] = Int32(read)
    readSteps[read] += 1
    deliveredFrom[Int(slot)] = Int32(delivered)
    deliveredSteps[delivered] += 1
  }

  /// Notes that replies of a thread do not wait for a leaver, those with indices of a range.
  mutating func takeBack(_ parent: Int64, read: Range<Int>, delivered: Range<Int>) {
    guard let range = ranges[parent] else { return }
    let reads = first(read.lowerBound, in: range)..<first(read.upperBound, in: range)
    readBack[reads.lowerBound] += 1
    readBack[reads.upperBound] -= 1
    let deliveries = first(delivered.lowerBound, in: range)..<first(delivered.upperBound, in: range)
    deliveredBack[deliveries.lowerBound] += 1
    deliveredBack[deliveries.upperBound] -= 1
  }

  /// The place of a thread's first reply at or behind an index.
  private func first(_ index: Int, in range: Range<Int>) -> Int {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if replies[middle] < index { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds the steps up, when all leavers are noted.
  mutating func sum() {
    for place in readSteps.indices.dropFirst() {
      readSteps[place] += readSteps[place - 1]
      deliveredSteps[place] += deliveredSteps[place - 1]
    }
    for place in readBack.indices.dropFirst() {
      readBack[place] += readBack[place - 1]
      deliveredBack[place] += deliveredBack[place - 1]
    }
  }
}

extension Conversation {
  /// What it takes to find a position, and the replies that it covers.
  private static var positionCost: Int { 8 }

  /// Notes from where on the replies waited for a leaver.
  ///
  /// - Parameters:
  ///   - read: the place of the first message that he had not read, were he in no thread.
  ///   - delivered: likewise of the first that he had not received.
  func addThreadSteps(of slot: Int32, read: Int, delivered: Int, _ scratch: inout Scratch) {
    let first = timeline.indices.lowerBound
    scratch.threadReleases.add(slot, readFrom: read, deliveredFrom: delivered)
    scratch.work += positions.count(ofSlot: slot) * Self.positionCost
    for member in positions.members(ofSlot: slot) {
      guard let position = positions[member] else { continue }
      let readEnd = timeline.firstIndex(above: position.read.upTo)
      let deliveredEnd = max(readEnd, timeline.firstIndex(above: position.delivered.upTo))
      scratch.threadReleases.takeBack(
        member.parent, read: (first + read)..<max(first + read, readEnd),
        delivered: (first + delivered)..<max(first + delivered, deliveredEnd))
    }
  }

  /// Takes the leavers that are noted off the counts of the replies.
  mutating func releaseReplies(_ rules: Rules, _ scratch: inout Scratch, at: Instant) {
    scratch.threadReleases.sum()
    scratch.work += scratch.threadReleases.replies.count
    let first = timeline.indices.lowerBound
    for place in scratch.threadReleases.replies.indices {
      let index = scratch.threadReleases.replies[place]
      guard timeline.isTracked(index) else { continue }
      let all =
        scratch.threadReleases.readSteps[index - first] - scratch.threadReleases.readBack[place]
      var read = all
      var delivered =
        scratch.threadReleases.deliveredSteps[index - first]
        - scratch.threadReleases.deliveredBack[place]
      takeOut(of: index, &read, &delivered, &scratch)
      timeline.counts[index].pendingRead -= read
      timeline.counts[index].pendingDelivered -= delivered
      if all > 0 { settle(index, rules, &scratch, at: at) }
    }
  }

  /// Takes out of the leavers for whom a reply waits its sender, and who has covered it by an exact
  /// receipt.
  private func takeOut(
    of index: Int, _ read: inout Int32, _ delivered: inout Int32, _ scratch: inout Scratch
  ) {
    let sender = timeline.senders[index]
    let waited = waited(for: sender, index, scratch.threadReleases)
    if waited.read { read -= 1 }
    if waited.delivered { delivered -= 1 }
    guard let marks = timeline.marks[index] else { return }
    scratch.work += marks.read.words.count + marks.delivered.words.count
    for word in 0..<max(marks.read.words.count, marks.delivered.words.count) {
      let readers = word < marks.read.words.count ? marks.read.words[word] : 0
      let receivers = word < marks.delivered.words.count ? marks.delivered.words[word] : 0
      var bits = readers | receivers
      while bits != 0 {
        let bit = bits.trailingZeroBitCount
        bits &= bits - 1
        let slot = Int32(word * 64 + bit)
        guard Int(slot) < members.count, slot != sender else { continue }
        let waited = self.waited(for: slot, index, scratch.threadReleases)
        if readers >> UInt64(bit) & 1 == 1, waited.read { read -= 1 }
        if waited.delivered { delivered -= 1 }
      }
    }
  }

  /// Whether a reply waited for a leaver, as far as his watermarks say.
  private func waited(
    for slot: Int32, _ index: Int, _ releases: ThreadReleases
  ) -> (read: Bool, delivered: Bool) {
    let place = Int32(index - timeline.indices.lowerBound)
    guard releases.readFrom[Int(slot)] <= place else { return (false, false) }
    let position = positions[ThreadMember(slot: slot, parent: timeline.parents[index])]
    let read = position?.read.upTo ?? 0
    let delivered = max(read, position?.delivered.upTo ?? 0)
    let id = timeline.ids[index]
    return (id > read, id > delivered && releases.deliveredFrom[Int(slot)] <= place)
  }
}
