package import Foundation
import Synchronization

/// The one broker of a test process, run by `ops/broker`: Apache Kafka where `KAFKA_HOME` is set,
/// else noida-db. It is started by the first test that needs it, and ends, however the process
/// ends, with the process.
package final class Broker: Sendable {
  /// Whether it is Apache Kafka, which alone fences by generation, keeps timeouts and survives a
  /// kill.
  package static let isKafka = ProcessInfo.processInfo.environment["KAFKA_HOME"] != nil

  /// Whether there is any broker to start.
  package static let isAvailable =
    isKafka
    || FileManager.default.fileExists(atPath: root.appending(path: ".venv/bin/noida-db").path)

  /// The broker of this process.
  ///
  /// - Throws: what `ops/broker` says when it cannot start one, at each call.
  package static func shared() throws -> Broker { try started.get() }

  /// The package's folder.
  package static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Where clients connect, `host:port`.
  package let bootstrapServers: String
  private let folder: String
  private let topics = Atomic(0)

  private static let started = Result { try Broker() }

  private init() throws {
    let name = "rollcall-tests-\(ProcessInfo.processInfo.processIdentifier)"
    folder = FileManager.default.temporaryDirectory.appending(path: name).path
    let pid = "\(ProcessInfo.processInfo.processIdentifier)"
    bootstrapServers = try Self.run(["start", folder, "--parent", pid])
  }

  /// Ends it at once; `start` brings it back with its data and on its port.
  package func kill() throws { _ = try Self.run(["kill", folder]) }

  /// Starts it again after `kill`.
  package func start() throws { _ = try Self.run(["start", folder]) }

  /// Has it do nothing for the while that `body` takes.
  package func paused<R>(_ body: () throws -> R) throws -> R {
    _ = try Self.run(["pause", folder])
    let result = Result { try body() }
    _ = try Self.run(["resume", folder])
    return try result.get()
  }

  /// A name that no other test of the process uses.
  package func name(_ what: String) -> String {
    "\(what)-\(topics.wrappingAdd(1, ordering: .relaxed).newValue)"
  }

  /// Runs `ops/broker` and returns its first line.
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
