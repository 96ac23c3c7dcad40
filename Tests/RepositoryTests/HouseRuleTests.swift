import Testing

/// The rules of the house that a machine can check. Each test names the places that break one.
@Suite("House rules") struct HouseRuleTests {
  private let code = Repository.swiftFiles()
  private let sources = Repository.swiftFiles(under: "Sources/")

  @Test func `the files are found`() {
    #expect(sources.count > 10)
    #expect(Repository.scripts.count >= 4)
  }

  @Test func `a Swift file has at most 400 lines`() {
    #expect(code.filter { $0.lines.count > 401 }.map(\.path) == [])
  }

  @Test func `a line has at most 100 columns`() {
    #expect((code + Repository.scripts).flatMap { $0.places { $0[$1].count > 100 } } == [])
  }

  @Test func `no file or type has a name that says nothing`() throws {
    let words = "(Utils?|Utilities|Helpers?|Common|Manager|Base|Impl)"
    let type = "(struct|class|enum|actor|protocol|typealias) \\w*\(words)\\b"
    #expect(try code.flatMap { try $0.places(of: type) } == [])
    let name = try Regex("\(words)\\.swift$")
    #expect(code.map(\.path).filter { $0.contains(name) } == [])
  }

  @Test func `no error is thrown away`() throws {
    #expect(try code.flatMap { try $0.places(of: "\\btry[?!]") } == [])
    let emptyCatch = try Regex("catch[^{\\n]*\\{\\s*\\}")
    #expect(code.filter { $0.text.contains(emptyCatch) }.map(\.path) == [])
  }

  @Test func `every package and public declaration has a summary`() throws {
    let declaration = try Regex("^\\s*(@\\w+ )*(package|public) (?!import|extension)")
    let attribute = try Regex("^\\s*@\\w+(\\(.*\\))?$")
    let bare = sources.flatMap { file in
      file.places { lines, index in
        guard lines[index].contains(declaration) else { return false }
        let before = lines[..<index].last { !$0.contains(attribute) } ?? ""
        return !before.drop { $0 == " " }.hasPrefix("///")
      }
    }
    #expect(bare == [])
  }

  @Test func `@unchecked Sendable has its reason on the line above`() throws {
    let bare = sources.flatMap { file in
      file.places { lines, index in
        lines[index].contains("@unchecked Sendable")
          && (index == 0 || !lines[index - 1].drop { $0 == " " }.hasPrefix("//"))
      }
    }
    #expect(bare == [])
  }

  @Test func `nothing ends the process but the executable`() throws {
    let libraries = sources.filter { !$0.path.hasPrefix("Sources/rollcall/") }
    #expect(try libraries.flatMap { try $0.places(of: "\\b(fatalError|exit)\\(") } == [])
  }

  @Test func `no file speaks of the machine it was written on`() throws {
    // In pieces, so that this file keeps the rule, too.
    let folders = "/(wo" + "rk|ro" + "ot|ho" + "me)/"
    #expect(try Repository.files.flatMap { try $0.places(of: folders) } == [])
    let neighbour = "\\.\\./sha" + "red"
    let others = Repository.files.filter { $0.path != ".ci/run" }
    #expect(try others.flatMap { try $0.places(of: neighbour) } == [])
  }
}
