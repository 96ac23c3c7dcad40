/// What the leavers of one record take off the messages that are open: as steps from message to
/// message, so that many leavers and many messages are not multiplied.
struct Releases {
  /// By slot: the place of the first message whose reading, and delivery, was waited for from him;
  /// `Int32.max` for who is no leaver. Then all messages from there on were.
  var readFrom: [Int32] = []
  var deliveredFrom: [Int32] = []
  /// By message: for how many leavers it is the first.
  var readSteps: [Int32] = []
  var deliveredSteps: [Int32] = []
  /// By message, that one and all behind it: the lowest place in time and the lowest sending time.
  var lowestSequence: [Int64] = []
  var lowestSentAt: [Instant] = []
  /// By message, that one and all before it.
  var highestSentAt: [Instant] = []

  /// Begins with all the messages of a timeline, and no leaver.
  mutating func begin(_ timeline: Timeline, members: Int) {
    let rows = timeline.indices
    readFrom.removeAll(keepingCapacity: true)
    readFrom.append(contentsOf: repeatElement(.max, count: members))
    deliveredFrom.removeAll(keepingCapacity: true)
    deliveredFrom.append(contentsOf: readFrom)
    readSteps.removeAll(keepingCapacity: true)
    readSteps.append(contentsOf: repeatElement(0, count: rows.count + 1))
    deliveredSteps.removeAll(keepingCapacity: true)
    deliveredSteps.append(contentsOf: readSteps)
    highestSentAt.removeAll(keepingCapacity: true)
    var highest = Instant.distantPast
    for index in rows {
      highest = max(highest, timeline.sentAt[index])
      highestSentAt.append(highest)
    }
    lowestSequence.removeAll(keepingCapacity: true)
    lowestSequence.append(contentsOf: repeatElement(.max, count: rows.count + 1))
    lowestSentAt.removeAll(keepingCapacity: true)
    lowestSentAt.append(contentsOf: repeatElement(.distantFuture, count: rows.count + 1))
    for index in rows.reversed() {
      let place = index - rows.lowerBound
      lowestSequence[place] = min(lowestSequence[place + 1], timeline.sequences[index])
      lowestSentAt[place] = min(lowestSentAt[place + 1], timeline.sentAt[index])
    }
  }

  /// The first message that a time watermark does not cover, where it covers none behind it and
  /// all before it; else nil.
  func first(after sentUpTo: Instant) -> Int? {
    guard sentUpTo != .distantPast else { return 0 }
    var low = 0
    var high = highestSentAt.count
    while low < high {
      let middle = (low + high) / 2
      if lowestSentAt[middle] > sentUpTo { high = middle } else { low = middle + 1 }
    }
    return low == 0 || highestSentAt[low - 1] <= sentUpTo ? low : nil
  }

  /// Notes from where on the messages waited for a leaver.
  mutating func add(_ slot: Int32, readFrom read: Int, deliveredFrom delivered: Int) {
    readFrom[Int(slot)] = Int32(read)
    readSteps[read] += 1
    deliveredFrom[Int(slot)] = Int32(delivered)
    deliveredSteps[delivered] += 1
  }
}

extension Conversation {
  /// Takes the leavers, whose memberships still last, off the counts of the messages that wait for
  /// them, and notes what that completes.
  mutating func release(_ rules: Rules, _ scratch: inout Scratch, at: Instant) {
    guard !scratch.leavers.isEmpty else { return }
    scratch.work += timeline.indices.count + scratch.leavers.count
    scratch.releases.begin(timeline, members: members.count)
    let isSeparate = rules.threads == .separate
    if isSeparate { scratch.threadReleases.begin(timeline, members: members.count) }
    var last: Int32 = -1
    for place in scratch.leavers.indices where scratch.leavers[place] != last {
      last = scratch.leavers[place]
      if members[Int(last)].isActiveExempt { continue }
      if !addSteps(of: last, isSeparate: isSeparate, &scratch) {
        releaseOneByOne(last, rules, &scratch, at: at)
      }
    }
    if isSeparate { releaseReplies(rules, &scratch, at: at) }
    let first = timeline.indices.lowerBound
    var (reads, deliveries): (Int32, Int32) = (0, 0)
    for index in timeline.indices {
      reads += scratch.releases.readSteps[index - first]
      deliveries += scratch.releases.deliveredSteps[index - first]
      guard timeline.isTracked(index), list(index, rules) == 0 else { continue }
      let (read, delivered) = waited(index, reads, deliveries, &scratch)
      timeline.counts[index].pendingRead -= read
      timeline.counts[index].pendingDelivered -= delivered
      if reads > 0 || read > 0 { settle(index, rules, &scratch, at: at) }
    }
  }

