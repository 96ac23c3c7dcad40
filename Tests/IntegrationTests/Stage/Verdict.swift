import Foundation
import Testing

@testable import rollcall

/// What `rollcall verify` says of what a pool has left on the broker.
struct Verdict: CustomStringConvertible {
  /// What the command ended with.
  let code: Int32
  /// The numbers of its line of JSON.
  private(set) var counts: [String: Int] = [:]
  /// How many records are rejected, by code.
  private(set) var rejections: [String: Int] = [:]
  /// The verdict in words, or why there is none.
  let text: String

  init(_ stage: Stage, _ options: [String] = []) throws {
    let command = try stage.run(["verify", "--json", "--group", stage.group] + options)
    try self.init(code: command.code, json: command.output, text: command.errors)
  }

  /// Reads what the command has said.
  init(code: Int32, json output: String, text: String) throws {
    self.code = code
    self.text = text
    guard !output.isEmpty else { return }
    let json =
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
    counts = json.compactMapValues { $0 as? Int }
    rejections = json["rejections"] as? [String: Int] ?? [:]
    for name in ["partitions", "recordsRead", "seconds"] { counts[name] = nil }
  }

  var description: String { "\(code) \(text)" }

  /// Expects no fault, all inputs applied, and at least this many announcements.
  func expectRight(announced least: Int) {
    #expect(code == ExitCode.done, "\(self)")
    #expect(counts["notApplied"] == 0, "\(self)")
    #expect(counts["announced"] == counts["expected"])
    #expect(counts["announced"] ?? -1 >= least, "\(self)")
  }
}
