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

  @Test func aFailureNamesTheOneCommandThatRepeatsIt() throws {
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
    repeated.seeds = settings.seeds
    #expect(repeated == settings)
  }

  @Test func allIsTheDefault() throws {
    #expect(try parse([]) == SimSettings())
    #expect(SimSettings().arguments(seed: 1) == ["sim", "--seed", "1"])
    #expect(SimReport(SimSettings()).conclusion(after: 0).contains("        0  failure fenced\n"))
  }

  @Test(arguments: [
    ["--seeds", "9..3"], ["--seeds", "9"], ["--seed", "-1"], ["--fault", "crash"],
    ["--fault", "typhoon=3"], ["--fault", "crash=10001"], ["--workers", "0"],
  ])
  func whatMakesNoSenseIsRefused(arguments: [String]) {
    #expect(throws: UsageError.self) { try parse(arguments) }
  }
}
