import Kafka
import Ops
import Worker

/// What the parts of `rollcall demo` are told.
struct DemoSettings {
  var connection = Connection()
  var group = "rollcall"

  /// The command's options.
  static var options: [Option<DemoSettings>] {
    Option.connection(\.connection) + [
      .text("group", "NAME", \.group, help: "The workers' consumer group.")
    ]
  }
}

/// `rollcall demo`: the parts of `ops/demo` that no other command has. Not meant to be typed.
struct DemoCommand {
  let settings: DemoSettings
  let clients: Settings
  private let admin: Admin

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
      let command = try DemoCommand(settings)
      switch parsed.operands[0] {
      case "watch": return try command.watch()
      case "clean": return try command.clean()
      default: return Console.complain("demo: no such part; allowed: watch, clean", ExitCode.usage)
      }
    } catch {
      return Console.complain(error, settings.connection)
    }
  }

  private init(_ settings: DemoSettings) throws(KafkaError) {
    self.settings = settings
    clients = try Settings.beside(settings.connection, group: settings.group, purpose: "demo")
    admin = try Admin(clients, notify: Console.notify)
  }

  /// Deletes the topics and the group.
  private func clean() throws(KafkaError) -> Int32 {
    try admin.delete(topics: LogTopic.allCases.map { settings.connection.names[$0] })
    // Static members stay in the group until their sessions end.
    let limit = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < limit, try admin.memberCount(of: settings.group) > 0 {
      Pause.until(.now + .milliseconds(200))
    }
    try admin.delete(group: settings.group)
    return ExitCode.done
  }

  /// The partitions of `chat.events`.
  func eventPartitions() throws(KafkaError) -> [TopicPartition] {
    let name = settings.connection.names[.events]
    let count = try admin.layout(of: name)?.partitions ?? 0
    return (0..<Int32(clamping: count)).map { TopicPartition(name, $0) }
  }

  private static var help: String {
    """
    usage: rollcall demo PART [OPTION…]

      watch   tells what is announced, until it is ended
      clean   deletes the topics and the group

    \(Option.help(DemoSettings.options, defaults: DemoSettings()))
    """
  }
}
