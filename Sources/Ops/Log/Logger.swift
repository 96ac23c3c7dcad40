/// Writes what an operator should know: one JSON object a line, a constant message and typed keys.
package struct Logger: Sendable {
  /// How much a line matters.
  package enum Level: String, CaseIterable, Comparable, Sendable {
    /// An operator must act.
    case error
    /// A promise was bent.
    case warning
    /// Life cycle.
    case info
    /// Each step.
    case debug

    /// Whether a level matters more than another.
    package static func < (a: Level, b: Level) -> Bool { a.rank < b.rank }

    private var rank: Int { Level.allCases.firstIndex(of: self) ?? 0 }
  }

  /// What stands under a key.
  package typealias Value = JSONValue

  private let least: Level
  private let context: [(String, Value)]
  private let now: @Sendable () -> Int64
  private let write: @Sendable ([UInt8]) -> Void

  /// A logger that leaves out what matters less than `least`.
  ///
  /// - Parameters:
  ///   - now: the time of a line, in milliseconds since the Unix epoch.
  ///   - write: takes a whole line, its line feed included, on any thread.
  package init(
    least: Level, now: @escaping @Sendable () -> Int64 = { WallClock.milliseconds },
    write: @escaping @Sendable ([UInt8]) -> Void = Logger.toStandardError
  ) {
    self.init(least: least, context: [], now: now, write: write)
  }

  private init(
    least: Level, context: [(String, Value)], now: @escaping @Sendable () -> Int64,
    write: @escaping @Sendable ([UInt8]) -> Void
  ) {
    self.least = least
    self.context = context
    self.now = now
    self.write = write
  }

  /// A logger whose lines all carry these keys.
  package func with(_ fields: KeyValuePairs<String, Value>) -> Logger {
    Logger(least: least, context: context + fields.map { ($0, $1) }, now: now, write: write)
  }

  /// Writes a line with these keys.
  package func log(
    _ level: Level, _ message: StaticString, _ fields: KeyValuePairs<String, Value> = [:]
  ) {
    log(level, message, fields.map { ($0, $1) })
  }

  /// Writes a line with keys that are made up at run time.
  package func log(_ level: Level, _ message: StaticString, _ fields: [(String, Value)]) {
    guard level <= least else { return }
    let head: [(String, Value)] = [
      ("time", .text(WallClock.text(now()))), ("level", .text(level.rawValue)),
      ("message", .text(message.description)),
    ]
    var line: [UInt8] = []
    Value.object(head + context + fields).append(to: &line)
    line.append(UInt8(ascii: "\n"))
    write(line)
  }

  /// Writes to standard error, in one piece.
  package static let toStandardError: @Sendable ([UInt8]) -> Void = { line in
    do throws(Descriptor.Failure) {
      try Descriptor.error.write(line)
    } catch {
      // A log that nobody can read is no reason to stop.
      return
    }
  }
}
