import Testing

/// What each target may know of.
@Suite("Boundaries between targets") struct BoundaryTests {
  /// The modules that a target may import.
  private static let allowed: [(target: String, modules: Set<String>)] = [
    ("Core", []),
    ("Wire", ["Core", "CSimdJSON"]),
    ("Kafka", ["CKafka", "Glibc", "Synchronization"]),
    ("Worker", ["Core", "Wire", "Glibc", "Synchronization"]),
    ("Ops", ["CHTTP", "Glibc", "Synchronization"]),
    ("Oracle", []),
    ("Lab", ["Core", "Wire", "Worker", "Oracle", "Glibc", "Synchronization"]),
  ]

  @Test(arguments: allowed)
  func `a target imports only what it may know`(target: String, modules: Set<String>) throws {
    let statement = try Regex(
      "^(?:@\\w+ )*(?:\\w+ )?import (?:(?:struct|enum|func|class) )?(\\w+)",
      as: (Substring, Substring).self)
    let files = Repository.swiftFiles(under: "Sources/\(target)/")
    let foreign = files.flatMap { file in
      file.places { lines, index in
        guard let match = lines[index].firstMatch(of: statement) else { return false }
        return !modules.contains(String(match.output.1))
      }
    }
    #expect(foreign == [])
  }

  @Test func `unsafe code stands only where C libraries are used`() throws {
    let safe = ["Core", "Worker", "Oracle", "Lab"].flatMap {
      Repository.swiftFiles(under: "Sources/\($0)/")
    }
    #expect(try safe.flatMap { try $0.places(of: "^[^/\"]*\\bunsafe\\b") } == [])
  }
}
