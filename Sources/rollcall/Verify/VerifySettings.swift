import Core
import Wire
import Worker

/// What `rollcall verify` can be told.
struct VerifySettings: CommandSettings {
  var connection = Connection()
  var group = "rollcall"
  var skippedRecords: [SkippedRecord] = []
  /// The same by their topics.
  var skips: Set<WorkerConfiguration.Skip> = []
  /// How long the workers may take to apply everything before it is verified, in milliseconds; 0:
  /// what is applied now is verified.
  var wait: Int64 = 0
  /// Whether it begins with a state that it folds itself, instead of with the first records.
  var isFromState = false
  /// How long it then follows the pool, in milliseconds.
  var followed: Int64 = 60_000
  /// Empty: all of them.
  var partitions: [Int32] = []
  /// Input records of which the outcome is held in memory at a time: half a gigabyte.
  var shareRecords = 250_000
  var isJSON = false
  var rules = Rules()
  /// The rules that the command line names; the others are those that the state was written under.
  var namedRules: Set<String> = []

  /// The command's options.
  static var options: [Option<VerifySettings>] {
    Option.connection(\.connection) + [
      .text("group", "NAME", \.group, help: "The workers' consumer group."),
      .skip(\.skippedRecords, help: "An input record that the workers were told to skip."),
      .duration(
        "wait", \.wait,
        help:
          "How long it may wait first, until all is applied and no record waits for another. What "
          + "names a message that never comes waits for the workers' --grace: a shorter time ends "
          + "with 75 where there is such a record."
      ),
      .flag(
        "from-state", \.isFromState,
        help:
          "Begins with the state as it is now, follows the pool, and judges what comes in between; "
          + "for a pool whose first records are gone."),
      .duration(
        "for", \.followed,
        help: "How long it follows the pool then; SIGINT or SIGTERM ends that sooner."),
      partitionList,
      .number(
        "share-records", "COUNT", \.shareRecords, in: 1...1_000_000_000,
        help:
          "About how many input records it holds in memory at a time, 2 kB each; of a partition "
          + "with more it takes some conversations at a time, and reads it again for the others."),
      .flag(
        "json", \.isJSON,
        help: "Writes the verdict as a line of JSON, and the text to standard error."),
    ] + Option.rules(\.rules)
  }

  mutating func finish(_ parsed: ParsedArguments, _ environment: Environment) throws(UsageError) {
    namedRules = parsed.named
    skips = try SkippedRecord.resolve(skippedRecords, connection.names)
  }

  private static var partitionList: Option<VerifySettings> {
    Option(
      name: "partitions", metavar: "NUMBER,…", kind: .list(separator: ","),
      help: "Only these partitions.",
      set: { settings, value throws(BadValue) in
        for text in value.split(separator: ",", omittingEmptySubsequences: false) {
          guard let partition = Int32(text), partition >= 0 else {
            throw BadValue(allowed: "numbers from 0 on, such as 0,3,7")
          }
          if !settings.partitions.contains(partition) { settings.partitions.append(partition) }
        }
      }, show: { $0.partitions.map { "\($0)" }.joined(separator: ",") })
  }

  /// The rules to verify by, of a partition that was written under some.
  func rules(of record: PartitionRecord?) -> Rules {
    guard var rules = record?.rules else { return self.rules }
    for option in Option.rules(\Rules.self) where namedRules.contains(option.name) {
      // What it shows, it takes.
      do throws(BadValue) { try option.set(&rules, option.show(self.rules)) } catch {
        return self.rules
      }
    }
    return rules
  }
}
