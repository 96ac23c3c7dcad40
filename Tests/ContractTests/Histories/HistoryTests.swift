import Testing

@testable import Histories
@testable import Oracle
@testable import Scenarios

@Suite("Random histories")
struct HistoryTests {
  @Test("the engine says what the model says, line by line", arguments: History.seeds(300))
  func comparison(_ seed: UInt64) throws {
    let history = HistoryGenerator.history(seed)
    var model = try ModelReplay(history.options)
    var engine = try ReplayEngine(history.options)
    for (number, line) in history.lines.enumerated() {
      let expected = try model.apply(line.text)
      let outputs = try engine.apply(line.text)
      if number % 8 == 0 { try #require(model.miscounted() == [], "\(history.command)") }
      guard let place = HistoryTests.firstDifference(outputs, expected) else { continue }
      Issue.record(
        """
        \(history.excerpt(to: number))
        engine \(HistoryTests.short(outputs, place))
        model  \(HistoryTests.short(expected, place))
        options \(history.options)
        \(history.command)
        """)
      return
    }
  }

  /// The place of the first output that is not what the model says.
  private static func firstDifference(_ outputs: [WrittenRecord], _ expected: [WrittenRecord])
    -> Int?
  {
    (0..<max(outputs.count, expected.count)).first { place in
      guard place < outputs.count, place < expected.count else { return true }
      return !agree(outputs[place], expected[place])
    }
  }

  private static func agree(_ output: WrittenRecord, _ expected: WrittenRecord) -> Bool {
    guard comparable(output) == comparable(expected) else { return false }
    return expected.verbatim.allSatisfy { output.line.occurrences(of: $0) > 0 }
  }

  /// Leaves out what the contract leaves free: the field of a bad record that has several faults,
  /// or whose code says all.
  private static func comparable(_ output: WrittenRecord) -> WrittenRecord {
    var output = output
    let isFree = output.headers?["error.code"] != "ERR_BAD_RECORD" || output.raw == "{}"
    if isFree { output.headers?["error.field"] = nil }
    output.line = ""
    output.verbatim = []
    return output
  }

  private static func short(_ outputs: [WrittenRecord], _ place: Int) -> String {
    guard place < outputs.count else { return "nothing more" }
    return String(outputs[place].description.prefix(600))
  }
}

extension History {
  /// The lines before a place and the one there, each cut where it is long.
  fileprivate func excerpt(to number: Int) -> String {
    (max(0, number - 4)...number).map { place in
      "line \(place): \(lines[place].text.description.prefix(400))"
    }.joined(separator: "\n")
  }
}
