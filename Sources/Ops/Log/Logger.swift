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
  package enum Value: Equatable, Sendable {
    case text(String)
    case number(Int64)
    case truth(Bool)
    case list([Value])

    /// A count.
    package static func count(_ count: Int) -> Value { .number(Int64(count)) }
    /// A list of numbers.
    package static func numbers(_ numbers: some Sequence<Int32>) -> Value {
      .list(numbers.map { .number(Int64($0)) })
    }
  }

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
    var line = "{"
    Logger.append(("time", .text(WallClock.text(now()))), to: &line)
    Logger.append(("level", .text(level.rawValue)), to: &line)
    Logger.append(("message", .text(message.description)), to: &line)
    for field in context + fields { Logger.append(field, to: &line) }
    line += "}\n"
    write(Array(line.utf8))
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

  private static func append(_ field: (String, Value), to line: inout String) {
    if line.utf8.count > 1 { line += "," }
    append(field.0, to: &line)
    line += ":"
    append(field.1, to: &line)
  }

  private static func append(_ value: Value, to line: inout String) {
    switch value {
    case .text(let text): append(text, to: &line)
    case .number(let number): line += String(number)
    case .truth(let truth): line += String(truth)
    case .list(let values):
      line += "["
      for (index, value) in values.enumerated() {
        if index > 0 { line += "," }
        append(value, to: &line)
      }
      line += "]"
    }
  }

  private static func append(_ text: String, to line: inout String) {
    line += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": line += "\\\""
      case "\\": line += "\\\\"
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      case "\t": line += "\\t"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: line.unicodeScalars.append(scalar)
      }
    }
    line += "\""
  }
}
