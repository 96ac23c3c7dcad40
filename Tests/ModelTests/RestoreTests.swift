import Core
import Testing

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
    let rules = try Engine.rules(history.options)
    var live = MachineRun(Machine(partition: 0, rules: rules))
    var log: [ChangelogRecord] = []
    // Every line where one history is looked at, else some of them: a transaction each.
    let transaction = History.isSingle ? 1 : 8
    var next = 0
    while next < history.lines.count {
      let lines = min(random.count(1...transaction), history.lines.count - next)
      for line in history.lines[next..<(next + lines)] { _ = try live.write(line.text) }
      next += lines
      log += live.changes()
      #expect(live.machine.violations() == [], "after line \(next - 1): \(history.command)")
      guard transaction == 1 || random.chance(40) else { continue }

      var folded = live.with(try ChangelogRecord.fold(log, rules))
      let compacted = ChangelogRecord.compacted(log, &random)
      var compact = live.with(try ChangelogRecord.fold(compacted, rules))
      var goesOn = live.with(live.machine)
      let place = "restored after line \(next - 1)"
      expect(folded.state(), compact.state(), are: live.state(), place, history)
      for (number, line) in history.lines.enumerated().dropFirst(next).prefix(Self.following) {
        let outputs = Bytes(try goesOn.write(line.text))
        let others = [Bytes(try folded.write(line.text)), Bytes(try compact.write(line.text))]
        try #require(others == [outputs, outputs], "\(place), line \(number): \(history.command)")
      }
      expect(folded.state(), compact.state(), are: goesOn.state(), place + ", then 50", history)
    }
  }

  private func expect(
    _ folded: [ChangelogRecord], _ compact: [ChangelogRecord], are live: [ChangelogRecord],
    _ place: String, _ history: History
  ) {
    for (name, state) in [("whole", folded), ("compacted", compact)] where state != live {
      let unlike = live.filter { !state.contains($0) }.map(\.key.bytes)
      Issue.record("\(place), from the \(name) log: \(unlike): \(history.command)")
    }
  }
}
