import Foundation
import Testing

@testable import rollcall

/// What the operator's handbook says of the program is so, and whole.
@Suite("Handbook") struct HandbookTests {
  private let text: String
  private let lines: [Substring]
  private let anchors: [String]

  init() throws {
    let file = try #require(Repository.files.first { $0.path == "ops/README.md" })
    text = file.text
    lines = file.lines
    anchors = file.anchors
  }

  /// The first cells of a table's rows, as code in a row may stand.
  private func rows(beginning start: String) -> [Substring] {
    lines.filter { $0.hasPrefix(start) }
  }

  @Test func `every reason of a stopped partition is there, with a remedy`() throws {
    let source = try #require(
      Repository.files.first { $0.path == "Sources/rollcall/Worker/PartitionFault+Text.swift" })
    let labels = source.text.matches(of: /case \.\w+: "([a-z_]+)"/).map(\.output.1)
    let told = lines.compactMap { $0.firstMatch(of: /^\| `([a-z]+_[a-z_]+)` \|/)?.output.1 }
    #expect(labels.count >= 8)
    #expect(Set(told) == Set(labels))
  }

  @Test func `every exit code is there`() throws {
    let source = try #require(
      Repository.files.first { $0.path == "Sources/rollcall/Process/ExitCode.swift" })
    let codes = source.text.matches(of: /static let \w+: Int32 = (\d+)/).map(\.output.1)
    #expect(codes.count >= 9)
    #expect(codes.filter { rows(beginning: "| \($0) |").isEmpty } == [])
  }

  @Test func `its tables of options are those of --help`() {
    let known = Set(WorkerSettings.options.map(\.name))
    let rows =
      Self.rows(of: TopicsSettings.options, TopicsSettings(), besides: known)
      + Self.rows(of: VerifySettings.options, VerifySettings(), besides: known)
    #expect(rows.count > 8)
    #expect(rows.filter { !lines.contains($0[...]) } == [])
    let told = lines.filter { $0.hasPrefix("| `--") && $0.hasSuffix(". |") }
    #expect(Set(told).subtracting(rows.map { $0[...] }) == [])
  }

  private static func rows<Settings>(
    of options: [rollcall.Option<Settings>], _ settings: Settings, besides known: Set<String>
  ) -> [String] {
    options.filter { !known.contains($0.name) }.map { option in
      var name = "--\(option.name)"
      if case .flag = option.kind {} else { name += " \(option.metavar)" }
      let value = option.show(settings)
      return "| `\(name)` | \(value.isEmpty ? "" : "`\(value)`") | \(option.help) |"
    }
  }

  @Test func `every option that it names is one of the program's`() {
    let own =
      WorkerSettings.options.map(\.name) + VerifySettings.options.map(\.name)
      + TopicsSettings.options.map(\.name) + LoadSettings.options.map(\.name)
    // Those of Kafka's own tools, and help.
    let others = [
      "bootstrap-server", "from-beginning", "isolation-level", "property", "delete", "describe",
      "broker-id", "help", "state", "start-offset", "transactional",
    ]
    let named = text.matches(of: /[ `(\[]--([a-z][a-z-]+)/).map { String($0.output.1) }
    #expect(named.count > 30)
    #expect(Set(named).subtracting(own + others) == [])
  }

  @Test func `what it alerts on is what the worker logs`() {
    let sources = Repository.swiftFiles(under: "Sources/rollcall/").map(\.text).joined()
    let table = lines.drop { $0 != "| message | means | do |" }.dropFirst(2)
    let messages = table.prefix { $0.hasPrefix("|") }.compactMap {
      $0.firstMatch(of: /^\| `([^`]+)`/)?.output.1
    }
    #expect(messages.count >= 5)
    #expect(messages.filter { !sources.contains("\"\($0)\"") } == [])
  }

  @Test func `what it links to is there`() {
    let targets = text.matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) }
    let missing = targets.filter { target in
      target.hasPrefix("#")
        ? !anchors.contains(String(target.dropFirst()))
        : !FileManager.default.fileExists(
          atPath: Repository.root.appending(path: "ops/\(target)").path)
    }
    #expect(targets.count > 20)
    #expect(missing == [])
  }
}
