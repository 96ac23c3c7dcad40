import Testing

/// The rooms inside the targets: small enough to be seen at a glance, and never in a ring.
@Suite("Rooms of the targets") struct RoomTests {
  private let sources = Repository.swiftFiles(under: "Sources/")

  @Test func `a folder of Sources has at most 16 files side by side`() {
    let folders = Dictionary(grouping: sources.map(\.path)) { Self.folder(of: $0) }
    #expect(folders.filter { $0.value.count > 16 }.map(\.key).sorted() == [])
  }

  @Test func `a function has at most 70 lines`() throws {
    let head = try Regex("^( *)[^/\"]*\\b(?:func [^ ]|init[?]?[(<]|subscript[(<]|deinit \\{)")
    let long = Repository.swiftFiles().flatMap { file in
      file.places { lines, index in
        guard lines[index].contains(head), !lines[index].hasSuffix("}") else { return false }
        let indent = lines[index].prefix { $0 == " " }
        let end = lines[index...].firstIndex { $0.hasPrefix("\(indent)}") } ?? index
        return end - index >= 70
      }
    }
    #expect(long == [])
  }

  @Test(
    arguments: Set(Repository.swiftFiles(under: "Sources/").map { RoomTests.target(of: $0.path) })
      .sorted())
  func `no folder of a target needs another one that needs it`(target: String) throws {
    let rooms = try Rooms(sources.filter { Self.target(of: $0.path) == target })
    #expect(rooms.rings == [])
  }

  private static func folder(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  private static func target(of path: String) -> String {
    path.split(separator: "/").prefix(2).joined(separator: "/")
  }

  /// The folders of one target, and the types by which they need one another.
  private struct Rooms {
    /// For each folder, the folders whose types it names, each with the place of one.
    private var needs: [String: [String: String]] = [:]

    init(_ files: [Repository.File]) throws {
      let word = try Regex("\\b[A-Z]\\w+")
      let declaration = try Regex(
        "^(?!.*private )(?:[@\\w()]+ )*(?:struct|class|enum|protocol|typealias) (\\w+)",
        as: (Substring, Substring).self)
      let codes = try files.map { (path: $0.path, lines: try Self.code(of: $0)) }
      var homes: [Substring: String] = [:]
      for (path, lines) in codes {
        for line in lines {
          guard let match = line.firstMatch(of: declaration) else { continue }
          homes[match.output.1] = RoomTests.folder(of: path)
        }
      }
      for (path, lines) in codes {
        let folder = RoomTests.folder(of: path)
        for (index, line) in lines.enumerated() {
          for match in line.matches(of: word) {
            guard let home = homes[line[match.range]], home != folder else { continue }
            needs[folder, default: [:]][home] = "\(path):\(index + 1) \(line[match.range])"
          }
        }
      }
    }

    /// What lies on a ring: a folder, one that it needs, and where.
    var rings: [String] {
      needs.keys.sorted().flatMap { folder in
        (needs[folder] ?? [:]).sorted { $0.key < $1.key }.compactMap { needed, place in
          reaches(folder, from: needed) ? "\(folder) needs \(needed), at \(place)" : nil
        }
      }
    }

    private func reaches(_ folder: String, from start: String) -> Bool {
      var seen: Set<String> = []
      var left = [start]
      while let next = left.popLast() {
        if next == folder { return true }
        guard seen.insert(next).inserted else { continue }
        left += (needs[next] ?? [:]).keys
      }
      return false
    }

    /// The lines without comments and texts.
    private static func code(of file: Repository.File) throws -> [Substring] {
      let comment = try Regex("//.*")
      let text = try Regex("\"(?:\\\\.|[^\"\\\\])*\"")
      return file.lines.map { $0.replacing(text, with: "").replacing(comment, with: "") }
        .map { $0[...] }
    }
  }
}
