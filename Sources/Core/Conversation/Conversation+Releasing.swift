extension Conversation {
  /// What it takes to find a position, and the replies that it covers.
  private static var positionCost: Int { 8 }

  /// Takes the leavers, whose memberships still last, off the counts of the messages that wait for
  /// them, and notes what that completes.
  ///
  /// - Complexity: messages times words of 64 slots with leavers, once the messages are sorted.
  mutating func release(at: Instant, _ turn: inout Turn) {
    guard !turn.scratch.leavers.isEmpty, !timeline.indices.isEmpty else { return }
    turn.scratch.work += timeline.indices.count + turn.scratch.leavers.count
    turn.scratch.releases.begin(timeline, isSeparate: turn.rules.threads == .separate)
    var next = 0
    while next < turn.scratch.leavers.count {
      let word = turn.scratch.leavers[next] / 64
      turn.scratch.releases.slots.removeAll(keepingCapacity: true)
      var last: Int32 = -1
      while next < turn.scratch.leavers.count, turn.scratch.leavers[next] / 64 == word {
        // One may be named twice.
        if turn.scratch.leavers[next] != last {
          last = turn.scratch.leavers[next]
          if !members[Int(last)].isActiveExempt { turn.scratch.releases.slots.append(last) }
        }
        next += 1
      }
      guard !turn.scratch.releases.slots.isEmpty else { continue }
      turn.scratch.work +=
        turn.scratch.releases.passCount * timeline.indices.count / Self.wordsPerLook
      if turn.rules.threads == .separate {
        for slot in turn.scratch.releases.slots {
          turn.scratch.work += positions.count(ofSlot: slot) * Self.positionCost
        }
      }
      turn.scratch.releases.find(timeline, members, positions)
      releaseWord(Int(word), at: at, &turn)
    }
  }

  /// Takes the leavers in hand off the counts: of no message its sender, nor who has covered it by
  /// an exact receipt.
  private mutating func releaseWord(_ word: Int, at: Instant, _ turn: inout Turn) {
    let first = timeline.indices.lowerBound
    for index in timeline.indices {
      var read = turn.scratch.releases.read[index - first]
      guard read != 0, timeline.isTracked(index) else { continue }
      var delivered = turn.scratch.releases.delivered[index - first]
      let sender = timeline.senders[index]
      if Int(sender / 64) == word {
        read &= ~sender.bit
        delivered &= ~sender.bit
      }
      if timeline.flags[index].contains(.marked), let marks = timeline.marks[index] {
        let readers = marks.read.word(word)
        read &= ~readers
        delivered &= ~(readers | marks.delivered.word(word))
      }
      timeline.counts[index].pendingRead -= Int32(read.nonzeroBitCount)
      timeline.counts[index].pendingDelivered -= Int32(delivered.nonzeroBitCount)
      settle(index, at: at, &turn)
    }
  }

  /// How many words are passed in the time in which a message is looked at otherwise.
  private static var wordsPerLook: Int { 8 }
}
