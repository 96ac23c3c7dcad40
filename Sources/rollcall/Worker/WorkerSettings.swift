import Core
import Kafka
import Ops
import Worker

/// What `rollcall worker` can be told.
struct WorkerSettings: CommandSettings {
  var connection = Connection()
  var group = "rollcall"
  /// Empty: none.
  var takeOverGroup = ""
  var gaps = GapPolicy.stop
  var instanceId = SystemEnvironment.hostName ?? "localhost"
  var shards = 1
  var staticMembership = true
  var commitInterval: Int64 = 100
  /// In milliseconds; 0: no bound.
  var startTimeout: Int64 = 0
  var skippedRecords: [SkippedRecord] = []
  /// The same by their topics.
  var skips: Set<WorkerConfiguration.Skip> = []
  /// The secret properties that stand on the command line.
  var openSecrets: [String] = []
  var logLevel = Logger.Level.info
  var rules = Rules()

  /// The command's options.
  static var options: [Option<WorkerSettings>] {
    Option.connection(\.connection) + [
      .text("group", "NAME", \.group, help: "The consumer group; the pool's name on the broker."),
      .text(
        "take-over-group", "NAME", \.takeOverGroup, mayBeEmpty: true,
        help: "A group without members whose state becomes this group's; empty: none."),
      .choice(
        "gaps", \.gaps,
        help:
          "Whether a partition stops where input records are gone unread, or goes on behind them."),
      .text(
        "instance-id", "NAME", \.instanceId,
        help: "This worker's name: unique in the pool, and the same after a restart."),
      .number(
        "shards", "COUNT", \.shards, in: 1...256,
        help: "How many members of the group this process is, each with a thread of its own."),
      .flag(
        "static-membership", \.staticMembership,
        help: """
          Whether a restarted worker takes its partitions back without a rebalance; needs an \
          instance id that stays.
          """),
      .duration(
        "start-timeout", \.startTimeout,
        help: "How long it waits for Kafka at the start; 0ms: without a bound."),
      // A transaction has to end well before the broker gives it up.
      .duration(
        "commit-interval", \.commitInterval, in: 1...2000,
        help: "How long a transaction gathers records: latency against cost."),
      .skip(
        \.skippedRecords,
        help:
          "Rejects that input record unread: the way out when one record kills a worker."),
      .choice("log-level", \.logLevel, help: "What is written to standard error, and what above."),
    ] + Option.rules(\.rules)
  }

  mutating func finish(_ parsed: ParsedArguments, _ environment: Environment) throws(UsageError) {
    skips = try SkippedRecord.resolve(skippedRecords, connection.names)
    openSecrets = Secrets.properties(on: parsed.arguments)
  }

  /// What has to be allowed to whom, where the brokers refuse something.
  var permission: String {
    "allow \(connection.principal ?? "the worker's user") what is refused; a worker needs READ and "
      + "DESCRIBE on the inputs and the changelog, WRITE on the outputs and the changelog, "
      + "READ on the group \(group), WRITE on the transactional ids that begin with "
      + "\(group)-\(instanceId)-, and DESCRIBE_CONFIGS on the topics to check their settings"
  }

  /// What a shard is called.
  func member(_ shard: Int) -> String { "\(instanceId)-\(shard)" }

  /// What the clients of one shard are told.
  func clients(shard: Int) throws(KafkaError) -> Settings {
    let member = member(shard)
    return try Settings(
      Settings.Identity(
        bootstrapServers: connection.bootstrapServers, group: group,
        transactionalId: "\(group)-\(member)",
        groupInstanceId: staticMembership ? member : nil, clientId: "rollcall-\(member)"),
      properties: connection.properties)
  }
}
