import Foundation
import Testing

@testable import Histories
@testable import Oracle
@testable import Scenarios

@Suite("Processes") struct ProcessTests {
  @Test(arguments: History.seeds(6))
  func `two processes, each with hash seeds of its own, write the same bytes as this one`(
    _ seed: UInt64
  ) throws {
    let history = HistoryGenerator.history(seed)
    var engine = try ReplayEngine(history.options)
    let expected = try history.lines.flatMap { line in try engine.write(line.text) }
    for _ in 0..<2 {
      let written = try ReplayProcess.run(history)
      #expect(written == expected, "\(history.command)")
    }
  }
}

/// `rollcall replay`, built beside the tests, as a process.
enum ReplayProcess {
  /// It ended otherwise than well.
  struct Failed: Error {
    var status: Int32
    var complaint: String
  }

  static func run(_ history: History) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "rollcall")
    process.arguments = ["replay"] + history.options.sorted { $0.key < $1.key }.flatMap(argument)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
    }
    // Files, so that no pipe fills up while nobody reads it.
    let input = folder.appending(path: "in")
    let text = history.lines.flatMap { $0.text.bytes + [UInt8(ascii: "\n")] }
    try Data(text).write(to: input)
    let files = try ["out", "error"].map { name in
      let file = folder.appending(path: name)
      try Data().write(to: file)
      return (url: file, handle: try FileHandle(forWritingTo: file))
    }
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = files[0].handle
    process.standardError = files[1].handle
    try process.run()
    process.waitUntilExit()
    let written = try files.map { file in try Data(contentsOf: file.url) }
    guard process.terminationStatus == 0 else {
      throw Failed(
        status: process.terminationStatus, complaint: String(decoding: written[1], as: UTF8.self))
    }
    return Array(written[0])
  }

  /// An option as the command line has it: in kebab case.
  private static func argument(_ name: String, _ value: String) -> [String] {
    let kebab = name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
    return ["--" + kebab, value]
  }
}
