import Core
import Kafka
import Lab
import Ops
import Oracle
import Worker

/// `rollcall verify`: holds what a pool has written against what its inputs ask for.
struct VerifyCommand {
  let settings: VerifySettings
  let skips: Set<WorkerConfiguration.Skip>
  let clients: Settings
  let partitionCount: Int32

  /// How long it may take after the first signal, in milliseconds: longer than any verdict.
  private static let patience = 7 * 86_400_000

  /// Runs the command and says how the process ends.
  static func run(_ arguments: [String]) -> Int32 {
    var settings = VerifySettings()
    let skips: Set<WorkerConfiguration.Skip>
    do throws(UsageError) {
      let parsed = try ParsedArguments.parse(
        arguments, environment: Surroundings.variable, options: VerifySettings.options,
        into: &settings)
      if parsed.wantsHelp { return Console.show(help) }
      settings.namedRules = parsed.named
      if let operand = parsed.operands.first {
        throw UsageError(message: "verify takes options only, not '\(operand)'")
      }
      skips = try settings.resolvedSkips()
    } catch {
      return Console.complain(error.message, ExitCode.usage)
    }
    do throws(VerifyFailure) {
      let report = try VerifyCommand(settings, skips).run()
      if settings.isJSON { Console.tell(report.text) }
      let code = Console.show(settings.isJSON ? report.json : report.text)
      return report.code == ExitCode.done ? code : report.code
    } catch {
      return error.complain(settings.connection)
    }
  }

  /// A reader passes the mark at the end of a transaction with the fetch behind it, and is told
  /// that the group's offsets are still open with a try that is repeated: both are waited for
  /// between two transactions of a busy pool.
  private static let clientDefaults = [
    Property("fetch.wait.max.ms", "5"), Property("retry.backoff.ms", "10"),
  ]

  private init(
    _ settings: VerifySettings, _ skips: Set<WorkerConfiguration.Skip>
  ) throws(VerifyFailure) {
    self.settings = settings
    self.skips = skips
    let names = settings.connection.names
    let found: (Settings, [Int]) = try VerifyFailure.calling { () throws(KafkaError) in
      let clients = try Settings.beside(
        settings.connection, group: settings.group, purpose: "verify",
        defaults: Self.clientDefaults)
      let admin = try Admin(clients, notify: Console.notify)
      let counts = try LogTopic.allCases.map { topic throws(KafkaError) in
        try admin.layout(of: names[topic])?.partitions ?? 0
      }
      return (clients, counts)
    }
    clients = found.0
    let counts = found.1
    guard let count = counts.first, count > 0, counts.allSatisfy({ $0 == count }) else {
      let list = zip(LogTopic.allCases, counts).map { "\(names[$0]) has \($1)" }
      throw .mismatch(
        "the topics must be there and have the same number of partitions: "
          + list.joined(separator: ", "))
    }
    partitionCount = Int32(clamping: count)
    if let partition = settings.partitions.first(where: { $0 >= partitionCount }) {
      throw .mismatch("there is no partition \(partition): the topics have \(partitionCount)")
    }
  }

  private func run() throws(VerifyFailure) -> VerifyReport {
    let all = Array(0..<partitionCount)
    let partitions = settings.partitions.isEmpty ? all : settings.partitions.sorted()
    let cutter = try VerifyFailure.calling { () throws(KafkaError) in
      try VerifyCutter(
        clients, settings: settings, partitionCount: partitionCount)
    }
    defer { cutter.consumer.close(within: .seconds(5)) }
    let asked = StopRequest()
    var termination: Termination?
    defer { withExtendedLifetime(termination) {} }
    var starts: [VerifyStart] = []
    if settings.isFromState {
      starts = try begin(partitions, cutter)
      // The first signal ends the following only, the second everything.
      termination = Termination(
        patience: Self.patience, overdue: { ExitCode.undecided },
        first: {
          asked.request()
          return nil
        })
      follow(starts, until: asked)
    } else {
      for partition in partitions { try cutter.requireWhole(partition) }
    }
    if settings.wait > 0 {
      try VerifyWait(
        clients: clients, inputs: lanes(LogTopic.inputs, partitions),
        states: lanes([.state], partitions)
      ).run(within: .milliseconds(settings.wait))
    }
    let progress = VerifyProgress()
    for (index, partition) in partitions.enumerated() {
      let start = starts.isEmpty ? nil : starts[index]
      progress.expected += try expectedRecords(partition, from: start, cutter)
    }
    var report = VerifyReport()
    for (index, partition) in partitions.enumerated() {
      try VerifyPartition(self, cutter, progress).run(
        partition, from: starts.isEmpty ? nil : starts[index], &report)
    }
    report.recordsRead = progress.records
    report.elapsed = progress.elapsed
    return report
  }

