import Foundation

/// A `rollcall worker` of a stage, over all its restarts.
final class WorkerProcess {
  /// Timeouts as short as Kafka's own limits allow, so that others take over soon.
  static let shortTimeouts = [
    "message.timeout.ms=4000", "transaction.timeout.ms=5000", "session.timeout.ms=6000",
    "heartbeat.interval.ms=500", "max.poll.interval.ms=20000", "socket.timeout.ms=4000",
  ].flatMap { ["--kafka", $0] }

  let instance: String
  /// All that it and its predecessors under the same id have logged.
  let log: URL
  private let arguments: [String]
  private(set) var process: ChildProcess

  /// Starts it.
  ///
  /// - Parameter isStatic: whether it keeps its place in the group over a restart; one that does is
  ///   a member until its session ends.
  init(_ stage: Stage, instance: String, _ options: [String] = [], isStatic: Bool = false) throws {
    self.instance = instance
    log = stage.folder.appending(path: "worker-\(instance).log")
    arguments =
      ["worker"] + stage.options + ["--group", stage.group, "--instance-id", instance]
      + ["--static-membership", "\(isStatic)"] + options
    process = try ChildProcess(arguments, output: log, errors: log)
  }

  /// Starts it again under the same id.
  func restart() throws {
    process = try ChildProcess(arguments, output: log, errors: log)
  }

  /// SIGKILL.
  func kill() throws {
    process.send(SIGKILL)
    _ = try process.end(within: .seconds(10))
  }

  /// SIGTERM.
  ///
  /// - Returns: its exit code, within the ten seconds that it has.
  func terminate() throws -> Int32 {
    process.send(SIGTERM)
    return try process.end(within: .seconds(10))
  }

  /// The lines of the log with this message.
  func lines(_ message: String) throws -> [LogLine] {
    try String(contentsOf: log, encoding: .utf8).split(separator: "\n").compactMap { line in
      guard line.contains("\"message\":\"\(message)\"") else { return nil }
      return LogLine(text: String(line))
    }
  }

  /// Waits for a line with this message, and more than `count` of them.
  func awaitLine(_ message: String, after count: Int = 0, within limit: Duration = .seconds(30))
    throws
  {
    try eventually("worker \(instance) logs \"\(message)\"", within: limit) {
      if try lines(message).count > count { return true }
      guard !process.isRunning else { return false }
      throw Missed(description: "worker \(instance) ended with \(process.code), see \(log.path)")
    }
  }
}

/// A line of a worker's log.
struct LogLine: CustomStringConvertible {
  let text: String

  var description: String { text }

  /// The value under a key: a number, or a list of numbers.
  func numbers(_ key: String) -> [Int] {
    guard let start = text.firstRange(of: "\"\(key)\":")?.upperBound else { return [] }
    let rest = text[start...]
    guard rest.hasPrefix("[") else {
      return Int(rest.prefix { $0.isNumber || $0 == "-" }).map { [$0] } ?? []
    }
    return rest.dropFirst().prefix { $0 != "]" }.split(separator: ",").compactMap { Int($0) }
  }
}
