import Core
import Kafka
import Ops
import Worker

/// What the parts of `rollcall demo` are told.
struct DemoSettings: CommandSettings {
  var connection = Connection()
  var group = "rollcall"
  var part = Part.watch

  /// What is to be done.
  enum Part: String, CaseIterable {
    case watch, clean
  }

  /// The command's options.
  static var options: [Option<DemoSettings>] {
    Option.connection(\.connection) + [
      .text("group", "NAME", \.group, help: "The workers' consumer group.")
    ]
  }

  mutating func finish(_ parsed: ParsedArguments, _ environment: Environment) throws(UsageError) {
    part = try parsed.verb(of: DemoCommand.name)
  }
}

/// `rollcall demo`: the parts of `ops/demo` that no other command has. Not meant to be typed.
struct DemoCommand: Command {
  static let name = "demo"
  static let form = "PART [OPTION…]"
  static let introduction = """
      watch   tells what is announced, until it is ended
      clean   deletes the topics and the group
    """

  let settings: DemoSettings
  let clients: Settings
  private let admin: Admin

  static func run(_ settings: DemoSettings) -> Int32 {
    settings.connection.complaining { () throws(KafkaError) in
      let command = try DemoCommand(settings)
      switch settings.part {
      case .watch: return try command.watch()
      case .clean: return try command.clean()
      }
    }
  }

  private init(_ settings: DemoSettings) throws(KafkaError) {
    self.settings = settings
    clients = try Settings.beside(settings.connection, group: settings.group, purpose: "demo")
    admin = try Admin(clients, notify: Console.notify)
  }

  /// Deletes the topics and the group.
  private func clean() throws(KafkaError) -> Int32 {
    try admin.delete(topics: Topic.allCases.map { settings.connection.names[$0] })
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
    let names = settings.connection.names
    let count = try admin.layout(of: names[.events])?.partitions ?? 0
    return names.lanes([.events], 0..<Int32(clamping: count))
  }
}
