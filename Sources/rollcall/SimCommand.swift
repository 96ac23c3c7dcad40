import Lab
import Ops

/// What `rollcall sim` can be told.
struct SimSettings: Equatable {
  /// The first and the last seed.
  var seeds: ClosedRange<UInt64> = 0...99
  /// What each seed's simulation is made of.
  var simulation = SimulationOptions()

  /// What happens is shown, line by line.
  var trace = false

  /// The command's options.
  static var options: [Option<SimSettings>] {
    [
      Option(
        name: "seeds", metavar: "FIRST..LAST", help: "The seeds, both ends included.",
        set: { settings, value throws(BadValue) in
          guard let seeds = SimSettings.range(value) else {
            throw BadValue(allowed: "two numbers, such as 0..99, the first not above the last")
          }
          settings.seeds = seeds
        }, show: { "\($0.seeds.lowerBound)..\($0.seeds.upperBound)" }),
      Option(
        name: "seed", metavar: "SEED", help: "One seed only.",
        set: { settings, value throws(BadValue) in
          guard let seed = UInt64(value) else { throw BadValue(allowed: "a number from 0 on") }
          settings.seeds = seed...seed
        }, show: { _ in "" }),
      .number(
        "workers", "WORKERS", \.simulation.workers, in: 1...100,
        help: "The most workers at a time."),
      .number(
        "partitions", "PARTITIONS", \.partitions, in: 1...1000,
        help: "The partitions of each topic."),
      .number(
        "records", "RECORDS", \.simulation.records, in: 1...10_000_000,
        help: "About so many input records a seed."),
      fault,
      .flag("trace", \.trace, help: "Shows what happens in each seed, line by line."),
    ]
  }

  private static var fault: Option<SimSettings> {
    let names = SimulationFault.allCases.map(\.rawValue)
    return Option(
      name: "fault", metavar: "NAME=RATIO", kind: .list(separator: ","),
      help: "How often a fault happens on the average, in 10,000 calls, rounds or records; "
        + "all=0 ends all of them. The faults: \(names.joined(separator: ", ")).",
      set: { settings, value throws(BadValue) in
        let parts = value.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0] == "all" || names.contains(parts[0]),
          let ratio = Int(parts[1]), 0...10_000 ~= ratio
        else {
          throw BadValue(allowed: "all or a fault's name, =, a number from 0 to 10000")
        }
        for fault in SimulationFault.allCases where parts[0] == "all" || parts[0] == fault.rawValue
        {
          settings.simulation.ratios[fault] = ratio
        }
      }, show: { $0.faults.joined(separator: ",") })
  }

  /// The faults, each with its ratio.
  var faults: [String] {
    SimulationFault.allCases.map { "\($0.rawValue)=\(simulation.ratios[$0] ?? 0)" }
  }

  /// The command that runs one of the seeds in the same way.
  func command(seed: UInt64) -> String {
    let usual = SimSettings()
    var words = ["rollcall sim --seed \(seed)"]
    for option in Self.options where !["seed", "seeds", "trace"].contains(option.name) {
      if case .list = option.kind { continue }
      if option.show(self) != option.show(usual) {
        words.append("--\(option.name) \(option.show(self))")
      }
    }
    words += zip(faults, usual.faults).filter { $0 != $1 }.map { "--fault \($0.0)" }
    return words.joined(separator: " ")
  }

  private var partitions: Int {
    get { Int(simulation.partitions) }
    set { simulation.partitions = Int32(clamping: newValue) }
  }

  private static func range(_ text: String) -> ClosedRange<UInt64>? {
    let ends = text.split(separator: ".", omittingEmptySubsequences: false)
    guard ends.count == 3, ends[1].isEmpty, let first = UInt64(ends[0]),
      let last = UInt64(ends[2]), first <= last
    else { return nil }
    return first...last
  }
}

/// `rollcall sim`: the worker, simulated with faults, seed after seed.
struct SimCommand {
  /// Between two lines of progress, in milliseconds.
  private static let interval: Int64 = 2000

