import Core
import Kafka
import Ops
import Worker

/// What `rollcall worker` can be told.
struct WorkerSettings {
  /// A record to be skipped, as the command line names it.
  struct SkippedRecord: Equatable {
    var topic: String
    var partition: Int32
    var offset: Int64
  }

  var connection = Connection()
  var group = "rollcall"
  var instanceId = Surroundings.hostName ?? "localhost"
  var shards = 1
  var staticMembership = false
  var commitInterval: Int64 = 100
  var skips: [SkippedRecord] = []
  var logLevel = Logger.Level.info
  var rules = Rules()

  /// The command's options.
  static var options: [Option<WorkerSettings>] {
    Option.connection(\.connection) + [
      .text("group", "NAME", \.group, help: "The consumer group; the pool's name on the broker."),
      .text(
        "instance-id", "NAME", \.instanceId,
        help: "This worker's name: unique in the pool, and the same after a restart."),
      .number(
        "shards", "COUNT", \.shards, in: 1...256,
        help: "How many members of the group this process is, each with a thread of its own."),
      .flag(
        "static-membership", \.staticMembership,
        help: "Whether a restarted worker takes its partitions back without a rebalance."),
      // A transaction has to end well before the broker gives it up.
      .duration(
        "commit-interval", \.commitInterval, in: 1...2000,
        help: "How long a transaction gathers records: latency against cost."),
      skip,
      .choice("log-level", \.logLevel, help: "What is written to standard error, and what above."),
    ] + Option.rules(\.rules)
  }

  private static var skip: Option<WorkerSettings> {
    Option(
      name: "skip", metavar: "TOPIC:PARTITION:OFFSET", kind: .list(separator: ","),
      help: "Rejects that input record unread: the way out when one record kills a worker.",
      set: { settings, value throws(BadValue) in
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let partition = Int32(parts[1]), let offset = Int64(parts[2]),
          partition >= 0, offset >= 0
        else { throw BadValue(allowed: "TOPIC:PARTITION:OFFSET, such as chat.receipts:3:1234") }
        settings.skips.append(
          SkippedRecord(topic: String(parts[0]), partition: partition, offset: offset))
      },
      show: { settings in
        settings.skips.map { "\($0.topic):\($0.partition):\($0.offset)" }.joined(separator: ",")
      })
  }

  /// The records to be skipped; a topic goes by its name or by its default name.
  func resolvedSkips() throws(UsageError) -> Set<WorkerConfiguration.Skip> {
    var resolved: Set<WorkerConfiguration.Skip> = []
    for skip in skips {
      let topic = InputTopic.allCases.first { input in
        [connection.names[LogTopic(input)], LogTopic(input).defaultName].contains(skip.topic)
      }
      guard let topic else {
        let names = LogTopic.inputs.map { connection.names[$0] }.joined(separator: ", ")
        throw UsageError(
          message: "--skip: '\(skip.topic)' is no input topic; allowed: \(names)")
      }
      resolved.insert(.init(topic: topic, partition: skip.partition, offset: skip.offset))
    }
    return resolved
  }

  /// What the clients of one shard are told.
  func clients(shard: Int) throws(KafkaError) -> Settings {
    let member = "\(instanceId)-\(shard)"
    return try Settings(
      Settings.Identity(
        bootstrapServers: connection.bootstrapServers, group: group,
        transactionalId: "\(group)-\(member)",
        groupInstanceId: staticMembership ? member : nil, clientId: "rollcall-\(member)"),
      properties: connection.properties)
  }
}
