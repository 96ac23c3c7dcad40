import Core
import Wire

/// What a partition held that is not ours any more, or is stopped. A million conversations take a
/// while to be given back.
struct Discarded<Log: RecordLog> {
  var machine: Machine
  /// The fold, where the partition was being restored.
  var restore: Restore<Log>?
  private var givingBack = GivingBack()

  init(machine: Machine, restore: Restore<Log>?) {
    self.machine = machine
    self.restore = restore
  }

  /// Goes on giving it back, as far as the budget lasts.
  ///
  /// - Returns: whether all is gone.
  mutating func drop(on budget: inout Int) -> Bool {
    givingBack.go(on: &budget) { budget in
      guard restore?.fold.drop(on: &budget) ?? true else { return false }
      return machine.drop(on: &budget)
    }
  }
}

extension Worker {
  /// Takes what a partition holds out of it, to be given back.
  func discard(_ partition: Partition<Log>) {
    var discard = Discarded<Log>(
      machine: Machine(partition: partition.number, rules: configuration.rules), restore: nil)
    swap(&discard.machine, &partition.machine)
    if case .restoring(let restore) = partition.phase { discard.restore = restore }
    discarded.append(discard)
  }

  /// Gives back what is discarded, with what is left of the step, or a small part of one.
  func sweep() {
    guard !discarded.isEmpty else { return }
    let whole = max(remainingWork, configuration.stepWork / 8)
    var budget = whole
    while budget > 0, let last = discarded.indices.last {
      if discarded[last].drop(on: &budget) { discarded.removeLast() }
    }
    report.work += whole - budget
  }
}
