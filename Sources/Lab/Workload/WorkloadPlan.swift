/// Which conversations a workload has.
struct WorkloadPlan {
  let seed: UInt64

  func conversations(_ pen: inout WorkloadPen) -> [WorkloadConversation] {
    let options = pen.options
    var conversations: [WorkloadConversation] = []
    conversations.reserveCapacity(
      options.groups + options.groupsBeyondCap + options.groupsWithoutRoster + options.pairs)
    for size in sizes(&pen) { conversations.append(group(.group, size, conversations.count, &pen)) }
    let cap = options.maxGroupMembers
    let beyond = [cap + 1, 2 * cap + 1, cap + cap / 2]
    for index in 0..<options.groupsBeyondCap {
      conversations.append(group(.group, beyond[index % 3], conversations.count, &pen))
    }
    for _ in 0..<options.groupsWithoutRoster {
      conversations.append(
        group(.groupWithoutRoster, 2 + pen.below(20), conversations.count, &pen))
    }
    for index in 0..<options.pairs {
      let isOdd = pen.chance(options.oddNames)
      let names = WorkloadNames(
        pair: "s\(seed)p\(index)", isOdd: isOdd, isAlone: pen.below(20) == 0)
      conversations.append(
        WorkloadConversation(.pair, names: names, size: 2, pen: &pen))
    }
    return conversations
  }

  private func group(
    _ kind: WorkloadConversation.Kind, _ size: Int, _ index: Int, _ pen: inout WorkloadPen
  ) -> WorkloadConversation {
    // The seed is in the name: another seed is other traffic on the same topics.
    let names = WorkloadNames(group: "s\(seed)g\(index)", isOdd: pen.chance(pen.options.oddNames))
    return WorkloadConversation(kind, names: names, size: size, pen: &pen)
  }

  /// The sizes of the groups: the largest, the smallest, and between them each as often as it is
  /// small.
  private func sizes(_ pen: inout WorkloadPen) -> [Int] {
    let largest = max(2, min(pen.options.largestGroup, pen.options.maxGroupMembers))
    let smallest = max(2, min(pen.options.smallestGroup, largest))
    var weights: [Int] = []
    var sum = 0
    for size in smallest...largest {
      sum += (1 << 32) / size
      weights.append(sum)
    }
    return (0..<pen.options.groups).map { index in
      if index == 0 { return largest }
      if index == 1 { return smallest }
      let draw = pen.below(sum)
      return smallest + (weights.firstIndex { $0 > draw } ?? 0)
    }
  }
}

extension WorkloadConversation {
  /// How often it is picked, so that all come round about equally often.
  func weight(_ options: WorkloadOptions) -> Int {
    let perRound = max(1, 2 * size + options.burst / 2)
    // Of the largest little is wanted: nothing of theirs is tracked.
    return size > options.maxGroupMembers ? max(1, perRound / 10) : perRound
  }
}
