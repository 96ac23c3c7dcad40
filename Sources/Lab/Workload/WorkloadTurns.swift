/// Which conversation the next record is of: one of those that are busy, the larger the likelier,
/// so that all are done with a burst about equally soon. Who is done makes room for another.
struct WorkloadTurns: Sendable {
  /// How often each conversation is picked, compared with the others.
  private let weights: [Int]
  /// The busy ones, and for each the sum of its weight and those before it.
  private var busy: [Int]
  private var sums: [Int] = []
  private var isBusy: [Bool]

  init(weights: [Int], busyCount: Int) {
    self.weights = weights
    busy = Array(0..<min(max(1, busyCount), weights.count))
    isBusy = weights.indices.map { $0 < busyCount }
    sum()
  }

  /// Picks a busy conversation.
  ///
  /// - Returns: its place among the busy, and which it is.
  func pick(_ pen: inout WorkloadPen) -> (place: Int, conversation: Int) {
    let draw = pen.below(sums[sums.count - 1])
    var low = 0
    var high = sums.count - 1
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] > draw { high = middle } else { low = middle + 1 }
    }
    return (low, busy[low])
  }

  /// Has a conversation that is done with its burst make room for any other.
  mutating func replace(_ place: Int, _ pen: inout WorkloadPen) {
    guard busy.count < weights.count else { return }
    let next = pen.below(weights.count)
    guard !isBusy[next] else { return }
    isBusy[busy[place]] = false
    isBusy[next] = true
    busy[place] = next
    sum()
  }

  private mutating func sum() {
    var total = 0
    sums.removeAll(keepingCapacity: true)
    for conversation in busy {
      total += weights[conversation]
      sums.append(total)
    }
  }
}
