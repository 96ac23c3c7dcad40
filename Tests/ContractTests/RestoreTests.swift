import Core
import Testing
import Wire

@testable import Histories
@testable import Oracle
@testable import Scenarios

@Suite("Restoring") struct RestoreTests {
  /// How many events live and restored machines must agree on.
  private static let following = 50

  @Test(arguments: History.seeds(60))
  func `the changelog, whole or compacted, gives the live state after every prefix`(_ seed: UInt64)
  {
    let failure = HistoryGenerator.history(seed).failure { try fault(of: $0) }
    #expect(failure == nil)
  }

  /// What a restored machine says or has in it that the live one does not; nil where nothing is.
  private func fault(of history: History) throws -> String? {
    var random = HistoryRandom(seed: ~history.seed)
    let rules = try ReplayEngine.rules(history.options)
    var live = MachineRun(Machine(partition: 0, rules: rules))
    var log: [ChangelogRecord] = []
    // Every line where one history is looked at, else some of them: a transaction each.
    let transaction = History.isSingle ? 1 : 8
    var next = 0
    while next < history.lines.count {
      let lines = min(random.count(1...transaction), history.lines.count - next)
      for (number, line) in history.lines.enumerated().dropFirst(next).prefix(lines) {
        _ = try live.write(line.text)
        let violations = live.machine.violations()
        if violations != [] { return "after line \(number): \(violations)" }
      }
      next += lines
      log += live.changes()
      guard transaction == 1 || random.chance(40) else { continue }
      let compacted = ChangelogRecord.compacted(log, &random)
      for (name, log) in [("whole", log), ("compacted", compacted)] {
        let restored = try ChangelogRecord.fold(log, rules)
        if restored.partition != live.partition { return "the partition's record differs" }
        guard let fault = try fault(of: restored.machine, live, history.lines, next) else {
          continue
        }
        return "restored after line \(next - 1) from the \(name) log: \(fault)"
      }
    }
    return nil
  }

  @Test(arguments: History.seeds(4), [1, 2, 7, 1000])
  func `a machine is filled in pieces of any size, and it is the same one`(
    _ seed: UInt64, size: Int
  ) throws {
    let history = HistoryGenerator.history(seed)
    var random = HistoryRandom(seed: ~seed)
    let rules = try ReplayEngine.rules(history.options)
    var live = MachineRun(Machine(partition: 0, rules: rules))
    var log: [ChangelogRecord] = []
    for line in history.lines {
      _ = try live.write(line.text)
      log += live.changes()
    }
    for log in [log, ChangelogRecord.compacted(log, &random)] {
      var fold = try ChangelogRecord.folded(log)
      let count = fold.count
      var calls = 0
      var restored: (machine: Machine, partition: PartitionRecord?)?
      while restored == nil {
        var budget = size
        restored = try fold.fill(rules: rules, partition: 0, on: &budget)
        calls += 1
        // One piece too much at most.
        #expect(budget > -512)
        #expect(restored != nil || fold.count + fold.counted == count)
      }
      #expect(size == 1000 || calls > 10)
      #expect(restored?.partition == live.partition)
      let run = live.with(try #require(restored?.machine))
      let isSame = run.state() == live.state()
      let violations = run.machine.violations()
      #expect(isSame && violations == [])
    }
  }

  /// Where a restored machine is not as the live one, now and in the lines that follow.
  private func fault(
    of restored: Machine, _ live: borrowing MachineRun, _ lines: [History.HistoryLine], _ next: Int
  ) throws -> String? {
    var restored = live.with(restored)
    var goesOn = live.with(live.machine)
    if let fault = try difference(restored.state(), live.state()) { return fault }
    if restored.machine.streamTime != live.machine.streamTime
      || restored.machine.nextTicket != live.machine.nextTicket
    {
      return "stream time, or the next ticket, differs"
    }
    for (number, line) in lines.enumerated().dropFirst(next).prefix(Self.following) {
      let outputs = Bytes(try goesOn.write(line.text))
      let others = Bytes(try restored.write(line.text))
      guard others != outputs else { continue }
      return "line \(number)\nlive:     \(outputs)\nrestored: \(others)"
    }
    if let fault = try difference(restored.state(), goesOn.state()) { return "then 50, " + fault }
    let violations = restored.machine.violations()
    return violations == [] ? nil : "then 50, \(violations)"
  }

  /// The first piece of a state that another does not have, and the other way round.
  private func difference(
    _ restored: [ChangelogRecord], _ live: [ChangelogRecord]
  ) throws -> String? {
    guard restored != live else { return nil }
    let missing = try live.first { !restored.contains($0) }?.described()
    let other = try restored.first { !live.contains($0) }?.described()
    return "\nlive:     \(missing ?? "nothing")\nrestored: \(other ?? "nothing")"
  }
}

extension ChangelogRecord {
  fileprivate func described() throws -> String {
    "\(try StateCodec.decode(key: key.bytes, value: value?.bytes))"
  }
}
