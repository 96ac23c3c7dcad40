import Core
import Foundation
import Lab
import Testing
import Wire

@testable import Histories
@testable import Oracle
@testable import Scenarios

@Suite("Schemas") struct SchemaTests {
  @Test(.enabled(if: Validation.isAvailable, "ops/setup makes the Python that validates"))
  func `every record that is written is as the schemas say, and every kind of record is`() throws {
    var written = try Scenario.all().flatMap { scenario in
      try Self.outputs(of: scenario.steps.flatMap { $0.lines.map { Bytes($0) } }, scenario.options)
    }
    written += try Self.outputs(of: Self.examples(), [:])
    for seed in History.seeds(60) {
      for history in [HistoryGenerator.history(seed), .init(freeOfOrder: seed)] {
        written += try Self.outputs(of: history.lines.map(\.text), history.options)
      }
    }
    written += try Self.outputs(of: Self.traffic(), ["maxWaitingPerConversation": "100000"])
    let verdict = try Validation.run(written)
    #expect(verdict.status == 0, "\(verdict.text)")
  }

  private static func outputs(of lines: [Bytes], _ options: [String: String]) throws -> [UInt8] {
    var engine = try ReplayEngine(options)
    return try lines.flatMap { line in try engine.write(line) }
  }

  /// The examples of the topics' documents.
  private static func examples() throws -> [Bytes] {
    let file = Validation.root.appending(path: "topics/examples.jsonl")
    return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map { Bytes($0) }
  }

  /// What `rollcall load` writes, as lines.
  private static func traffic() -> [Bytes] {
    var workload = Workload(seed: 1, options: WorkloadOptions(.dirty), partitionCount: 1)
    return (0..<20_000).compactMap { _ in
      workload.next().map { record in
        Bytes(
          """
          {"topic":"\(record.topic)","key":\(JSON.quoted(text(record.key))),\
          "timestamp":\(record.time.milliseconds),"raw":\(JSON.quoted(text(record.value)))}
          """)
      }
    }
  }

  /// With U+FFFD where bytes are not UTF-8, which a line cannot hold.
  private static func text(_ bytes: [UInt8]) -> Bytes {
    Bytes(String(decoding: bytes, as: UTF8.self))
  }
}

extension History {
  fileprivate init(freeOfOrder seed: UInt64) { self = HistoryGenerator.historyFreeOfOrder(seed) }
}

/// `ops/check-records` as a process.
private enum Validation {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let python = root.appending(path: ".venv/bin/python").path

  static let isAvailable = FileManager.default.isExecutableFile(atPath: python)

  /// Validates lines that `rollcall replay` has written.
  static func run(_ written: [UInt8]) throws -> (status: Int32, text: String) {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(written).write(to: file)
    defer {
      do { try FileManager.default.removeItem(at: file) } catch { Issue.record(error) }
    }
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [root.appending(path: "ops/check-records").path, file.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
