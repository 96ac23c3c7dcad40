import Kafka
import Ops
import Worker

/// What `rollcall topics` can be told.
struct TopicsSettings {
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

  /// Reads the command line: the settings, the verb, and whether help is wanted.
  static func parse(
    _ arguments: [String], environment: (String) -> String?
  ) throws(UsageError) -> (settings: TopicsSettings, verb: TopicsCommand.Verb, wantsHelp: Bool) {
    var settings = TopicsSettings()
    let parsed = try ParsedArguments.parse(
      arguments, environment: environment, options: options, into: &settings)
    if parsed.wantsHelp { return (settings, .list, true) }
    guard parsed.operands.count == 1, let verb = TopicsCommand.Verb(rawValue: parsed.operands[0])
    else {
      let given = (["topics"] + parsed.operands).joined(separator: " ")
      let verbs = TopicsCommand.Verb.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(message: "\(given): one verb, please; allowed: \(verbs)")
    }
    if verb == .resetState || verb == .acceptLoss, settings.partition < 0 {
      throw UsageError(
        message: "\(verb.rawValue) needs --partition NUMBER (and --group, default rollcall)")
    }
    // A number that somebody means as their count would make other topics than he wants.
    if verb == .apply || verb == .check, !parsed.named.contains("partitions"),
      environment(countVariable) == nil, let number = environment(listVariable), Int(number) != nil
    {
      throw UsageError(
        message: "\(listVariable)=\(number) is a list of partitions, for verify: how many each "
          + "topic has is \(countVariable), or --partitions")
    }
    return (settings, verb, false)
  }
}

/// `rollcall topics`: creates the topics, compares them with the contract, and takes a partition
/// back to its beginning.
struct TopicsCommand {
  let settings: TopicsSettings
  let admin: Admin
  let clients: Settings

  /// What is to be done.
  enum Verb: String, CaseIterable {
    case apply, check, list
    case resetState = "reset-state"
    case acceptLoss = "accept-loss"
  }

  /// Runs the command and says how the process ends.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(UsageError) {
      let (settings, verb, wantsHelp) = try TopicsSettings.parse(
        arguments, environment: Surroundings.variable)
      return wantsHelp ? Console.show(help) : run(verb, settings)
    } catch {
      return Console.complain(error.message, ExitCode.usage)
    }
  }

  private static func run(_ verb: Verb, _ settings: TopicsSettings) -> Int32 {
    switch verb {
    case .list: list(settings)
    case .apply: run(settings) { command throws(KafkaError) in try command.apply() }
    case .check: run(settings) { command throws(KafkaError) in try command.check() }
    case .resetState: run(settings) { command throws(KafkaError) in try command.resetState() }
    case .acceptLoss: run(settings) { command throws(KafkaError) in try command.acceptLoss() }
    }
  }

  private static func run(
    _ settings: TopicsSettings, _ verb: (TopicsCommand) throws(KafkaError) -> Int32
  ) -> Int32 {
    do throws(KafkaError) {
      let clients = try Settings.beside(
        settings.connection, group: settings.group, purpose: "topics")
      return try verb(
        TopicsCommand(
          settings: settings, admin: Admin(clients, notify: Console.notify), clients: clients))
    } catch {
      return Console.complain(error, settings.connection)
    }
  }

  /// Creates what is missing; what is there is compared and left alone.
  private func apply() throws(KafkaError) -> Int32 {
    let answers = try admin.answers(on: settings.connection.names)
    let found = answers.values.compactMap(\.description)
    let partitions =
      wantedPartitions ?? found.map(\.partitions).min() ?? TopicDefinition.defaultPartitions
    let missing = TopicDefinition.all.filter { answers[name(of: $0.topic)] == .missing }
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
    let differences = differences(from: answers).filter {
      if case .missing = $0 { false } else { true }
    }
    warnOfStrangers(answers)
    return report(
      differences, otherwise: "\(new.count) topics created, \(found.count) were there")
  }

  /// Compares the topics with the contract.
  private func check() throws(KafkaError) -> Int32 {
    let answers = try admin.answers(on: settings.connection.names)
    for caution in TopicCaution.all(name: name(of:), broker: { answers[$0] ?? .missing }) {
      Console.tell("rollcall: warning: \(caution)")
    }
    warnOfStrangers(answers)
    return report(
      differences(from: answers),
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

  private func differences(from answers: [String: TopicAnswer]) -> [TopicDifference] {
    TopicDifference.all(name: name(of:), partitions: wantedPartitions) { answers[$0] ?? .missing }
  }

  private var wantedPartitions: Int32? {
    settings.partitions == 0 ? nil : Int32(clamping: settings.partitions)
  }

  /// What a topic is called here.
  func name(of topic: LogTopic) -> String { settings.connection.names[topic] }

  private static var help: String {
    """
    usage: rollcall topics VERB [OPTION…]

      apply        creates what is missing; what is there is left alone
      check        compares the topics with the contract; exit code 1 if they differ
      list         shows what each topic should be
      reset-state  takes one partition of a stopped pool back to its beginning
      accept-loss  has one partition of a stopped pool go on, with its state, where records of its
                   inputs were deleted unread, or an input was truncated or made anew

    \(Option.help(TopicsSettings.options, defaults: TopicsSettings()))
    """
  }
}

extension Console {
  /// Tells what went wrong with Kafka.
  static func complain(_ error: KafkaError, _ connection: Connection) -> Int32 {
    if case .configuration = error { return complain(error.text, ExitCode.configuration) }
    let user = error.denial == nil ? nil : connection.principal
    return complain(error.text + (user.map { " to \($0)" } ?? ""), ExitCode.unavailable)
  }

  /// Tells of Kafka's clients what an operator must know; what they deal with by themselves is
  /// left out.
  static let notify: Notify = { notice in
    guard notice.level == .error else { return }
    _ = complain("\(notice.label): \(notice.text)", ExitCode.failed)
  }
}
