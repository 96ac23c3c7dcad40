/// One option of a command: all that parsing, `--help`, the environment and the log need of it.
struct Option<Settings> {
  /// How often and how an option takes values.
  enum Kind {
    /// One value.
    case value
    /// `true` or `false`; without a value it means true.
    case flag
    /// May be given again and again; in the environment the values stand between separators.
    case list(separator: Character)
  }

  /// The name without the dashes; in the environment mostly `ROLLCALL_` and this in capitals.
  var name: String
  /// What the value stands for in `--help`.
  var metavar: String
  var kind = Kind.value
  /// Whether a value may hold what nobody should see.
  var isSecret = false
  /// The name in the environment, where another command has taken the usual one.
  var ownVariable: String?
  /// One sentence.
  var help: String
  /// Takes the value in, or says what is allowed.
  var set: (inout Settings, String) throws(BadValue) -> Void
  /// The value as an operator may see it: for `--help` (the default's) and the log.
  var show: (Settings) -> String

  /// The option's name in the environment.
  var variable: String {
    ownVariable ?? "ROLLCALL_" + String(name.map { $0 == "-" ? "_" : Character($0.uppercased()) })
  }

  /// The same option under another name in the environment.
  func inEnvironment(as variable: String) -> Option {
    var option = self
    option.ownVariable = variable
    return option
  }

  /// The values that stand in a variable of the environment.
  func values(inVariable text: String) -> [String] {
    guard case .list(let separator) = kind else { return [text] }
    return text.split(separator: separator).map(String.init)
  }
}

/// A value that an option does not take.
struct BadValue: Error {
  /// What it takes, to stand after "allowed: ".
  var allowed: String
}

/// The value of a variable; nil where it is not set.
typealias Environment = (String) -> String?

/// A command line that cannot be carried out.
struct UsageError: Error, Equatable {
  /// One sentence that names the option and what is allowed.
  var message: String
}

/// What a command line says besides its options.
struct ParsedArguments {
  /// The arguments as they were given.
  var arguments: [String] = []
  /// What is no option and no option's value.
  var operands: [String] = []
  /// `--help` was asked for.
  var wantsHelp = false
  /// The options named in the arguments, not only in the environment.
  var named: Set<String> = []

  /// Reads the environment, then the arguments, into `settings`; what comes later counts.
  static func parse<Settings>(
    _ arguments: [String], environment: Environment, options: [Option<Settings>],
    into settings: inout Settings
  ) throws(UsageError) -> ParsedArguments {
    for option in options {
      guard let text = environment(option.variable) else { continue }
      for value in option.values(inVariable: text) {
        try option.set(value, as: option.variable, in: &settings)
      }
    }
    var result = ParsedArguments(arguments: arguments)
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        result.operands += rest
        break
      } else if argument == "--help" || argument == "-h" {
        result.wantsHelp = true
      } else if argument.hasPrefix("-"), argument != "-" {
        try result.readOption(argument, &rest, options, &settings)
      } else {
        result.operands.append(argument)
      }
    }
    return result
  }

  private mutating func readOption<Settings>(
    _ argument: String, _ rest: inout ArraySlice<String>, _ options: [Option<Settings>],
    _ settings: inout Settings
  ) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let spelled = String(parts[0])
    guard let option = options.first(where: { "--" + $0.name == spelled }) else {
      let known = options.map { "--" + $0.name } + ["--help"]
      throw UsageError("unknown option \(spelled)", spelled, allowed: known)
    }
    named.insert(option.name)
    let value: String
    if parts.count == 2 {
      value = String(parts[1])
    } else if case .flag = option.kind {
      // A word that is no flag's value is the next argument, not a mistake.
      value = rest.first == "true" || rest.first == "false" ? rest.removeFirst() : "true"
    } else if let next = rest.popFirst() {
      value = next
    } else {
      throw UsageError(message: "\(spelled) needs a value: \(option.metavar)")
    }
    try option.set(value, as: spelled, in: &settings)
  }
}

extension Option {
  fileprivate func set(
    _ value: String, as spelled: String, in settings: inout Settings
  ) throws(UsageError) {
    do {
      try set(&settings, value)
    } catch {
      let shown = isSecret ? "" : " '\(value)'"
      throw UsageError(message: "\(spelled): bad value\(shown); allowed: \(error.allowed)")
    }
  }
}
