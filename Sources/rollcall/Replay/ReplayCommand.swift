import Core

/// What `rollcall replay` can be told.
struct ReplaySettings: CommandSettings {
  /// The rules of the contract.
  var rules = Rules()
  /// None: standard input.
  var files: [String] = []

  /// The command's options.
  static var options: [Option<ReplaySettings>] { Option.rules(\.rules) }

  mutating func finish(_ parsed: ParsedArguments, _ environment: Environment) throws(UsageError) {
    files = parsed.operands
  }
}

/// `rollcall replay`: JSON Lines in, JSON Lines out, through the worker's engine and codec.
enum ReplayCommand: Command {
  static let name = "replay"
  static let summary = "does the same from files or standard input, without a broker"
  static let form = "[OPTION…] [FILE…]"
  static let introduction = """
    Reads records as JSON Lines from files or standard input and writes what they cause as JSON
    Lines to standard output: the worker's engine, without a broker.

    A line in is one record, or moves time on:
      {"topic": "messages"|"receipts"|"deletes", "value": {…}}
          besides: "key" (else derived), "timestamp" in milliseconds (else the record's own time),
          and "raw", the value's exact text as a string, instead of "value"
      {"tick": MILLISECONDS}
    A line out is {"topic": "events"|"actions"|"status"|"rejected", "key", "value", "input"}; a
    rejected one has "headers" and "raw". "input" is the line that caused it, counted from 0 through
    all files. A receipt for a message that has not come says nothing until it comes, or until a
    later time has used up the grace.

    Ends with 0 when all was read, 2 at a line that is not of this form, 64 at a bad option, 66 at
    a file that cannot be read.
    """

  static func run(_ settings: ReplaySettings) -> Int32 {
    var reader = ReplayReader(rules: settings.rules)
    do throws(ReplayReader.Stop) {
      try reader.read(files: settings.files)
      return ExitCode.done
    } catch {
      // Whoever has read enough need not be told so.
      return error.code == ExitCode.readerGone
        ? error.code : Console.complain(error.message, error.code)
    }
  }
}
