import Core
import Testing
import Wire
import Worker

@testable import Lab

/// Seeds in which a planted fault is found are shrunk to few records.
@Suite("Shrinking a seed") struct ShrunkSimulationTests {
  /// What is held back by chat backends is applied at once: a fault, wherever something is.
  private static var faulty: SimulationOptions {
    var options = SimulationOptions.calm
    options.ratios[.pin] = 1000
    options.blindness = .stableEnd
    return options
  }

  /// The first seed that fails.
  private func failingSeed(_ options: SimulationOptions) throws -> UInt64 {
    try #require(
      (0..<20).first { !Simulation(seed: $0, options: options).run().problems.isEmpty })
  }

  @Test("few of its records are left, and it still fails in the same way, each time it is run")
  func planted() throws {
    let options = Self.faulty
    let seed = try failingSeed(options)
    let whole = Simulation(seed: seed, options: options).run()
    let small = try #require(ShrunkSimulation(seed: seed, options: options, limit: 400))
    #expect(small.before > 400)
    #expect(small.kept.count < 20)
    #expect(small.result.records < whole.records)
    let kinds = small.result.problems.map(ShrunkSimulation.kind)
    #expect(kinds.contains(ShrunkSimulation.kind(of: whole.problems[0])))

    var again = options
    again.keptPlaces = Set(small.kept)
    let repeated = Simulation(seed: seed, options: again).run()
    #expect(repeated.problems == small.result.problems)
    #expect(repeated.digest == small.result.digest)
    // Without the fault nothing is wrong in it.
    again.blindness = nil
    #expect(Simulation(seed: seed, options: again).run().problems == [])
  }

  @Test func `its records are lines of replay, in the order in which they are written`() throws {
    let options = Self.faulty
    let seed = try failingSeed(options)
    let small = try #require(ShrunkSimulation(seed: seed, options: options, limit: 30))
    #expect(small.inputs.map(\.place) == small.kept)
    var reader = ReplayLine()
    for input in small.inputs {
      #expect(try reader.read(Array(input.line.utf8).span) == .record(input.topic))
      #expect(reader.value == input.value)
      #expect(reader.key == input.key)
      #expect(reader.timestamp == input.timestamp)
    }
    #expect(small.replayCommand.hasPrefix("rollcall replay --"))
  }

  @Test func `no more runs are made than is allowed`() throws {
    let options = Self.faulty
    let seed = try failingSeed(options)
    var asked = 0
    let small = try #require(
      ShrunkSimulation(seed: seed, options: options, limit: 1000) { tries, kept in
        #expect(tries == asked)
        #expect(kept <= 1000)
        asked += 1
        return tries < 5
      })
    #expect(asked == 6)
    #expect(small.tries == 5 && !small.result.problems.isEmpty)
    #expect(small.kept.count < small.before)
  }

  @Test func `a seed that does not fail is not shrunk`() {
    let small = ShrunkSimulation(seed: 1, options: .calm, limit: 10)
    #expect(small == nil)
  }

  @Test func `with all records kept, or none named, a seed gives the same bytes`() {
    var options = SimulationOptions()
    let whole = Simulation(seed: 3, options: options).run()
    options.keptPlaces = Set(0..<10_000)
    let kept = Simulation(seed: 3, options: options).run()
    #expect(kept.digest == whole.digest && kept.labels == whole.labels)
    options.keptPlaces = []
    let none = Simulation(seed: 3, options: options).run()
    #expect(none.problems == [] && none.records < whole.records)
  }

  @Test func `problems are of the same kind if they differ in numbers only`() {
    let kind = ShrunkSimulation.kind
    #expect(kind("w1/20 stops partition 2: x") == kind("w0/3 stops partition 11: x"))
    #expect(kind("0: 3 records\n  found 1") == kind("2: 17 records\n  found nothing"))
    #expect(kind("w1 stops") != kind("w1 starts"))
  }

  @Test func `a line of what no JSON is has it raw, and one without key and time says so`() {
    var input = SimulationInput(
      place: 7, partition: 2, topic: .deletes, timestamp: nil, key: nil, value: Array("{\n}".utf8))
    let start = #"{"place":7,"partition":2,"topic":"deletes","key":null,"#
    #expect(input.line == start + #""raw":"{\n}"}"#)
    input.value = Array(#"{"a":1},"topic":"messages"#.utf8)
    #expect(input.line.hasPrefix(start + #""raw":"{\"a\""#))
    input.value = Array(#"{"a":1}"#.utf8)
    #expect(input.line == start + #""value":{"a":1}}"#)
  }
}
