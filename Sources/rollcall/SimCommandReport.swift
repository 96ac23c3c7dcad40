import Lab

/// What came of the seeds so far, in words.
struct SimReport {
  private(set) var failed: [UInt64] = []
  private let settings: SimSettings
  private var labels: [SimulationLabel: Int] = [:]
  private var records = 0
  private var commits = 0
  private var announcements = 0
  private var digest: UInt64 = 0
  private var done: Int64 = 0

  init(_ settings: SimSettings) { self.settings = settings }

  /// What is simulated: told before all else, so that it is there whatever happens.
  var introduction: String {
    let options = settings.simulation
    return """
      seeds         \(settings.seeds.lowerBound)..\(settings.seeds.upperBound)
      workers       \(options.workers)
      partitions    \(options.partitions)
      records       about \(options.records) a seed
      faults        \(settings.faults.joined(separator: " "))
                    (in 10,000 calls, rounds or records, on the average over the seeds)
      """
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
    "\(done) seeds done, \(failed.count) failed, \(announcements) announcements, "
      + "\(done * 60_000 / max(1, milliseconds)) seeds a minute"
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
      digest        \(String(digest, radix: 16))
      \(progress(after: milliseconds))
      \(verdict)
      """
  }
}
