import Ops

/// What a command can be told.
protocol CommandSettings {
  /// The defaults.
  init()
  /// The options, in the order of `--help`.
  static var options: [Option<Self>] { get }
  /// What holds before the options of a command line are taken.
  static func start(_ arguments: [String], _ environment: Environment) throws(UsageError) -> Self
  /// Takes what a command line says besides its options, and refuses what cannot be meant.
  mutating func finish(_ parsed: ParsedArguments, _ environment: Environment) throws(UsageError)
}

extension CommandSettings {
  static func start(_ arguments: [String], _ environment: Environment) throws(UsageError) -> Self {
    Self()
  }

  mutating func finish(_ parsed: ParsedArguments, _ environment: Environment) throws(UsageError) {}
}

/// A command of the program.
protocol Command {
  associatedtype Told: CommandSettings
  /// The word that names it.
  static var name: String { get }
  /// Its line in `rollcall help`; empty: it is not meant to be typed.
  static var summary: String { get }
  /// What stands behind its name. It takes operands where this names more than options.
  static var form: String { get }
  /// What `--help` says before the options.
  static var introduction: String { get }
  /// Does it, and says how the process ends.
  static func run(_ settings: Told) -> Int32
}

extension Command {
  static var summary: String { "" }
  static var form: String { "[OPTION…]" }

  /// What `--help` says.
  static var help: String {
    """
    usage: rollcall \(name) \(form)

    \(introduction)

    \(Option.help(Told.options, defaults: Told()))
    """
  }

  /// Reads a command line; where help is wanted, only what it takes to know that.
  static func parse(
    _ arguments: [String], environment: Environment
  ) throws(UsageError) -> (settings: Told, parsed: ParsedArguments) {
    var settings = try Told.start(arguments, environment)
    let parsed = try ParsedArguments.parse(
      arguments, environment: environment, options: Told.options, into: &settings)
    if parsed.wantsHelp { return (settings, parsed) }
    if form == "[OPTION…]", let operand = parsed.operands.first {
      throw UsageError(message: "\(name) takes options only, not '\(operand)'")
    }
    try settings.finish(parsed, environment)
    return (settings, parsed)
  }

  /// Runs the command and says how the process ends.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(UsageError) {
      let (settings, parsed) = try parse(arguments, environment: SystemEnvironment.variable)
      return parsed.wantsHelp ? Console.show(help) : run(settings)
    } catch {
      return Console.complain(error.message, ExitCode.usage)
    }
  }
}
