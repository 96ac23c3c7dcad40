import Core
import Foundation
import Testing
import Worker

@testable import Lab
@testable import rollcall

/// Seeds of `rollcall sim`, run inside the tests.
@Suite struct SimulationTests {
  /// The seeds that are run, and how many more where something rare is not seen yet.
  private static let seeds: Range<UInt64> = 0..<60
  private static let moreSeeds: Range<UInt64> = 60..<200

  @Test func `Over some seeds nothing is wrong, and every reason and outcome is seen`() {
    var seen: [SimulationLabel: Int] = [:]
    var announcements = 0
    var missing: [String] { SimulationLabel.all.filter { seen[$0] == nil }.map(\.text) }
    for seed in Self.seeds.lowerBound..<Self.moreSeeds.upperBound {
      if Self.moreSeeds.contains(seed), missing.isEmpty { break }
      let result = Simulation(seed: seed, options: SimulationOptions()).run()
      #expect(result.problems == [], "rollcall sim --seed \(seed)")
      announcements += result.announcements
      seen.merge(result.labels) { $0 + $1 }
    }
    #expect(announcements > 50 * Self.seeds.count)
    #expect(missing == [], "larger ratios would show them")
    let unknown = seen.keys.filter { !SimulationLabel.all.contains($0) }.map(\.text)
    #expect(unknown == [], "a label that SimulationLabel.all does not have")
  }

  @Test func `What is too large to wait never comes before what it names, by no timestamp`() {
    let now = Instant(milliseconds: 1_790_000_000_000)
    var narrow = 0
    for seed: UInt64 in 0..<1000 {
      var random = SplitMix64(seed: seed)
      let plan = SimulationPlan(SimulationOptions(), using: &random)
      guard plan.isNarrow else { continue }
      narrow += 1
      let times = [InputTopic.messages, .deletes].map {
        plan.timestamp(of: $0, at: now, using: &random)
      }
      #expect(times[0] == times[1], "seed \(seed)")
    }
    #expect(narrow > 50)
  }

  @Test func `Without faults there are no failures, and no worker is given up`() {
    let result = Simulation(seed: 1, options: .calm).run()
    #expect(result.problems == [])
    #expect(result.commits > 10)
    let faults = result.labels.keys.filter { label in
      switch label {
      case .fault, .crash, .failure, .disposition, .stop, .mistake: true
      default: false
      }
    }
    #expect(faults == [])
  }

  @Test func `The labels are all that the worker has`() throws {
    let counts = Mirror(reflecting: Tally()).children.compactMap(\.label)
    #expect(Tally().reasons.map(\.reason) == counts)
    // Labels of the worker's own failures are texts; the compiler does not know how many there are.
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Sources/Worker")
    let files = try FileManager.default.subpathsOfDirectory(
      atPath: folder.path(percentEncoded: false)
    ).filter { $0.hasSuffix(".swift") }.map { folder.appending(path: $0) }
    let labels = try files.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).matches(
        of: /(?:label: |static let \w+ = )"(\w+)"/
      ).map { String($0.output.1) }
    }
    #expect(labels.count >= 3)
    let known = SimulationLabel.all
    // A topic that is gone is waited for: no failure of the worker's.
    let waits = [LogFailure.topicMissing]
    #expect(labels.filter { !known.contains(.failure($0)) && !waits.contains($0) } == [])
  }

  @Test func `Two processes do the same and write the same bytes, and so does this one`() throws {
    let seeds: ClosedRange<UInt64> = 7...9
    let told = try (0..<2).map { _ in
      try Self.simulate(["--seeds", "7..9", "--trace"]).split(separator: "\n").filter {
        !$0.contains(" seeds a minute")
      }
    }
    #expect(told[0] == told[1])
    #expect(told[0].count > 300)
    var digests: Set<UInt64> = []
    var report = SimReport(SimSettings())
    for seed in seeds {
      let result = Simulation(seed: seed, options: SimulationOptions()).run()
      digests.insert(result.digest)
      _ = report.add(result, of: seed)
    }
    #expect(digests.count == seeds.count)
    let conclusion = report.conclusion(after: 0).split(separator: "\n")
    #expect(told[0].suffix(conclusion.count - 1) == conclusion.filter { !$0.hasSuffix("minute") })
  }

  /// Runs `rollcall sim`, built beside the tests, as a process.
  private static func simulate(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "rollcall")
    process.arguments = ["sim"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: text, as: UTF8.self)
  }
}
