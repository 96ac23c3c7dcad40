/// The program: which command runs.
enum Rollcall {
  /// All commands, in the order of the help.
  static var commands: [any Command.Type] {
    [
      WorkerCommand.self, ReplayCommand.self, TopicsCommand.self, LoadCommand.self,
      VerifyCommand.self, SimCommand.self, DemoCommand.self,
    ]
  }

  /// The commands that are meant to be typed.
  private static var shown: [any Command.Type] { commands.filter { !$0.summary.isEmpty } }

  private static var help: String {
    let rows =
      shown.map { ($0.name, $0.summary) }
      + [("help", "shows this; rollcall COMMAND --help explains a command")]
    let lines = rows.map { "  \(Console.column($0, 9))\($1)" } + ["  --version"]
    return "usage: rollcall COMMAND [OPTION…]\n\n" + lines.joined(separator: "\n")
  }

  /// Runs the command that the arguments name and says how the process ends.
  static func run(_ arguments: [String]) -> Int32 {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "help", "--help", "-h":
      return rest.isEmpty ? Console.show(help) : run([rest[0], "--help"])
    case "--version": return Console.show("rollcall \(Program.version)")
    case nil: return Console.complain("no command\n\(help)", ExitCode.usage)
    case .some(let word):
      if let command = commands.first(where: { $0.name == word }) { return command.run(rest) }
      return Console.complain(refusal(of: word).message, ExitCode.usage)
    }
  }

  /// What is said of a word that is no command.
  static func refusal(of word: String) -> UsageError {
    UsageError(
      "unknown command \(word)", word, allowed: shown.map { $0.name } + ["help"],
      besides: ["--help", "--version"])
  }
}
