/// Sorts messages by their senders: the senders in the order of their lowest id, and the messages
/// of each with rising ids. Reused, so that it allocates only while it grows.
struct SenderGroups {
  /// The senders' slots, in the order of their lowest id.
  private(set) var senders: [Int32] = []
  /// The messages' indices in the timeline, sender by sender.
  private(set) var indices: [Int] = []
  /// Where the messages of each sender end in `indices`.
  private var ends: [Int] = []
  /// The number of each slot's group, or -1.
  private var groups: [Int32] = []

  /// The messages of the sender with a number.
  func range(_ group: Int) -> Range<Int> { (group == 0 ? 0 : ends[group - 1])..<ends[group] }

  /// Lists the senders of the messages at `messages` (rising), without sorting the messages.
  mutating func list(_ messages: [Int], in timeline: Timeline) {
    senders.removeAll(keepingCapacity: true)
    var last: Int32 = -1
    for message in messages {
      let sender = timeline.senders[message]
      // Messages often come in a row from one sender.
      guard sender != last else { continue }
      last = sender
      while groups.count <= Int(sender) { groups.append(-1) }
      guard groups[Int(sender)] < 0 else { continue }
      groups[Int(sender)] = 0
      senders.append(sender)
    }
    for sender in senders { groups[Int(sender)] = -1 }
  }

  /// Sorts the messages at `messages` (rising) by sender.
  mutating func sort(_ messages: [Int], in timeline: Timeline) {
    senders.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    indices.removeAll(keepingCapacity: true)
    for message in messages {
      let sender = timeline.senders[message]
      while groups.count <= Int(sender) { groups.append(-1) }
      if groups[Int(sender)] < 0 {
        groups[Int(sender)] = Int32(senders.count)
        senders.append(sender)
        ends.append(0)
      }
      ends[Int(groups[Int(sender)])] += 1
    }
    // Sizes become beginnings, and move on to ends as the messages are put in.
    var begin = 0
    for group in ends.indices {
      let size = ends[group]
      ends[group] = begin
      begin += size
    }
    indices.append(contentsOf: repeatElement(0, count: messages.count))
    for message in messages {
      let group = Int(groups[Int(timeline.senders[message])])
      indices[ends[group]] = message
      ends[group] += 1
    }
    for sender in senders { groups[Int(sender)] = -1 }
  }
}
