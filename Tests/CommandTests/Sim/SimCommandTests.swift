import Lab
import Testing

@testable import rollcall

@Suite struct SimCommandTests {
  private func parse(_ arguments: [String]) throws -> SimSettings {
    var settings = SimSettings()
    _ = try ParsedArguments.parse(
      arguments, environment: { _ in nil }, options: SimSettings.options, into: &settings)
    return settings
  }

  @Test func `A failure names the one command that repeats it`() throws {
    let settings = try parse([
      "--seeds", "3..9", "--workers", "5", "--partitions", "2", "--records=50", "--fault", "all=0",
      "--fault", "crash=70",
    ])
    #expect(settings.seeds == 3...9)
    var report = SimReport(settings)
    let silence = report.add(Simulation.Result(), of: 3)
    #expect(silence == nil)
    var result = Simulation.Result()
    result.problems = ["an announcement is missing"]
    let failure = report.add(result, of: 4)
    let told = try #require(failure)
    #expect(told.hasPrefix("seed 4 FAILED; repeat it with: rollcall sim --seed 4 --workers 5 "))
    #expect(told.hasSuffix("\n  an announcement is missing"))
    #expect(report.failed == [4])
    #expect(report.conclusion(after: 1000).hasSuffix("FAILED: seeds 4"))

    var repeated = try parse(Array(settings.arguments(seed: 4).dropFirst()))
    #expect(repeated.seeds == 4...4)
    repeated.givenSeeds = settings.givenSeeds
    #expect(repeated == settings)
  }

  @Test func `A duration bounds seeds without an end`() throws {
    let settings = try parse(["--duration", "2m"])
    #expect(settings.seeds == 0...(.max - 1))
    var report = SimReport(settings)
    #expect(report.introduction.hasPrefix("seeds         0.. for 2m\n"))
    for seed in 0..<3 { _ = report.add(Simulation.Result(), of: UInt64(seed)) }
    #expect(report.outlook(after: 30_000).hasSuffix("6 seeds a minute, 90 s to go"))
    #expect(!settings.arguments(seed: 4).contains("--duration"))
    let bounded = try parse(["--duration", "2m", "--seeds", "5..14"])
    var other = SimReport(bounded)
    #expect(other.introduction.hasPrefix("seeds         5..14 for 2m\n"))
    for seed in 5..<10 { _ = other.add(Simulation.Result(), of: UInt64(seed)) }
    #expect(other.outlook(after: 1000).hasSuffix(", 1 s to go"))
  }

  @Test func `The report counts what the order may decide`() {
    let told = SimReport(SimSettings()).conclusion(after: 0)
    #expect(
      told.contains("exceptions    deleteAgainstReceipts=0 deleteAgainstScopes=0 secondLimit=0"))
    #expect(told.contains("\nreordered     0\n"))
  }

  @Test func `All is the default`() throws {
    #expect(try parse([]) == SimSettings())
    #expect(SimSettings().arguments(seed: 1) == ["sim", "--seed", "1"])
    #expect(SimReport(SimSettings()).conclusion(after: 0).contains("        0  failure fenced\n"))
  }

  @Test(arguments: [
    ["--seeds", "9..3"], ["--seeds", "9"], ["--seed", "-1"], ["--fault", "crash"],
    ["--fault", "typhoon=3"], ["--fault", "crash=10001"], ["--workers", "0"],
  ])
  func `What makes no sense is refused`(arguments: [String]) {
    #expect(throws: UsageError.self) { try parse(arguments) }
  }
}
