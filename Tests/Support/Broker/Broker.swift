package import Foundation
import Synchronization

/// A broker for tests, run by `ops/broker`: Apache Kafka where `KAFKA_HOME` is set, else noida-db.
/// However the test process ends, the broker ends with it.
package final class Broker: Sendable {
  /// Whether it is Apache Kafka, which alone fences by generation, keeps timeouts and survives a
  /// kill.
  package static let isKafka = ProcessInfo.processInfo.environment["KAFKA_HOME"] != nil

  /// Whether there is any broker to start.
  package static let isAvailable =
    isKafka
    || FileManager.default.fileExists(atPath: root.appending(path: ".venv/bin/noida-db").path)

  /// The package's folder.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The one broker that the tests of a process share, started by the first that needs it. Nobody
  /// stops or pauses it.
  ///
  /// - Throws: what `ops/broker` says when it cannot start one, at each call.
  package static func shared() throws -> Broker { try undisturbed.get() }

  /// For a broker of one node that is paused and never killed: it does not take itself for dead
  /// meanwhile. Kafka 4.4 can forget a transaction that ends while a partition has no leader.
  package static let pausable = isKafka ? ["broker.session.timeout.ms=60000"] : []

  private static let undisturbed = Result { try Broker() }
  private static let count = Atomic(0)

  /// Where clients connect: `host:port`, separated by commas.
  package let bootstrapServers: String
  private let folder: String

  /// Starts a broker of a test's own, to be killed and paused at will.
  ///
  /// - Parameter settings: `name=value` of Apache Kafka's.
  package init(nodes: Int = 1, settings: [String] = []) throws {
    let pid = "\(ProcessInfo.processInfo.processIdentifier)"
    let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    folder =
      FileManager.default.temporaryDirectory
      .appending(path: "rollcall-tests-\(pid)-\(number)").path
    bootstrapServers = try Self.run(
      ["start", folder, "--parent", pid, "--nodes", "\(nodes)"]
        + settings.flatMap { ["--set", $0] })
  }

  /// Ends a broker of a test's own for good, with its data.
  package func end() {
    do {
      try run("kill", nil)
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      print("a broker of the tests does not end well: \(error)")
    }
  }

  /// Ends it (or one of its nodes, from 1) at once; `start` brings it back, with its data and on
  /// its port.
  package func kill(_ node: Int? = nil) throws { try run("kill", node) }

  /// Starts again what was killed, and waits until it answers.
  package func start(_ node: Int? = nil) throws { try run("start", node) }

  /// Has it do nothing for the while that `body` takes, and waits until it answers again.
  package func paused<R>(_ node: Int? = nil, _ body: () throws -> R) throws -> R {
    try run("pause", node)
    let result = Result { try body() }
    try run("resume", node)
    return try result.get()
  }

  /// Runs one of Apache Kafka's command line classes.
  package func run(tool name: String, _ arguments: [String]) throws {
    _ = try Self.run(["tool", folder, name] + arguments)
  }

  /// A name for a topic or a group that no other test of the process uses.
  package static func name(_ what: String) -> String {
    "\(what)-\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
  }

  private func run(_ command: String, _ node: Int?) throws {
    _ = try Self.run([command, folder] + (node.map { ["\($0)"] } ?? []))
  }

  /// Runs `ops/broker` and returns what it printed.
  private static func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = root.appending(path: "ops/broker")
    process.arguments = arguments
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BrokerError(description: complaint) }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// Why `ops/broker` failed, in its own words.
package struct BrokerError: Error, CustomStringConvertible {
  /// What it wrote to standard error.
  package let description: String
}
