package import Core
package import Wire

/// The engine without a broker: lines in, lines out, one partition.
package struct Replay: ~Copyable {
  /// How many lines were read so far, which is the number of the next one.
  package private(set) var lines: Int64 = 0

  private(set) var machine: Machine
  private var engine: Engine
  private var line = ReplayLine()

  /// An engine without any state.
  package init(rules: Rules) {
    machine = Machine(partition: 0, rules: rules, isJournaled: false)
    engine = Engine(rules: rules)
  }

  /// Applies one line and appends what it causes to `written`.
  ///
  /// - Parameter text: the line without its line feed.
  /// - Throws: where the line is not of the contract's form; nothing is applied then.
  package mutating func apply(
    _ text: Span<UInt8>, to written: inout [UInt8]
  ) throws(Malformed) {
    let kind = try line.read(text)
    defer { lines += 1 }
    switch kind {
    case .empty: return
    case .tick(let instant): _ = engine.tick(&machine, to: instant)
    case .record(let topic): engine.apply(line, topic, offset: lines, to: &machine)
    }
    engine.records.appendLines(input: lines, to: &written)
  }
}
