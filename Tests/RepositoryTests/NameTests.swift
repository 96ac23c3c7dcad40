import Core
import Foundation
import Testing

@testable import rollcall

/// Names, fields and words are the same in the code, the schemas and the documents. That each field
/// of a schema is explained in `topics/README.md`, and each schema part of the AsyncAPI document,
/// is for `ops/check-topics`.
@Suite("Names") struct NameTests {
  private static func text(_ path: String) throws -> String {
    try #require(Repository.files.first { $0.path == path }, "no file \(path)").text
  }

  /// What the pattern's group matches in the files that begin with a path.
  private static func words(_ pattern: String, in prefix: String) throws -> Set<String> {
    let regex = try Regex(pattern, as: (Substring, Substring).self)
    return Set(
      Repository.files.filter { $0.path.hasPrefix(prefix) }
        .flatMap { $0.text.matches(of: regex).map { String($0.output.1) } })
  }

  @Test func `the fields that are written are those of the schemas`() throws {
    let written = try Self.words(#""(\w+)":"#, in: "Sources/Wire/Output/Encoder")
    #expect(try written == Schema.fields("event", "action-message", "status"))
    #expect(written.count > 40)
  }

  @Test func `the fields that are read are those of the schemas`() throws {
    let read = try Self.words(#"key == "(\w+)""#, in: "Sources/CSimdJSON/")
    let inputs = try Schema.fields("message", "membership", "action", "receipt", "delete")
    #expect(read == inputs.union(["uid"]))
    #expect(read.count > 20)
  }

  @Test func `the headers of rejections are those of the schema`() throws {
    let written = try Self.words(
      #"appendHeader\("([A-Za-z.]+)"\)"#, in: "Sources/Wire/Output/Encoder")
    #expect(try written == Schema.fields("rejected-headers"))
  }

  @Test func `causes and reasons are those of the schemas`() throws {
    let values = UInt8.min...UInt8.max
    let causes = values.compactMap { Cause(rawValue: $0)?.word.description }
    #expect(try Set(Schema.words(of: "cause", in: "event") ?? []) == Set(causes))
    let reasons = Tracking.allCases.compactMap { $0.reason?.description }
    #expect(try Set(Schema.words(of: "reason", in: "status") ?? []) == Set(reasons))
  }

  @Test(arguments: ["README.md", "topics/README.md"])
  func `every event, error code, cause and reason stands in both documents`(path: String) throws {
    let events = try Schema.file("event")["oneOf"] as? [[String: String]] ?? []
    #expect(events.count == 8)
    var names = events.compactMap { $0["$ref"]?.split(separator: "/").last.map(String.init) }
    names += ErrorCode.allCases.map(\.rawValue)
    if path.hasPrefix("topics/") {
      names += try Schema.words(of: "cause", in: "event") ?? []
      names += try Schema.words(of: "reason", in: "status") ?? []
    }
    let text = try Self.text(path)
    #expect(names.filter { !text.contains("`\($0)`") } == [])
  }

  @Test
  func `topics/README.md explains every error code and no other, in the code's order`() throws {
    let rows = try Self.text("topics/README.md").matches(of: /(?m)^\| `(ERR_\w+)` \| \S/)
    #expect(rows.map { String($0.output.1) } == ErrorCode.allCases.map(\.rawValue))
  }

  @Test func `every rule is an option of worker and replay, under its own name`() {
    let rules = Mirror(reflecting: Rules()).children.compactMap(\.label).map { name in
      name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
    }
    #expect(rules.count == 11)
    #expect(Set(ReplaySettings.options.map(\.name)) == Set(rules))
    #expect(Set(rules).subtracting(WorkerSettings.options.map(\.name)) == [])
  }
}
