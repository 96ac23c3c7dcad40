import Lab
import Oracle

/// What came of the seeds so far, in words.
struct SimReport {
  private(set) var failed: [UInt64] = []
  private let settings: SimSettings
  private var labels: [SimulationLabel: Int] = [:]
  private var records = 0
  private var commits = 0
  private var announcements = 0
  private var digest: UInt64 = 0
  private var verdict = OracleVerdict()
  private var done: UInt64 = 0

  init(_ settings: SimSettings) { self.settings = settings }

  /// What is simulated: told before all else, so that it is there whatever happens.
  var introduction: String {
    let options = settings.simulation
    return """
      seeds         \(seeds)
      workers       \(options.workers)
      partitions    \(options.partitions)
      records       about \(options.records) a seed
      faults        \(settings.faults.joined(separator: " "))
                    (in 10,000 calls, rounds or records, on the average over the seeds)
      """
  }

  private var seeds: String {
    let seeds = settings.seeds
    let time = settings.duration == 0 ? "" : " for \(DurationText.text(settings.duration))"
    let isBounded = settings.givenSeeds != nil || settings.duration == 0
    return "\(seeds.lowerBound)..\(isBounded ? "\(seeds.upperBound)" : "")\(time)"
  }

  /// Takes a seed's result.
  ///
  /// - Returns: what was wrong and how to repeat it; nil where all is well.
  mutating func add(_ result: Simulation.Result, of seed: UInt64) -> String? {
    done += 1
    labels.merge(result.labels) { $0 + $1 }
    records += result.records
    commits += result.commits
    announcements += result.announcements
    verdict += result.verdict
    // Rotated, so that the order of the seeds counts.
    digest = (digest << 1 | digest >> 63) ^ result.digest
    guard !result.problems.isEmpty else { return nil }
    failed.append(seed)
    let command = settings.arguments(seed: seed).joined(separator: " ")
    let problems = result.problems.map { "  \($0)" }
    return (["seed \(seed) FAILED; repeat it with: rollcall \(command) --trace"] + problems)
      .joined(separator: "\n")
  }

  /// How far it has come.
  func progress(after milliseconds: Int64) -> String {
    let rate = Int64(clamping: done) * 60_000 / max(1, milliseconds)
    return "\(done) seeds done, \(failed.count) failed, \(announcements) announcements, "
      + "\(rate) seeds a minute"
  }

  /// The same, and when it will be over.
  func outlook(after milliseconds: Int64) -> String {
    let seeds = settings.seeds
    let left = seeds.upperBound - seeds.lowerBound + 1 - done
    let (product, isEndless) = left.multipliedReportingOverflow(by: UInt64(max(0, milliseconds)))
    var remaining = isEndless ? Int64.max : Int64(clamping: product / max(1, done))
    if settings.duration > 0 { remaining = min(remaining, settings.duration - milliseconds) }
    return progress(after: milliseconds) + ", \(max(0, remaining) / 1000) s to go"
  }

  /// Everything, each label with its count.
  func conclusion(after milliseconds: Int64) -> String {
    let known = SimulationLabel.all
    let others = labels.keys.filter { !known.contains($0) }.sorted { $0.text < $1.text }
    let counts = (known + others).map { label in
      let count = String(labels[label] ?? 0)
      return String(repeating: " ", count: max(0, 9 - count.count)) + "\(count)  \(label.text)"
    }
    let verdict =
      failed.isEmpty
      ? "PASSED: every announcement came exactly once"
      : "FAILED: seeds \(failed.map(String.init).joined(separator: ", "))"
    return """
      \(counts.joined(separator: "\n"))
      records       \(records)
      transactions  \(commits)
      announced     \(announcements)
      exceptions    \(exceptions)
      reordered     \(self.verdict[.reordered])
      digest        \(String(digest, radix: 16))
      \(progress(after: milliseconds))
      \(verdict)
      """
  }

  /// How often the order between the topics decided what it may decide.
  private var exceptions: String {
    OracleVerdict.Exception.allCases.map { "\($0.rawValue)=\(verdict.exceptions[$0] ?? 0)" }
      .joined(separator: " ")
  }
}
