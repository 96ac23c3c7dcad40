import Foundation
import Testing

/// The README's table of what chat backends expect: each row names what shows it.
@Suite("Mission table") struct MissionTests {
  /// One row: the feature, how Rollcall does it, what shows it.
  private let rows: [[String]]

  init() throws {
    let readme = try #require(Repository.files.first { $0.path == "README.md" })
    rows = readme.lines.drop { $0 != "| feature | in Rollcall | shown by |" }.dropFirst(2)
      .prefix { $0.hasPrefix("| ") }
      .map { line in
        line.split(separator: " | ").map { $0.trimmingCharacters(in: ["|", " "]) }
      }
  }

  @Test func `each row has three cells, and nothing comes twice`() {
    #expect(rows.count >= 40)
    #expect(rows.filter { $0.count != 3 } == [])
    #expect(Set(rows.map(\.first)).count == rows.count)
  }

  @Test func `what a row is shown by is there: a scenario or a test, or it comes next`() throws {
    let known = try Self.scenarios().union(try Self.tests())
    #expect(known.count > 200)
    for row in rows {
      let cell = row.last ?? ""
      let names = cell.matches(of: /"([^"]+)"/).map { String($0.output.1) }
      #expect(names.filter { !known.contains($0) } == [])
      #expect(cell == "next" || !names.isEmpty, "\(row)")
    }
    #expect(rows.contains { $0.last == "next" })
  }

  private static func scenarios() throws -> Set<String> {
    struct Scenario: Decodable { var name: String }
    let files = Repository.files.filter {
      $0.path.hasPrefix("Tests/ContractTests/Scenarios/Cases/") && $0.path.hasSuffix(".json")
    }
    return try files.reduce(into: []) { names, file in
      let scenarios = try JSONDecoder().decode([Scenario].self, from: Data(file.text.utf8))
      names.formUnion(scenarios.map(\.name))
    }
  }

  private static func tests() throws -> Set<String> {
    let name = try Regex(#"@(?:Test|Suite)\(\s*"([^"]+)"|func `([^`]+)`"#)
    let matches = Repository.swiftFiles(under: "Tests/").flatMap { $0.text.matches(of: name) }
    return Set(
      matches.compactMap { ($0.output[1].substring ?? $0.output[2].substring).map(String.init) })
  }
}
