import Core
import Testing
import Wire

@testable import Histories
@testable import Oracle
@testable import Scenarios

@Suite("Restoring")
struct RestoreTests {
  /// How many events live and restored machines must agree on.
  private static let following = 50

  @Test(
    "the changelog, whole or compacted, gives the live state after every prefix",
    arguments: History.seeds(60))
  func prefixes(_ seed: UInt64) throws {
    let history = HistoryGenerator.history(seed)
    var random = HistoryRandom(seed: ~seed)
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
        try #require(violations == [], "after line \(number): \(history.command)")
      }
      next += lines
      log += live.changes()
      guard transaction == 1 || random.chance(40) else { continue }

      var folded = live.with(try ChangelogRecord.fold(log, rules))
      let compacted = ChangelogRecord.compacted(log, &random)
      var compact = live.with(try ChangelogRecord.fold(compacted, rules))
      var goesOn = live.with(live.machine)
      let place = "restored after line \(next - 1)"
      try require(folded.state(), compact.state(), are: live.state(), place, history)
      for (number, line) in history.lines.enumerated().dropFirst(next).prefix(Self.following) {
        let outputs = Bytes(try goesOn.write(line.text))
        for other in [Bytes(try folded.write(line.text)), Bytes(try compact.write(line.text))]
        where other != outputs {
          Issue.record(
            """
            \(place), line \(number): \(history.command)
            live:     \(outputs)
            restored: \(other)
            """)
          throw Unlike()
        }
      }
      try require(
        folded.state(), compact.state(), are: goesOn.state(), place + ", then 50", history)
      try #require(folded.machine.violations() == [], "\(place), then 50: \(history.command)")
    }
  }

  /// States must be the same, or else the first piece that is not is named.
  private func require(
    _ folded: [ChangelogRecord], _ compact: [ChangelogRecord], are live: [ChangelogRecord],
    _ place: String, _ history: History
  ) throws {
    for (name, state) in [("whole", folded), ("compacted", compact)] where state != live {
      let missing = try live.first { !state.contains($0) }?.described()
      let other = try state.first { !live.contains($0) }?.described()
      Issue.record(
        """
        \(place), from the \(name) log: \(history.command)
        live:     \(missing ?? "nothing")
        restored: \(other ?? "nothing")
        """)
      throw Unlike()
    }
  }

  private struct Unlike: Error {}
}

extension ChangelogRecord {
  fileprivate func described() throws -> String {
    "\(try StateCodec.decode(key: key.bytes, value: value?.bytes))"
  }
}
