import Core
import Kafka
import Ops
import Worker

/// What `rollcall topics` can be told.
struct TopicsSettings: CommandSettings {
  var connection = Connection()
  /// 0: as many as the topics that are there have, else the default.
  var partitions = 0
  /// -1: the broker's default.
  var replicationFactor = -1
  var group = "rollcall"
  /// The partition to be reset; -1: none is named.
  var partition = -1
  /// Asks nothing.
  var yes = false
  var verb = TopicsCommand.Verb.list

  /// The command's options.
  static var options: [Option<TopicsSettings>] {
    Option.connection(\.connection) + [
      .number(
        "partitions", "COUNT", \.partitions, in: 0...100_000,
        help: """
          How many partitions each topic has; 0: as many as those that exist have, else \
          \(TopicDefinition.defaultPartitions).
          """
      ).inEnvironment(as: countVariable),
      .number(
        "replication-factor", "COPIES", \.replicationFactor, in: -1...100,
        help: "How many copies a new topic has; -1: the broker's default."),
      .text(
        "group", "NAME", \.group,
        help: """
          The workers' consumer group: check and apply warn of a state that is another's, \
          reset-state and accept-loss refuse it.
          """),
      .number(
        "partition", "NUMBER", \.partition, in: -1...100_000,
        help: "reset-state, accept-loss: the partition."),
      .flag("yes", \.yes, help: "reset-state, accept-loss: do not ask."),
    ]
  }

  /// How many partitions each topic has, in the environment: `ROLLCALL_PARTITIONS` is the list of
  /// those that are verified.
  private static let countVariable = "ROLLCALL_PARTITION_COUNT"
  private static let listVariable = "ROLLCALL_PARTITIONS"

  mutating func finish(_ parsed: ParsedArguments, _ environment: Environment) throws(UsageError) {
    verb = try parsed.verb(of: TopicsCommand.name)
    if verb == .resetState || verb == .acceptLoss, partition < 0 {
      throw UsageError(
        message: "\(verb.rawValue) needs --partition NUMBER (and --group, default rollcall)")
    }
    // A number that somebody means as their count would make other topics than they want.
    if verb == .apply || verb == .check, !parsed.named.contains("partitions"),
      environment(Self.countVariable) == nil,
      let number = environment(Self.listVariable), Int(number) != nil
    {
      throw UsageError(
        message: "\(Self.listVariable)=\(number) is a list of partitions, for verify: how many "
          + "each topic has is \(Self.countVariable), or --partitions")
    }
  }
}

/// `rollcall topics`: creates the topics, compares them with the contract, and takes a partition
/// back to its beginning.
struct TopicsCommand: Command {
  static let name = "topics"
  static let summary = "creates and checks the topics"
  static let form = "VERB [OPTION…]"
  static let introduction = """
      apply        creates what is missing; what is there is left alone
      check        compares the topics with the contract; exit code 1 if they differ
      list         shows what each topic should be
      reset-state  takes one partition of a stopped pool back to its beginning
      accept-loss  has one partition of a stopped pool go on, with its state, where records of its
                   inputs were deleted unread, or an input was truncated or made anew
    """

  let settings: TopicsSettings
  let admin: Admin
  let clients: Settings

  /// What is to be done.
  enum Verb: String, CaseIterable {
    case apply, check, list
    case resetState = "reset-state"
    case acceptLoss = "accept-loss"
  }

  static func run(_ settings: TopicsSettings) -> Int32 {
    guard settings.verb != .list else { return list(settings) }
    return settings.connection.complaining { () throws(KafkaError) in
      let clients = try Settings.beside(
        settings.connection, group: settings.group, purpose: "topics")
      let command = TopicsCommand(
        settings: settings, admin: try Admin(clients, notify: Console.notify), clients: clients)
      return switch settings.verb {
      case .list: list(settings)
      case .apply: try command.apply()
      case .check: try command.check()
      case .resetState: try command.resetState()
      case .acceptLoss: try command.acceptLoss()
      }
    }
  }

  /// Creates what is missing; what is there is compared and left alone.
  private func apply() throws(KafkaError) -> Int32 {
    let answers = try admin.answers(on: settings.connection.names)
    let found = answers.byName.values.compactMap(\.description)
    let partitions =
      wantedPartitions ?? found.map(\.partitions).min() ?? TopicDefinition.defaultPartitions
    let missing = TopicDefinition.all.filter { answers[$0.topic] == .missing }
    let new = missing.map { definition in
      Admin.NewTopic(
        name: name(of: definition.topic), partitions: partitions,
        replicationFactor: Int32(settings.replicationFactor),
        configuration: (definition.contract + definition.initial).map {
          Property($0.name, $0.value)
        })
    }
    try admin.create(new)
    for topic in new {
      let code = Console.show("created \(topic.name) with \(partitions) partitions")
      guard code == ExitCode.done else { return code }
    }
    let differences = TopicDifference.all(in: answers, partitions: wantedPartitions).filter {
      if case .missing = $0 { false } else { true }
    }
    warnOfStrangers(answers)
    return report(
      differences, otherwise: "\(new.count) topics created, \(found.count) were there")
  }

  /// Compares the topics with the contract.
  private func check() throws(KafkaError) -> Int32 {
    let answers = try admin.answers(on: settings.connection.names)
    for caution in TopicCaution.all(in: answers) {
      Console.tell("rollcall: warning: \(caution)")
    }
    warnOfStrangers(answers)
    return report(
      TopicDifference.all(in: answers, partitions: wantedPartitions),
      otherwise: "all \(TopicDefinition.all.count) topics are as the contract says")
  }

  private static func list(_ settings: TopicsSettings) -> Int32 {
    let names = settings.connection.names
    let lines = TopicDefinition.all.map { definition in
      let values = (definition.contract + definition.initial).map { "\($0.name)=\($0.value)" }
      return "\(names[definition.topic])  \(definition.role)  \(values.joined(separator: " "))"
    }
    return Console.show(lines.joined(separator: "\n"))
  }

  private func report(_ differences: [TopicDifference], otherwise text: String) -> Int32 {
    guard !differences.isEmpty else { return Console.show(text) }
    let code = Console.show(differences.map(\.description).joined(separator: "\n"))
    return code == ExitCode.done ? ExitCode.failed : code
  }

  private var wantedPartitions: Int32? {
    settings.partitions == 0 ? nil : Int32(clamping: settings.partitions)
  }

  /// What a topic is called here.
  func name(of topic: Topic) -> String { settings.connection.names[topic] }
}
