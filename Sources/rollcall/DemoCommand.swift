import Kafka
import Lab
import Ops
import Worker

/// What the parts of `rollcall demo` are told.
struct DemoSettings {
  var connection = Connection()
  var group = "rollcall"
  var seed = 1
  var rate = 1000

  /// The command's options.
  static var options: [Option<DemoSettings>] {
    Option.connection(\.connection) + [
      .text("group", "NAME", \.group, help: "The workers' consumer group."),
      .number("seed", "NUMBER", \.seed, in: 0...Int.max, help: "Which traffic."),
      .number("rate", "RECORDS", \.rate, in: 10...1_000_000, help: "Records fed a second."),
    ]
  }
}

/// `rollcall demo`: the parts of `ops/demo` that talk to Kafka. Not meant to be typed.
struct DemoCommand {
  let settings: DemoSettings
  let clients: Settings

  private static let verbs = ["feed", "watch", "check", "clean"]

  /// Runs a part and says how the process ends.
  static func run(_ arguments: [String]) -> Int32 {
    var settings = DemoSettings()
    let parsed: ParsedArguments
    do throws(UsageError) {
      parsed = try ParsedArguments.parse(
        arguments, environment: Surroundings.variable, options: DemoSettings.options,
        into: &settings)
    } catch {
      return Console.complain(error.message, ExitCode.usage)
    }
    guard !parsed.wantsHelp, parsed.operands.count == 1 else { return Console.show(help) }
    do throws(KafkaError) {
      let command = DemoCommand(
        settings: settings,
        clients: try Settings.beside(settings.connection, group: settings.group, purpose: "demo"))
      switch parsed.operands[0] {
      case "feed": return try command.feed()
      case "watch": return try command.watch()
      case "check": return try command.check()
      case "clean": return try command.clean()
      default:
        return Console.complain(
          "demo: no such part; allowed: \(verbs.joined(separator: ", "))", ExitCode.usage)
      }
    } catch {
      return Console.complain(error)
    }
  }

  /// Deletes the topics and the group.
  private func clean() throws(KafkaError) -> Int32 {
    let admin = try Admin(clients, notify: Console.notify)
    try admin.delete(topics: LogTopic.allCases.map(name(of:)))
    // Static members stay in the group until their sessions end.
    let limit = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < limit, try admin.memberCount(of: settings.group) > 0 {
      Pause.until(.now + .milliseconds(200))
    }
    try admin.delete(group: settings.group)
    return ExitCode.done
  }

  /// The partitions of a topic.
  func partitions(of topics: [LogTopic]) throws(KafkaError) -> [TopicPartition] {
    let layouts = try Admin(clients, notify: Console.notify).cluster().topics
    return topics.flatMap { topic in
      let count = layouts.first { $0.name == name(of: topic) }?.partitions ?? 0
      return (0..<Int32(clamping: count)).map { TopicPartition(name(of: topic), $0) }
    }
  }

  /// What a topic is called here.
  func name(of topic: LogTopic) -> String { settings.connection.names[topic] }

  /// The traffic that all parts agree on.
  var traffic: ExampleTraffic { ExampleTraffic(seed: UInt64(settings.seed)) }

  private static var help: String {
    """
    usage: rollcall demo PART [OPTION…]

      feed    writes the example traffic
      watch   tells what is announced, until it is ended
      check   waits until all is applied, and compares what was announced with what had to be
      clean   deletes the topics and the group

    \(Option.help(DemoSettings.options, defaults: DemoSettings()))
    """
  }
}
