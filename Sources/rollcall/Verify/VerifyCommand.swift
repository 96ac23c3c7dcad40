import Core
import Kafka
import Lab
import Ops
import Oracle
import Worker

/// `rollcall verify`: holds what a pool has written against what its inputs ask for.
struct VerifyCommand: Command {
  static let name = "verify"
  static let summary = "tells whether a pool has announced what it had to, and nothing else"
  static let introduction = """
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
    """

  let settings: VerifySettings
  let clients: Settings
  let partitionCount: Int32

  /// How long it may take after the first signal, in milliseconds: longer than any verdict.
  private static let patience = 7 * 86_400_000

  static func run(_ settings: VerifySettings) -> Int32 {
    do throws(VerifyFailure) {
      let report = try VerifyCommand(settings).run()
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

  private init(_ settings: VerifySettings) throws(VerifyFailure) {
    self.settings = settings
    let counts: PartitionCounts
    do throws(KafkaError) {
      clients = try Settings.beside(
        settings.connection, group: settings.group, purpose: "verify",
        defaults: Self.clientDefaults)
      let admin = try Admin(clients, notify: Console.notify)
      counts = try PartitionCounts(of: Topic.allCases, settings.connection.names, admin)
    } catch {
      throw .kafka(error)
    }
    guard let count = counts.common else { throw .mismatch(counts.complaint) }
    partitionCount = count
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
    var starts: [VerifyStart?] = partitions.map { _ in nil }
    if settings.isFromState {
      starts = try begin(partitions, cutter)
      // The first signal ends the following only, the second everything.
      termination = Termination(
        asking: asked, patience: Self.patience, overdue: { ExitCode.undecided })
      follow(starts.count, until: asked)
    } else {
      for partition in partitions { try cutter.requireWhole(partition) }
    }
    if settings.wait > 0 {
      let names = settings.connection.names
      try VerifyWait(
        clients: clients, inputs: names.lanes(Topic.inputs, partitions),
        states: names.lanes([.state], partitions)
      ).run(within: .milliseconds(settings.wait))
    }
    let progress = VerifyProgress()
    for (partition, start) in zip(partitions, starts) {
      progress.expected += try expectedRecords(partition, from: start, cutter)
    }
    var report = VerifyReport()
    let judge = VerifyPartition(settings: settings, cutter: cutter, progress: progress)
    for (partition, start) in zip(partitions, starts) {
      try judge.run(partition, from: start, &report)
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
  private func follow(_ count: Int, until asked: StopRequest) {
    let time = DurationText.text(settings.followed)
    Console.tell(
      "has the state of \(count) partitions; follows the pool for \(time)")
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
    func size(_ topics: [Topic], since before: [Range<Int64>]?) throws(VerifyFailure) -> Int64 {
      var size: Int64 = 0
      for (index, topic) in topics.enumerated() {
        size += try cutter.size(topic, partition, since: before?[index].upperBound ?? 0)
      }
      return size
    }
    let inputs = try size(Topic.inputs, since: start?.cut.inputs)
    let outputs = try size(Topic.judged, since: start?.cut.outputs)
    let shares = Int64(settings.shares(of: inputs))
    return try cutter.size(.state, partition) + inputs + shares * (inputs + outputs)
  }
}