  private let settings: SimSettings
  private var labels: [SimulationLabel: Int] = [:]
  private var failed: [UInt64] = []
  private var records = 0
  private var commits = 0
  private var announcements = 0
  private var digest: UInt64 = 0
  private var done: UInt64 = 0

  private init(_ settings: SimSettings) { self.settings = settings }

  /// Runs the command and says how the process ends.
  static func run(_ arguments: [String]) -> Int32 {
    var settings = SimSettings()
    let parsed: ParsedArguments
    do throws(UsageError) {
      parsed = try ParsedArguments.parse(
        arguments, environment: Surroundings.variable, options: SimSettings.options,
        into: &settings)
    } catch {
      return Console.complain(error.message, ExitCode.usage)
    }
    if parsed.wantsHelp { return Console.show(help) }
    if let operand = parsed.operands.first {
      return Console.complain("\(operand) is no option", ExitCode.usage)
    }
    var command = SimCommand(settings)
    return command.run()
  }

  private mutating func run() -> Int32 {
    let options = settings.simulation
    var status = Console.show(
      """
      seeds       \(settings.seeds.lowerBound)..\(settings.seeds.upperBound)
      workers     \(options.workers)
      partitions  \(options.partitions)
      records     about \(options.records) a seed
      faults      \(settings.faults.joined(separator: " ")), in 10,000, on the average
      """)
    let start = WallClock.milliseconds
    var told = start
    for seed in settings.seeds {
      guard status == ExitCode.done else { return status }
      let simulation = Simulation(seed: seed, options: options)
      if settings.trace { simulation.trace = { line in _ = Console.show(line) } }
      let result = simulation.run()
      add(result)
      if !result.problems.isEmpty {
        failed.append(seed)
        status = tell(result.problems, of: seed)
      }
      let now = WallClock.milliseconds
      if now - told >= Self.interval {
        told = now
        status = Console.show("\(progress), \(rate(now - start)) seeds a minute")
      }
    }
    guard status == ExitCode.done else { return status }
    return conclude(WallClock.milliseconds - start)
  }

  private mutating func add(_ result: Simulation.Result) {
    done += 1
    labels.merge(result.labels) { $0 + $1 }
    records += result.records
    commits += result.commits
    announcements += result.announcements
    // Rotated, so that the order of the seeds counts.
    digest = (digest << 1 | digest >> 63) ^ result.digest
  }

  private func tell(_ problems: [String], of seed: UInt64) -> Int32 {
    Console.show(
      "seed \(seed) FAILED; repeat it with: \(settings.command(seed: seed))\n"
        + problems.map { "  \($0)" }.joined(separator: "\n"))
  }

  private var progress: String {
    "\(done) seeds done, \(failed.count) failed, \(announcements) announcements"
  }

  private func rate(_ milliseconds: Int64) -> Int64 { Int64(done) * 60_000 / max(1, milliseconds) }

  private func conclude(_ milliseconds: Int64) -> Int32 {
    let known = SimulationLabel.all
    let others = labels.keys.filter { !known.contains($0) }.sorted { $0.text < $1.text }
    let counts = (known + others).map { label in
      let count = String(labels[label] ?? 0)
      return String(repeating: " ", count: max(0, 9 - count.count)) + "\(count)  \(label.text)"
    }
    let verdict =
      failed.isEmpty
      ? "PASSED: \(done) seeds, every announcement exactly once"
      : "FAILED: seeds \(failed.map(String.init).joined(separator: ", "))"
    let status = Console.show(
      """
      \(counts.joined(separator: "\n"))
      records       \(records)
      transactions  \(commits)
      announced     \(announcements)
      digest        \(String(digest, radix: 16))
      \(progress), \(rate(milliseconds)) seeds a minute
      \(verdict)
      """)
    return failed.isEmpty ? status : ExitCode.failed
  }

  private static var help: String {
    """
    usage: rollcall sim [OPTION…]

    Runs the worker, its engine and its codec on a broker in memory, in virtual time, several
    workers at once, with faults that each seed draws anew, and checks that every announcement comes
    exactly once. The same seed gives the same bytes again. Exit status 1 where a seed fails.

    \(Option.help(SimSettings.options, defaults: SimSettings()))
    """
  }
}