  /// Folds the states to begin with.
  private func begin(
    _ partitions: [Int32], _ cutter: VerifyCutter
  ) throws(VerifyFailure) -> [VerifyStart] {
    let progress = VerifyProgress()
    for partition in partitions { progress.expected += try cutter.size(.state, partition) }
    var starts: [VerifyStart] = []
    for partition in partitions {
      progress.stage = "state of partition \(partition), to begin with"
      let (cut, machine) = try cutter.cut(partition, progress)
      starts.append(VerifyStart(cut: cut, machine: machine))
    }
    // Nothing is read while it follows.
    _ = try VerifyFailure.calling { () throws(KafkaError) in try cutter.consumer.assign([]) }
    return starts
  }

  /// Lets the pool work.
  private func follow(_ starts: [VerifyStart], until asked: StopRequest) {
    let time = DurationText.text(settings.followed)
    Console.tell(
      "has the state of \(starts.count) partitions; follows the pool for \(time)")
    let limit = ContinuousClock.now + .milliseconds(settings.followed)
    while !asked.isRequested, ContinuousClock.now < limit {
      let left = Int(ContinuousClock.now.duration(to: limit) / .milliseconds(1))
      asked.wait(milliseconds: min(1000, max(1, left)))
    }
  }

  /// How many records will be read of a partition, as it is now.
  private func expectedRecords(
    _ partition: Int32, from start: VerifyStart?, _ cutter: VerifyCutter
  ) throws(VerifyFailure) -> Int64 {
    func size(_ topics: [LogTopic], since before: [Range<Int64>]?) throws(VerifyFailure) -> Int64 {
      var size: Int64 = 0
      for (index, topic) in topics.enumerated() {
        size += try cutter.size(topic, partition, since: before?[index].upperBound ?? 0)
      }
      return size
    }
    let inputs = try size(LogTopic.inputs, since: start?.cut.inputs)
    let outputs = try size(LogTopic.judged, since: start?.cut.outputs)
    let shares = Int64(settings.shares(of: inputs))
    return try cutter.size(.state, partition) + inputs + shares * (inputs + outputs)
  }

  private func lanes(_ topics: [LogTopic], _ partitions: [Int32]) -> [TopicPartition] {
    partitions.flatMap { partition in
      topics.map { TopicPartition(settings.connection.names[$0], partition) }
    }
  }

  private static var help: String {
    """
    usage: rollcall verify [OPTION…]

    Reads the inputs, the outputs and the state of a pool, and decides from the inputs alone, by
    another program than the workers', what had to be announced, counted and rejected. Tells what
    is missing, doubled, wrong, too early or out of order, and where the state is not what a replay
    of the inputs gives. It reads committed records only and joins no group: the workers may go on,
    and what they have not applied yet is left out and counted. The rules are those that the state
    was written under, unless options name them.

    It needs all that was ever written. Where retention has taken the first records, --from-state
    takes the present state instead, follows the pool for a while, and judges the same of all that
    was applied and written in between. The state that it begins with is taken to be right, and
    what was given out before is not looked at. It holds that state in memory: --partitions parts
    the work.

    Ends with 0 when all is right, 1 at any fault, 64 at a bad option, 66 when records that it needs
    are gone, 69 without a broker, 75 when the workers did not come to rest, or when faults may come
    of rules that were changed or of a gap that the pool has gone on behind, 78 when the options are
    not those of the pool.

    \(Option.help(VerifySettings.options, defaults: VerifySettings()))
    """
  }
}
