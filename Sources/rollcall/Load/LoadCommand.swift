import Core
import Dispatch
import Kafka
import Lab
import Ops
import Worker

/// `rollcall load`: writes a workload to the input topics, and tells what it is like for them.
///
/// Three threads: this one writes, one reads the announcements, one asks for the lag and tells.
struct LoadCommand: Command {
  static let name = "load"
  static let summary = "writes a chat service's traffic to the input topics, and measures"
  static let introduction = """
    Writes the traffic of a chat service, made from a seed, to the input topics. Once a second it
    tells on standard error how fast, how far the workers are behind (--group), and how long it
    took from a record to the announcement that it caused; in the end a summary as JSON on
    standard output. SIGTERM and SIGINT end it well, a second one at once. The defaults from
    --groups on are those of the preset small.
    """

  let settings: LoadSettings
  private let clients: Settings
  /// Partitions of each topic that it reads or writes.
  private let partitionCount: Int32

  /// How long a topic's partitions are asked for.
  private static let learningTime = Duration.seconds(10)
  /// How long the group's lag is asked for after the last record.
  private static let lagTime = Duration.seconds(5)
  /// How long the process may take to end well, in milliseconds: longer than the last records.
  private static let patience = 40_000

  static func run(_ settings: LoadSettings) -> Int32 {
    if settings.isDry { return LoadPrint.run(settings) }
    return settings.connection.complaining { () throws(KafkaError) in
      try LoadCommand(settings).run()
    }
  }

  private init(_ settings: LoadSettings) throws(KafkaError) {
    self.settings = settings
    let group = settings.group.isEmpty ? "rollcall-load" : settings.group
    clients = try Settings.beside(settings.connection, group: group, purpose: "load")
    let admin = try Admin(clients, notify: Console.notify)
    let wanted = Topic.inputs + (settings.seesEndToEnd ? [.events] : [])
    let counts = try PartitionCounts(of: wanted, settings.connection.names, admin)
    guard let count = counts.common else {
      throw .configuration("\(counts.complaint); rollcall topics apply creates them")
    }
    partitionCount = count
  }

  private func run() throws(KafkaError) -> Int32 {
    let asked = StopRequest()
    let termination = Termination(
      asking: asked, patience: Self.patience,
      overdue: { Console.complain("the broker does not answer: ending at once", ExitCode.failed) })
    defer { withExtendedLifetime(termination) {} }
    let producer = try PlainProducer(clients, notify: Console.notify)
    var topics: [TopicHandle] = []
    for topic in Topic.inputs {
      topics.append(
        try producer.topic(settings.connection.names[topic], within: Self.learningTime))
    }
    var feed = LoadFeed(
      settings, producer, topics: topics, partitionCount: partitionCount, stop: asked)
    feed.prepare()
    let meter = LoadMeter(recordsPerSecond: settings.mix.recordsPerSecond)
    let over = StopRequest()
    let others = startOthers(meter, over)
    let failure: KafkaError?
    var end: LoadFeed.End?
    var remainder: String?
    do throws(KafkaError) {
      end = try feed.run(meter)
      failure = nil
      remainder = awaitNoLag(meter, asked)
    } catch {
      failure = error
    }
    over.request()
    others.wait()
    // What was not delivered is told after what was.
    let code = Console.show(
      LoadSummary(
        settings: settings, partitionCount: partitionCount, counts: meter.counts,
        elapsed: meter.elapsed, processorTime: meter.processorTime,
        endedBy: end?.rawValue ?? "failure",
        undelivered: producer.undelivered
      ).json)
    if let failure { return Console.complain(failure, settings.connection) }
    guard over.code == ExitCode.done else { return over.code }
    guard let remainder else { return code }
    _ = Console.complain(remainder, ExitCode.undecided)
    // Whoever ends it early does not want to wait.
    return code == ExitCode.done && !asked.isRequested ? ExitCode.undecided : code
  }

  /// Starts the threads that read and tell; they end when `over` is requested.
  private func startOthers(_ meter: LoadMeter, _ over: StopRequest) -> DispatchGroup {
    let others = DispatchGroup()
    // Each is made on its own thread: none of its clients is used by two.
    let (settings, clients) = (settings, clients)
    let names = settings.connection.names
    let inputs = names.lanes(Topic.inputs, 0..<partitionCount)
    let events = names.lanes([.events], 0..<partitionCount)
    func start(_ name: String, _ body: @escaping @Sendable () throws(KafkaError) -> Void) {
      DispatchQueue(label: "rollcall.load-\(name)").async(group: others) {
        do throws(KafkaError) {
          try body()
        } catch {
          over.request(code: Console.complain(error, settings.connection))
        }
      }
    }
    start("clerk") { () throws(KafkaError) in
      try LagReporter(clients, inputs, asksForLag: !settings.group.isEmpty, stop: over).run(meter)
    }
    guard settings.seesEndToEnd else { return others }
    // From where it reads has to be known before the first record is written.
    let isReady = DispatchSemaphore(value: 0)
    @Sendable func begin() throws(KafkaError) -> LoadWatch {
      defer { isReady.signal() }
      return try LoadWatch(clients, events, stop: over)
    }
    start("watch") { () throws(KafkaError) in
      let watch = try begin()
      try watch.run(meter)
    }
    isReady.wait()
    return others
  }

  /// Waits until the group has caught up, as long as is wanted.
  ///
  /// - Returns: what is to be said where it was waited for and has not; nil otherwise.
  private func awaitNoLag(_ meter: LoadMeter, _ asked: StopRequest) -> String? {
    guard !settings.group.isEmpty else { return nil }
    // Whoever names a group learns its lag, also without waiting for it to be gone.
    let patience = ContinuousClock.now + Self.lagTime
    while ContinuousClock.now < patience, !asked.isRequested, meter.counts.lag == nil {
      asked.wait(milliseconds: 50)
    }
    let limit = ContinuousClock.now + .milliseconds(settings.drain)
    while ContinuousClock.now < limit, !asked.isRequested, meter.counts.lag != 0 {
      asked.wait(milliseconds: 50)
    }
    guard settings.drain > 0, meter.counts.lag != 0 else { return nil }
    return LoadSummary.remainder(of: settings, lag: meter.counts.lag, isAsked: asked.isRequested)
  }
}
