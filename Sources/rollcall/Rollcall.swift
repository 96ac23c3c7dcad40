/// The program: which command runs.
enum Rollcall {
  private static let help = """
    usage: rollcall COMMAND [OPTION…]

      worker   reads messages, receipts and deletes, and announces what follows from them
      replay   does the same from files or standard input, without a broker
      topics   creates and checks the topics
      load     writes a chat service's traffic to the input topics, and measures
      verify   tells whether a pool has announced what it had to, and nothing else
      sim      tries the worker without a broker, on seeds full of faults
      help     shows this; rollcall COMMAND --help explains a command
      --version
    """

  /// Runs the command that the arguments name and says how the process ends.
  static func run(_ arguments: [String]) -> Int32 {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "worker": return WorkerCommand.run(rest)
    case "replay": return ReplayCommand.run(rest)
    case "topics": return TopicsCommand.run(rest)
    case "load": return LoadCommand.run(rest)
    case "verify": return VerifyCommand.run(rest)
    case "sim": return SimCommand.run(rest)
    case "demo": return DemoCommand.run(rest)
    case "help", "--help", "-h":
      return rest.isEmpty ? Console.show(help) : run([rest[0], "--help"])
    case "--version": return Console.show("rollcall \(Program.version)")
    case nil: return Console.complain("no command\n\(help)", ExitCode.usage)
    case .some(let command):
      return Console.complain(
        "unknown command \(command); allowed: worker, replay, topics, load, verify, sim, help",
        ExitCode.usage)
    }
  }
}
