import Testing

@testable import Lab
@testable import rollcall

@Suite("sim --shrink") struct SimShrinkingTests {
  private func parse(_ arguments: [String]) throws -> SimSettings {
    var settings = SimSettings()
    _ = try ParsedArguments.parse(
      arguments, environment: { _ in nil }, options: SimSettings.options, into: &settings)
    return settings
  }

  @Test("the smaller run is told with the command that repeats it, and its records as lines")
  func told() throws {
    var settings = try parse(["--seeds", "0..9", "--shrink", "--fault", "all=0"])
    settings.simulation.ratios[.pin] = 1000
    settings.simulation.blindness = .stableEnd
    let options = settings.simulation
    let seed = try #require(
      settings.seeds.first { !Simulation(seed: $0, options: options).run().problems.isEmpty })
    let small = try #require(ShrunkSimulation(seed: seed, options: options, limit: 200))
    let lines = SimShrinking(settings).text(small).split(separator: "\n")
    let places = SimPlaces.text(Set(small.kept))
    #expect(
      lines[0].hasPrefix(
        "seed \(seed) shrunk from \(small.before) records to \(small.kept.count) in "
          + "\(small.tries) runs; repeat it with: rollcall sim --seed \(seed) --keep \(places) "))
    #expect(lines[0].hasSuffix(" --trace"))
    #expect(lines[1] == "  \(small.result.problems[0].split(separator: "\n")[0])")
    #expect(lines.contains { $0.hasPrefix("its records, for rollcall replay --") })
    #expect(lines.suffix(small.inputs.count) == small.inputs.map { $0.line[...] }[...])

    // The command of the first line is the smaller run, but for what no command can plant.
    let words = lines[0].split(separator: "rollcall sim ")[1].split(separator: " ").map(String.init)
    var repeated = try parse(words).simulation
    repeated.blindness = .stableEnd
    let result = Simulation(seed: seed, options: repeated).run()
    #expect(result.problems == small.result.problems)
  }

  @Test func `a seed that does not fail tells nothing`() throws {
    let settings = try parse(["--seed", "1", "--fault", "all=0", "--records", "20"])
    #expect(SimShrinking(settings).text(of: 1) == nil)
  }

  @Test(arguments: [
    ("3", [3]), ("3,17..20,22", [3, 17, 18, 19, 20, 22]), ("none", []), ("0..1", [0, 1]),
  ])
  func `places are written in runs, and read again`(text: String, places: [Int]) throws {
    #expect(SimPlaces.text(Set(places)) == text)
    let settings = try parse(["--keep", text])
    #expect(settings.simulation.keptPlaces == Set(places))
    #expect(settings.arguments(seed: 1) == ["sim", "--seed", "1", "--keep", text])
  }

  @Test(arguments: ["", "x", "3,", "9..3", "0..99999999999", "-1"])
  func `other places are refused`(places: String) {
    #expect(throws: UsageError.self) { try parse(["--keep=\(places)"]) }
  }
}
