import Core
import Dispatch
import Kafka
import Ops
import Synchronization
import Worker

/// `rollcall worker`: what the pool consists of.
enum WorkerCommand: Command {
  static let name = "worker"
  static let summary = "reads messages, receipts and deletes, and announces what follows from them"
  static let introduction = """
    Reads messages, receipts and deletes as a member of a consumer group and announces, exactly
    once, what is delivered to all and read by all, with deletes, replies and unread counts.
    SIGTERM and SIGINT end it well, a second one at once.
    """

  /// How long the shards may take to end well after a signal, in milliseconds: whoever sent it
  /// waits ten seconds.
  private static let patience = 9500

  static func run(_ settings: WorkerSettings) -> Int32 {
    let logger = Logger(least: settings.logLevel)
    introduce(settings, logger)
    let stop = StopRequest()
    let notices = NoticeLog(logger)
    let patience = StartPatience(settings, logger, notices)
    let termination = Termination(
      patience: Self.patience,
      overdue: {
        // The broker aborts what is open, and whoever gets the partitions does it again.
        logger.log(.warning, "the broker does not answer: ending without a last transaction")
        return stop.code
      },
      first: {
        // Without a transaction and a place in the group there is nothing to give back, and a
        // broker that is away need not be waited for.
        guard !patience.abandon() else {
          logger.log(.info, "ended", ["code": .number(Int64(ExitCode.done))])
          return ExitCode.done
        }
        logger.log(.info, "ending: finishing transactions and leaving the group")
        stop.request()
        return nil
      })
    let partitionCount: Int32
    switch Audit(settings, logger, notices).run(patience) {
    case .sound(let partitions): partitionCount = partitions
    case .unsound(let code): return code
    }
    if let (problem, remedy) = refusal(settings, notices) {
      logger.log(
        .error, "the worker cannot start", ["problem": .text(problem), "remedy": .text(remedy)])
      return ExitCode.configuration
    }
    let startedAt = WallClock.milliseconds
    let skipped = SkipLog(
      settings.skips, settings.connection.names, partitionCount: partitionCount, logger)
    let shards = DispatchGroup()
    for number in 0..<settings.shards {
      var configuration = WorkerConfiguration(
        rules: settings.rules, partitionCount: partitionCount,
        writer: "\(settings.instanceId)-\(number)/\(startedAt)", group: settings.group,
        limits: TransactionLimits(interval: settings.commitInterval))
      configuration.skips = settings.skips
      configuration.gaps = settings.gaps
      if !settings.takeOverGroup.isEmpty { configuration.takesOverGroup = settings.takeOverGroup }
      configuration.inputNames = PerInput<String> { settings.connection.names[Topic($0)] }
      let shard = Shard(
        number: number, settings: settings, configuration: configuration, stop: stop,
        logger: settings.shards > 1 ? logger.with(["shard": .count(number)]) : logger,
        notices: notices, patience: patience, skips: skipped)
      // A queue of its own that never returns is a thread of its own.
      DispatchQueue(label: "rollcall.shard-\(number)").async(group: shards) { shard.run() }
    }
    shards.wait()
    skipped.tellUnused()
    return withExtendedLifetime(termination) {
      logger.log(.info, "ended", ["code": .number(Int64(stop.code))])
      return stop.code
    }
  }

  /// Why another group's state must not be taken over; nil where nothing speaks against it.
  private static func refusal(
    _ settings: WorkerSettings, _ notices: NoticeLog
  ) -> (problem: String, remedy: String)? {
    let group = settings.takeOverGroup
    guard !group.isEmpty, group != settings.group else { return nil }
    do throws(KafkaError) {
      let admin = try Admin(settings.clients(shard: 0), notify: notices.notify)
      let members = try admin.memberCount(of: group)
      guard members > 0 else { return nil }
      return (
        "group \(group) has \(members) live members: group \(settings.group) cannot take its "
          + "state over",
        "stop the pool of group \(group) first, and wait until the sessions of the workers that "
          + "are gone have ended"
      )
    } catch {
      return (error.text, "start again")
    }
  }

  /// Says once how the worker is configured, without secrets, and what looks like a mistake.
  private static func introduce(_ settings: WorkerSettings, _ logger: Logger) {
    var fields: [(String, Logger.Value)] = [
      ("version", .text(Program.version)), ("librdkafka", .text(Library.version)),
      ("libmicrohttpd", .text(HTTPLibrary.version)),
    ]
    for option in WorkerSettings.options {
      fields.append((option.name, .text(option.show(settings))))
    }
    logger.log(.info, "configuration", fields)
    for name in settings.openSecrets {
      logger.log(
        .warning, "a secret on the command line can be read by every user of this machine",
        ["property": .text(name), "instead": .text("--kafka-properties FILE or ROLLCALL_KAFKA")])
    }
    let known = Set(WorkerSettings.options.map(\.variable))
    for name in SystemEnvironment.variableNames.sorted()
    where name.hasPrefix("ROLLCALL_") && !known.contains(name) {
      logger.log(.warning, "a variable of the environment says nothing", ["name": .text(name)])
    }
  }
}
