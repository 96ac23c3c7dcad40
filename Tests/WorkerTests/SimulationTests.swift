import Core
import Foundation
import Testing
import Worker

@testable import Lab

/// Seeds of `rollcall sim`, run inside the tests.
@Suite struct SimulationTests {
  private static let seeds: Range<UInt64> = 0..<60

  @Test("Over some seeds nothing is wrong, and every reason and outcome is seen")
  func everythingIsSeen() {
    var seen: [SimulationLabel: Int] = [:]
    for seed in Self.seeds {
      let result = Simulation(seed: seed, options: SimulationOptions()).run()
      #expect(result.problems == [], "rollcall sim --seed \(seed)")
      #expect(result.announcements > 20)
      seen.merge(result.labels) { $0 + $1 }
    }
    let missing = SimulationLabel.all.filter { seen[$0] == nil }.map(\.text)
    #expect(missing == [], "more seeds, or larger ratios, would show them")
    let unknown = seen.keys.filter { !SimulationLabel.all.contains($0) }.map(\.text)
    #expect(unknown == [], "a label that SimulationLabel.all does not have")
  }

  @Test("Without faults there are no failures, and no worker is given up")
  func calm() {
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

  @Test("The labels are all that the worker has")
  func labelsAreComplete() throws {
    let counts = Mirror(reflecting: Tally()).children.compactMap(\.label)
    #expect(Tally().reasons.map(\.reason) == counts)
    // Labels of the worker's own failures are texts; the compiler does not know how many there are.
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Sources/Worker")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    let labels = try files.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).matches(of: /label: "(\w+)"/).map {
        String($0.output.1)
      }
    }
    #expect(labels.count >= 3)
    let known = SimulationLabel.all
    #expect(labels.filter { !known.contains(.failure($0)) } == [])
  }

  @Test("Two processes write the same bytes as this one")
  func sameBytes() throws {
    let digests = (7..<9).map { seed in
      Simulation(seed: seed, options: SimulationOptions()).run().digest
    }
    for (seed, digest) in zip(7..<9, digests) {
      for _ in 0..<2 {
        let written = try Self.simulate(["--seed", "\(seed)"])
        #expect(written.contains("\ndigest        \(String(digest, radix: 16))\n"))
      }
    }
    #expect(digests[0] != digests[1])
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
