import Lab

/// What `rollcall load` is told.
struct LoadSettings: CommandSettings {
  var connection = Connection()
  var preset = WorkloadPreset.small
  var mix = WorkloadOptions()
  var seed = 1
  /// Records a second; 0: as fast as it goes.
  var rate = 0
  /// In milliseconds; 0: no bound.
  var duration: Int64 = 0
  /// 0: no bound.
  var records = 0
  var isPrepared = false
  /// The group whose lag is told; empty: none.
  var group = ""
  var seesEndToEnd = true
  /// How long the group may take to catch up in the end, in milliseconds.
  var drain: Int64 = 0
  var isDry = false

  /// The command's options.
  static var options: [Option<LoadSettings>] {
    Option.connection(\.connection) + [
      .choice(
        "preset", \.preset,
        help: "What the workload is made of; each of the options from --groups on overrules it."),
      .number(
        "seed", "NUMBER", \.seed, in: 0...Int.max,
        help: "Which workload: the same seed writes the same bytes, another one other groups."),
      .number(
        "rate", "RECORDS", \.rate, in: 0...100_000_000,
        help: "Records written a second; 0: as fast as it goes."),
      .duration("duration", \.duration, help: "How long it writes; 0ms: without a bound."),
      .number(
        "records", "COUNT", \.records, in: 0...Int.max,
        help: "How many it writes, and the few held back; 0: without a bound."),
      .flag(
        "prepared", \.isPrepared,
        help: "Makes all --records in memory before the first is written."),
      .text(
        "group", "NAME", \.group, mayBeEmpty: true,
        help: "The workers' consumer group, whose lag is told."),
      .truth(
        "end-to-end", \.seesEndToEnd,
        help: "Whether the announcements are read, to tell how long they take."),
      .duration(
        "drain", \.drain,
        help: """
          How long, after the last record, it waits for the group's lag to be 0; where it is not \
          by then, it ends with \(ExitCode.undecided).
          """),
      .flag(
        "dry-run", \.isDry,
        help:
          "Writes the records only to standard output, as rollcall replay reads them."),
      .number(
        "max-group-members", "MEMBERS", \.mix.maxGroupMembers, in: 2...1_000_000,
        help: "The largest group that the workers track."),
    ] + Option.mix(\.mix)
  }

  /// The preset comes first, wherever it stands: all else overrules it.
  static func start(_ arguments: [String], _ environment: Environment) throws(UsageError) -> Self {
    var settings = Self()
    var told = settings
    _ = try ParsedArguments.parse(
      arguments, environment: environment, options: options, into: &told)
    settings.mix = WorkloadOptions(told.preset)
    return settings
  }

  mutating func finish(_ parsed: ParsedArguments, _ environment: Environment) throws(UsageError) {
    if isPrepared, records == 0 {
      throw UsageError(message: "--prepared needs --records: what is made beforehand has an end")
    }
    if isDry, records == 0 { throw UsageError(message: "--dry-run needs --records") }
    if drain > 0, group.isEmpty {
      throw UsageError(message: "--drain needs --group: it waits for the group's lag")
    }
    if mix.smallestGroup > mix.largestGroup {
      throw UsageError(
        message: "--smallest-group (\(mix.smallestGroup)) must not be above --largest-group "
          + "(\(mix.largestGroup))")
    }
  }
}
