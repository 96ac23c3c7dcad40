import Lab

/// What `rollcall sim` can be told.
struct SimSettings: CommandSettings, Equatable {
  /// The first and the last seed; nil where nobody has said.
  var givenSeeds: ClosedRange<UInt64>?
  /// After how many milliseconds no seed is begun; 0: without a bound.
  var duration: Int64 = 0
  /// What each seed's simulation is made of.
  var simulation = SimulationOptions()

  /// What happens is shown, line by line.
  var trace = false
  /// What fails is shrunk.
  var shrink = false

  /// The seeds: a hundred, or as many as there is time for.
  var seeds: ClosedRange<UInt64> {
    get { givenSeeds ?? 0...(duration == 0 ? 99 : .max - 1) }
    set { givenSeeds = newValue }
  }

  /// The command's options.
  static var options: [Option<SimSettings>] {
    [
      .value(
        "seeds", "FIRST..LAST", \.seeds,
        allowed: "two numbers, such as 0..99, the first not above the last",
        help: "The seeds, both ends included; with --duration without an end.", read: range,
        show: { "\($0.lowerBound)..\($0.upperBound)" }),
      .value(
        "seed", "SEED", \.seeds, allowed: "a number from 0 on", help: "One seed only.",
        read: { UInt64($0).map { $0...$0 } }, show: { _ in "" }),
      .duration(
        "duration", \.duration, help: "No seed is begun after this time; 0ms: without a bound."),
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
      SimPlaces.option,
      .flag("trace", \.trace, help: "Shows what happens in each seed, line by line."),
      .flag(
        "shrink", \.shrink,
        help: "Looks for fewer records with which a seed that fails still does, for a minute at "
          + "most, and prints them as JSON Lines that rollcall replay reads."),
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

  /// The arguments that run one of the seeds in the same way.
  func arguments(seed: UInt64) -> [String] {
    let usual = SimSettings()
    var words = ["sim", "--seed", "\(seed)"]
    let others = ["seed", "seeds", "duration", "trace", "shrink"]
    for option in Self.options where !others.contains(option.name) {
      if case .list = option.kind { continue }
      if option.show(self) != option.show(usual) {
        words += ["--\(option.name)", option.show(self)]
      }
    }
    for (fault, usual) in zip(faults, usual.faults) where fault != usual {
      words += ["--fault", fault]
    }
    return words
  }

  private var partitions: Int {
    get { Int(simulation.partitions) }
    set { simulation.partitions = Int32(clamping: newValue) }
  }

  static func range(_ text: String) -> ClosedRange<UInt64>? {
    let ends = text.split(separator: ".", omittingEmptySubsequences: false)
    guard ends.count == 3, ends[1].isEmpty, let first = UInt64(ends[0]),
      let last = UInt64(ends[2]), first <= last
    else { return nil }
    return first...last
  }
}
