import Core
import Foundation
import Testing
import Worker

@testable import rollcall

/// What the README says of the program is so.
@Suite("README") struct ReadmeTests {
  private let text: String
  private let lines: Set<String>

  init() throws {
    let file = try #require(Repository.files.first { $0.path == "README.md" })
    text = file.text
    lines = Set(file.lines.map(String.init))
  }

  @Test func `its table of options is the worker's --help`() {
    let rows = WorkerSettings.options.map { option in
      let name = "--\(option.name)" + (option.kind.isFlag ? "" : " \(option.metavar)")
      let shown = option.show(WorkerSettings())
      let value =
        switch option.name {
        case "instance-id": "the host's name"
        default: shown.isEmpty ? "" : "`\(shown)`"
        }
      return "| `\(name.replacing("|", with: "\\|"))` | \(value) | \(option.help) |"
    }
    #expect(Set(rows).subtracting(lines) == [])
    #expect(lines.filter { $0.hasPrefix("| `--") }.subtracting(rows) == [])
  }

  @Test func `it names every topic and every error code`() {
    let names = Topic.allCases.map(\.defaultName) + ErrorCode.allCases.map(\.rawValue)
    #expect(names.filter { !text.contains("`\($0)`") } == [])
  }

  @Test func `what it links to is there`() {
    let targets = text.matches(of: /\]\(([^)#]+)\)/).map { String($0.output.1) }
    let missing = targets.filter { target in
      !target.hasPrefix("https://")
        && !FileManager.default.fileExists(atPath: Repository.root.appending(path: target).path)
    }
    #expect(targets.count > 5)
    #expect(missing == [])
  }
}

extension Option.Kind {
  fileprivate var isFlag: Bool {
    if case .flag = self { true } else { false }
  }
}
