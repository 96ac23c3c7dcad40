import Core

/// A seed that fails, with few of its traffic's records: what remains of them once those are left
/// out without which it fails in the same way.
///
/// What is left out changes what is drawn afterwards, and so the faults. That is no harm where the
/// seed still fails in the same way.
package struct ShrunkSimulation: Sendable {
  /// The seed.
  package let seed: UInt64
  /// The places in the traffic whose records remain.
  package private(set) var kept: [Int]
  /// How many records the traffic had.
  package let before: Int
  /// How many runs it took.
  package private(set) var tries = 0
  /// What comes of the smaller run.
  package private(set) var result: Simulation.Result
  /// What it writes, in this order.
  package private(set) var inputs: [SimulationInput] = []
  /// The command that reads what it writes, under the rules that the seed has drawn.
  package let replayCommand: String

  /// Shrinks a seed.
  ///
  /// - Parameters:
  ///   - limit: the most runs.
  ///   - goesOn: is asked before each run, and told how many there were and how many records remain
  ///     so far; what is found once it says no is the end.
  /// - Returns: nil where the seed does not fail.
  package init?(
    seed: UInt64, options: SimulationOptions, limit: Int,
    while goesOn: (_ tries: Int, _ kept: Int) -> Bool = { _, _ in true }
  ) {
    let whole = Simulation(seed: seed, options: options)
    let all = options.keptPlaces.map { $0.sorted() } ?? Array(0..<whole.trafficCount)
    let first = whole.run()
    guard let problem = first.problems.first else { return nil }
    let kind = Self.kind(of: problem)
    var fewest = all.count
    var tries = 0
    var isOver = false
    let places = shrunk(all, limit: limit) { places in
      // The whole is known to fail.
      if places.count == all.count { return true }
      isOver = isOver || !goesOn(tries, fewest)
      if isOver { return false }
      tries += 1
      let problems = Self.run(seed, options, places).problems
      let isFailing = problems.contains { Self.kind(of: $0) == kind }
      if isFailing { fewest = places.count }
      return isFailing
    }
    self.seed = seed
    self.tries = tries
    before = all.count
    kept = places
    let usual = Rules().texts
    replayCommand = ReplayCommandLine(whole.plan.rules.texts.filter { usual[$0] != $1 }).text
    var inputs: [SimulationInput] = []
    result = Self.run(seed, options, places) { inputs.append($0) }
    self.inputs = inputs
  }

  private static func run(
    _ seed: UInt64, _ options: SimulationOptions, _ places: [Int],
    noteInput: ((SimulationInput) -> Void)? = nil
  ) -> Simulation.Result {
    var options = options
    options.keptPlaces = Set(places)
    let simulation = Simulation(seed: seed, options: options)
    simulation.noteInput = noteInput
    return simulation.run()
  }

  /// What problems of the same kind have in common: the first line without its numbers.
  static func kind(of problem: String) -> String {
    problem.prefix { $0 != "\n" }.filter { !$0.isNumber }
  }
}
