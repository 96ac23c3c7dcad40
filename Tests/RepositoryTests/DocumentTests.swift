import Foundation
import Testing

/// What the contract and the pages for contributors name is there.
@Suite("Documents") struct DocumentTests {
  /// A page, without its blocks of code and without the sections that are still to come.
  private struct Page: CustomTestStringConvertible {
    var path: String
    var text: String

    var testDescription: String { path }

    init?(_ path: String) {
      guard let file = Repository.files.first(where: { $0.path == path }) else { return nil }
      self.path = path
      let sections = file.text.replacing(/(?m)^```[^`]*^```$/, with: "").split(separator: "\n## ")
      text = sections.filter { !$0.contains("\n> Not in this version yet.") }
        .joined(separator: "\n## ")
    }

    /// What stands in backticks.
    var code: [String] { text.matches(of: /`([^`\n]+)`/).map { String($0.output.1) } }

    /// The targets of its links.
    var links: [String] { text.matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) } }

    /// A path from its folder on, as one from the root on.
    func fromRoot(_ link: Substring) -> String {
      var parts = path.split(separator: "/").dropLast()
      for part in link.split(separator: "/") {
        if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
      }
      return parts.joined(separator: "/")
    }
  }

  private static let contract = Page("topics/CONTRACT.md")
  private static let contributing = Page("CONTRIBUTING.md")
  private static let sources = Page("Sources/README.md")
  private static let pages = [contract, contributing, sources].compactMap(\.self)

  /// The files and their folders; a folder that is made by a build is none.
  private static let places = Repository.files.reduce(into: Set<String>()) { places, file in
    var path = file.path[...]
    places.insert(String(path))
    while let slash = path.lastIndex(of: "/") {
      path = path[..<slash]
      places.insert(String(path))
    }
  }

  @Test func `the pages are found`() {
    #expect(Self.contract != nil)
    #expect(Self.contributing != nil)
  }

  @Test(arguments: pages)
  private func `what a page links to is there, the heading too`(_ page: Page) {
    let broken = page.links.filter { link in
      guard !link.hasPrefix("https://") else { return false }
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let path = parts[0].isEmpty ? page.path : page.fromRoot(parts[0])
      guard Self.places.contains(path) else { return true }
      guard let anchor = parts.dropFirst().first else { return false }
      let anchors = Repository.files.first { $0.path == path }?.anchors ?? []
      return !anchors.contains(String(anchor))
    }
    #expect(!page.links.isEmpty)
    #expect(broken == [])
  }

  @Test(arguments: pages)
  private func `a path in backticks is one of the repository's`(_ page: Page) {
    let top = Set(Self.places.filter { !$0.contains("/") })
    let missing = page.code.filter { code in
      // A script may have its options behind it.
      let word = code.prefix { $0 != " " }
      let parts = word.split(separator: "/", omittingEmptySubsequences: false)
      let isPath = word.contains("/") && top.contains(String(parts[0]))
      let isFile = word.wholeMatch(of: /[\w.+\/-]+\.(swift|md|json|yaml|py|cpp|h)/) != nil
      guard isPath || isFile else { return false }
      let path = word.hasSuffix("/") ? word.dropLast() : word
      return !Self.places.contains(String(path)) && !Self.places.contains(page.fromRoot(path))
    }
    #expect(missing == [])
  }

  @Test(arguments: [contributing, sources].compactMap(\.self))
  private func `a type in backticks is declared`(_ page: Page) throws {
    let declaration = try Regex(
      #"\b(?:struct|class|enum|actor|protocol|typealias|associatedtype) (\w+)"#,
      as: (Substring, Substring).self)
    let code = Repository.swiftFiles(under: "Sources/") + Repository.swiftFiles(under: "Tests/")
    let declared = Set(code.flatMap { $0.text.matches(of: declaration).map(\.output.1) })
    // Targets and folders, and what is Swift's own.
    let others: Set<Substring> = [
      "Int", "Int32", "Int64", "UInt8", "String", "Span", "Sendable", "Duration", "Error", "Result",
    ]
    let folders = Set(Self.places.compactMap { $0.split(separator: "/").last })
    let named = page.code.filter { $0.wholeMatch(of: /[A-Z]\w*(\.[A-Z]\w*)*/) != nil }
      .flatMap { $0.split(separator: ".") }
      // Words in capitals are error codes and variables of the environment.
      .filter { $0.contains(where: \.isLowercase) }
    #expect(named.count > 3)
    #expect(Set(named).subtracting(declared).subtracting(others).subtracting(folders) == [])
  }

  @Test func `a section of the contract that is referred to is there`() throws {
    let contract = try #require(Self.contract)
    let file = try #require(Repository.files.first { $0.path == contract.path })
    let headings = Set(file.text.matches(of: /(?m)^##+ (\d+(?:\.\d+)?)\b/).map(\.output.1))
    #expect(headings.count >= 13)
    let named = Repository.files.flatMap { file in
      file.text.matches(of: /\bsections? (\d+(?:\.\d+)?)(?: (?:and|to) (\d+(?:\.\d+)?))?/)
        .flatMap { [$0.output.1, $0.output.2].compactMap(\.self) }
    }
    #expect(named.count > 5)
    #expect(Set(named).subtracting(headings) == [])
  }
}
