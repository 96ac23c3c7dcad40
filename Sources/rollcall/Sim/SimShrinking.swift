import Lab
import Ops

/// What `--shrink` does with a seed that fails.
struct SimShrinking {
  /// The most time that a seed takes, in milliseconds: as long as somebody waits for it.
  private static let most: Int64 = 60_000
  /// The most runs that a seed takes: more than a minute has room for, of the usual size.
  private static let runs = 10_000
  /// Between two lines of progress, in milliseconds.
  private static let interval: Int64 = 2000

  private let settings: SimSettings

  init(_ settings: SimSettings) { self.settings = settings }

  /// Shrinks a seed and tells on standard error how far it is.
  ///
  /// - Returns: the smaller run, in words, with its records; nil where the seed does not fail.
  func text(of seed: UInt64) -> String? {
    let start = WallClock.milliseconds
    var told = start
    let small = ShrunkSimulation(
      seed: seed, options: settings.simulation, limit: Self.runs
    ) { tries, kept in
      let now = WallClock.milliseconds
      if now - told >= Self.interval {
        told = now
        Console.tell("shrinking seed \(seed): \(kept) records left after \(tries) runs")
      }
      return now - start < Self.most
    }
    return small.map(text)
  }

  /// A smaller run, the command that repeats it, its problems and its records.
  func text(_ small: ShrunkSimulation) -> String {
    var smaller = settings
    smaller.simulation.keptPlaces = Set(small.kept)
    let command = smaller.arguments(seed: small.seed).joined(separator: " ")
    let head = """
      seed \(small.seed) shrunk from \(small.before) records to \(small.kept.count) in \
      \(small.tries) runs; repeat it with: rollcall \(command) --trace
      """
    let problems = small.result.problems.map { "  \($0)" }
    let lines = small.inputs.map(\.line)
    return ([head] + problems + ["its records, for \(small.replayCommand):"] + lines)
      .joined(separator: "\n")
  }
}