  /// Notes from where on a leaver was waited for, where all that he has said covers what lies
  /// before one message and nothing behind.
  ///
  /// - Returns: false where it does not.
  private func addSteps(of slot: Int32, isSeparate: Bool, _ scratch: inout Scratch) -> Bool {
    guard let period = members[Int(slot)].periods.last else { return false }
    let member = members[Int(slot)]
    let first = timeline.indices.lowerBound
    let begin = timeline.firstIndex(above: period.beginId) - first
    // One that came late may have been applied before he was in.
    guard scratch.releases.lowestSequence[begin] > period.beginSequence,
      let readSent = scratch.releases.first(after: member.read.sentUpTo),
      let deliveredSent = scratch.releases.first(after: member.delivered.sentUpTo)
    else { return false }
    let read = max(begin, readSent, timeline.firstIndex(above: member.read.upTo) - first)
    let delivered = max(
      read, deliveredSent, timeline.firstIndex(above: member.delivered.upTo) - first)
    scratch.releases.add(slot, readFrom: read, deliveredFrom: delivered)
    if isSeparate {
      // In threads that are apart he has come otherwise far.
      let read = max(begin, readSent)
      addThreadSteps(of: slot, read: read, delivered: max(read, deliveredSent), &scratch)
    }
    return true
  }

  /// For how many of the leavers a message waits: not for its sender, nor for who has covered it by
  /// an exact receipt.
  private func waited(
    _ index: Int, _ reads: Int32, _ deliveries: Int32, _ scratch: inout Scratch
  ) -> (read: Int32, delivered: Int32) {
    var (read, delivered) = (reads, deliveries)
    let place = Int32(index - timeline.indices.lowerBound)
    let sender = Int(timeline.senders[index])
    if scratch.releases.readFrom[sender] <= place { read -= 1 }
    if scratch.releases.deliveredFrom[sender] <= place { delivered -= 1 }
    guard let marks = timeline.marks[index] else { return (read, delivered) }
    scratch.work += marks.read.words.count + marks.delivered.words.count
    for word in 0..<max(marks.read.words.count, marks.delivered.words.count) {
      let readers = word < marks.read.words.count ? marks.read.words[word] : 0
      let receivers = word < marks.delivered.words.count ? marks.delivered.words[word] : 0
      var bits = readers | receivers
      while bits != 0 {
        let bit = bits.trailingZeroBitCount
        bits &= bits - 1
        let slot = word * 64 + bit
        guard slot < members.count, slot != sender else { continue }
        if readers >> UInt64(bit) & 1 == 1, scratch.releases.readFrom[slot] <= place { read -= 1 }
        if scratch.releases.deliveredFrom[slot] <= place { delivered -= 1 }
      }
    }
    return (read, delivered)
  }

  private mutating func releaseOneByOne(
    _ slot: Int32, _ rules: Rules, _ scratch: inout Scratch, at: Instant
  ) {
    guard let begin = members[Int(slot)].periods.last?.beginId else { return }
    let rows = timeline.firstIndex(above: begin)..<timeline.indices.upperBound
    scratch.work += rows.count
    for index in rows {
      release(slot, index, rules)
      settle(index, rules, &scratch, at: at)
    }
  }

  private mutating func release(_ slot: Int32, _ index: Int, _ rules: Rules) {
    guard timeline.isTracked(index), timeline.senders[index] != slot else { return }
    let facts = facts(index)
    guard members[Int(slot)].place(for: facts, rules) == .waitedFor else { return }
    let reach = reach(slot, in: list(index, rules))
    let marks = timeline.marks[index]
    let hasRead = reach.hasRead(facts) || marks?.read.contains(slot) == true
    if !hasRead { timeline.counts[index].pendingRead -= 1 }
    if !hasRead, !reach.hasReceived(facts), marks?.delivered.contains(slot) != true {
      timeline.counts[index].pendingDelivered -= 1
    }
  }
}
