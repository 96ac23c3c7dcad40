// Giving back the memory of a machine that is of no use any more, in bounded pieces.
extension Machine {
  /// Goes on giving back what it holds, as far as the budget lasts; it can do nothing else then.
  ///
  /// - Returns: whether all is gone.
  package mutating func drop(on budget: inout Int) -> Bool {
    while !conversations.isEmpty {
      guard budget > 0 else { return false }
      budget -= conversations[conversations.count - 1].weight
      conversations.removeLast()
    }
    guard names.drop(on: &budget), room.drop(on: &budget), expiries.drop(on: &budget),
      due.drop(on: &budget), restoring.drop(on: &budget)
    else { return false }
    // What is left is what one transaction has changed.
    self = Machine(partition: partition, rules: rules, isJournaled: isJournaled)
    return true
  }
}

extension Conversation {
  /// What it takes to give its memory back.
  var weight: Int {
    Work.thing + 4 * (members.count + positions.count + messageUIds.count + threads.count)
      + deletions.count * 4 + timeline.placeCount
  }
}
