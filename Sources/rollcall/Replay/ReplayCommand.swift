import Core
import Ops
import Wire
import Worker

/// What `rollcall replay` can be told.
struct ReplaySettings {
  /// The rules of the contract.
  var rules = Rules()

  /// The command's options.
  static var options: [Option<ReplaySettings>] { Option.rules(\.rules) }
}

/// `rollcall replay`: JSON Lines in, JSON Lines out, through the worker's engine and codec.
struct ReplayCommand: ~Copyable {
  /// What comes at once from a file, and about what goes at once to standard output.
  private static let blockBytes = 256 * 1024

  private var replay: Replay
  /// Read, and not yet taken apart.
  private var pending: [UInt8] = []
  /// How much of it holds no line feed.
  private var scanned = 0
  /// Written, and not yet given to standard output.
  private var written: [UInt8] = []

  private init(rules: Rules) { replay = Replay(rules: rules) }

  /// Runs the command and says how the process ends.
  static func run(_ arguments: [String]) -> Int32 {
    var settings = ReplaySettings()
    let parsed: ParsedArguments
    do throws(UsageError) {
      parsed = try ParsedArguments.parse(
        arguments, environment: Surroundings.variable, options: ReplaySettings.options,
        into: &settings)
    } catch {
      return Console.complain(error.message, ExitCode.usage)
    }
    if parsed.wantsHelp { return Console.show(help) }
    var command = ReplayCommand(rules: settings.rules)
    do throws(Stop) {
      try command.read(files: parsed.operands)
      return ExitCode.done
    } catch {
      // Whoever has read enough need not be told so.
      return error.code == ExitCode.readerGone
        ? error.code : Console.complain(error.message, error.code)
    }
  }

  /// Why the reading stopped.
  private struct Stop: Error {
    var code: Int32
    var message: String
  }

  private mutating func read(files: [String]) throws(Stop) {
    do throws(Stop) {
      for file in files.isEmpty ? ["-"] : files { try read(file: file) }
      try flush()
    } catch {
      // What came of the lines before the fault is shown all the same.
      try flush()
      throw error
    }
  }

  private mutating func read(file: String) throws(Stop) {
    let descriptor = try open(file)
    while try fill(from: descriptor, file) {
      try applyLines()
      // Whoever feeds line by line gets the answer line by line.
      try flush()
    }
    // The last line of a file may lack its line feed.
    guard !pending.isEmpty else { return }
    pending.append(UInt8(ascii: "\n"))
    try applyLines()
  }

  private func open(_ file: String) throws(Stop) -> Descriptor {
    do throws(Descriptor.Failure) {
      return file == "-" ? Descriptor.input : try Descriptor(reading: file)
    } catch {
      throw Stop(code: ExitCode.noInput, message: "\(file): \(error.detail)")
    }
  }

  private mutating func fill(
    from descriptor: borrowing Descriptor, _ file: String
  ) throws(Stop) -> Bool {
    do throws(Descriptor.Failure) {
      return try descriptor.read(upTo: ReplayCommand.blockBytes, into: &pending)
    } catch {
      throw Stop(code: ExitCode.noInput, message: "\(file): \(error.detail)")
    }
  }

  /// Applies all whole lines that were read.
  private mutating func applyLines() throws(Stop) {
    // Held apart, so that a line can be read while the rest is written.
    let block = pending
    var start = 0
    while let end = block[max(start, scanned)...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = replay.lines
      do throws(Malformed) {
        try replay.apply(block.span.extracting(start..<end), to: &written)
      } catch {
        throw Stop(code: ExitCode.malformedLine, message: "line \(line): \(error.reason)")
      }
      start = end + 1
      if written.count >= ReplayCommand.blockBytes { try flush() }
    }
    pending = Array(block[start...])
    scanned = pending.count
  }

  private mutating func flush() throws(Stop) {
    do throws(Descriptor.Failure) {
      try Descriptor.output.write(written)
    } catch {
      throw Stop(code: Console.outputCode(error), message: "standard output: \(error.detail)")
    }
    written.removeAll(keepingCapacity: true)
  }

  private static var help: String {
    """
    usage: rollcall replay [OPTION…] [FILE…]

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

    \(Option.help(ReplaySettings.options, defaults: ReplaySettings()))
    """
  }
}
