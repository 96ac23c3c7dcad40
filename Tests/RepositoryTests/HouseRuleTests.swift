import Testing

/// The rules of the house that a machine can check. Each test names the places that break one.
@Suite("House rules")
struct HouseRuleTests {
  private let code = Repository.swiftFiles()
  private let sources = Repository.swiftFiles(under: "Sources/")

  @Test("the files are found")
  func filesAreFound() {
    #expect(sources.count > 10)
    #expect(Repository.scripts.count >= 4)
  }

  @Test("a Swift file has at most 400 lines")
  func fileLength() {
    #expect(code.filter { $0.lines.count > 401 }.map(\.path) == [])
  }

  @Test("a line has at most 100 columns")
  func lineLength() {
    #expect((code + Repository.scripts).flatMap { $0.places { $0[$1].count > 100 } } == [])
  }

  @Test("no file or type has a name that says nothing")
  func names() throws {
    let words = "(Utils?|Utilities|Helpers?|Common|Manager|Base|Impl)"
    let type = "(struct|class|enum|actor|protocol|typealias) \\w*\(words)\\b"
    #expect(try code.flatMap { try $0.places(of: type) } == [])
    let name = try Regex("\(words)\\.swift$")
    #expect(code.map(\.path).filter { $0.contains(name) } == [])
  }

  @Test("no error is thrown away")
  func errors() throws {
    #expect(try code.flatMap { try $0.places(of: "\\btry[?!]") } == [])
    let emptyCatch = try Regex("catch[^{\\n]*\\{\\s*\\}")
    #expect(code.filter { $0.text.contains(emptyCatch) }.map(\.path) == [])
  }

  @Test("every package and public declaration has a summary")
  func summaries() throws {
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

  @Test("@unchecked Sendable has its reason on the line above")
  func uncheckedSendable() throws {
    let bare = sources.flatMap { file in
      file.places { lines, index in
        lines[index].contains("@unchecked Sendable")
          && (index == 0 || !lines[index - 1].drop { $0 == " " }.hasPrefix("//"))
      }
    }
    #expect(bare == [])
  }

  @Test("nothing ends the process but the executable")
  func traps() throws {
    let libraries = sources.filter { !$0.path.hasPrefix("Sources/rollcall/") }
    #expect(try libraries.flatMap { try $0.places(of: "\\b(fatalError|exit)\\(") } == [])
  }

  @Test("no file speaks of the machine it was written on")
  func machine() throws {
    // In pieces, so that this file keeps the rule, too.
    let folders = "/(wo" + "rk|ro" + "ot|ho" + "me)/"
    #expect(try Repository.files.flatMap { try $0.places(of: folders) } == [])
    let neighbour = "\\.\\./sha" + "red"
    let others = Repository.files.filter { $0.path != ".ci/run" }
    #expect(try others.flatMap { try $0.places(of: neighbour) } == [])
  }
}
