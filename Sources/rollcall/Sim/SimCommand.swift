import Lab
import Ops

/// `rollcall sim`: the worker, simulated with faults, seed after seed.
enum SimCommand: Command {
  static let name = "sim"
  static let summary = "tries the worker without a broker, on seeds full of faults"
  static let introduction = """
    Runs the worker, its engine and its codec on a broker in memory, in virtual time, several
    workers at once, with traffic, rules and faults that each seed draws anew. What comes out must
    be what an oracle expects, which shares no code with the engine; and what the workers have
    committed, done again without a log, must give the same outputs and state byte for byte. The
    same seed gives the same bytes again. Exit status 1 where a seed fails.
    """

  /// Between two lines of progress, in milliseconds.
  private static let interval: Int64 = 2000

  static func run(_ settings: SimSettings) -> Int32 {
    var report = SimReport(settings)
    var status = Console.show(report.introduction)
    let start = WallClock.milliseconds
    var told = start
    for seed in settings.seeds {
      let simulation = Simulation(seed: seed, options: settings.simulation)
      if settings.trace { simulation.trace = { line in status = max(status, Console.show(line)) } }
      if let failure = report.add(simulation.run(), of: seed) {
        status = max(status, Console.show(failure))
        if settings.shrink, let smaller = SimShrinking(settings).text(of: seed) {
          status = max(status, Console.show(smaller))
        }
      }
      let now = WallClock.milliseconds
      if now - told >= interval {
        told = now
        status = max(status, Console.show(report.outlook(after: now - start)))
      }
      // Nobody reads any more.
      guard status == ExitCode.done else { return status }
      if settings.duration > 0, now - start >= settings.duration { break }
    }
    status = Console.show(report.conclusion(after: WallClock.milliseconds - start))
    return report.failed.isEmpty ? status : ExitCode.failed
  }
}
