import Foundation

/// The files of this repository, as the rule tests see them.
struct Repository {
  /// A text file.
  struct File {
    /// The path from the repository's root on.
    var path: String
    var text: String
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// The anchors of a Markdown page's headings.
    var anchors: [String] {
      lines.filter { $0.hasPrefix("#") }.map { heading in
        let words = heading.drop { $0 == "#" || $0 == " " }.lowercased()
        return String(words.filter { $0.isLetter || $0.isNumber || " -_".contains($0) })
          .replacing(" ", with: "-")
      }
    }

    /// The places, as `path:line`, of the lines that fulfil a condition, which is given the lines
    /// and the index of one.
    func places(where condition: ([Substring], Int) -> Bool) -> [String] {
      let lines = lines
      return lines.indices.filter { condition(lines, $0) }.map { "\(path):\($0 + 1)" }
    }

    /// The places of the lines in which the pattern is found.
    func places(of pattern: String) throws -> [String] {
      let regex = try Regex(pattern)
      return places { $0[$1].contains(regex) }
    }
  }

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// What a build or a setup makes, and git's own.
  private static let madeFolders: Set = [".git", ".venv", "__pycache__"]

  /// Every text file that is not made by a build.
  static let files: [File] = {
    guard
      let paths = FileManager.default.enumerator(
        at: root, includingPropertiesForKeys: [.isRegularFileKey])
    else { return [] }
    var files: [File] = []
    for case let url as URL in paths {
      let name = url.lastPathComponent
      if madeFolders.contains(name) || name.hasPrefix(".build") {
        paths.skipDescendants()
      } else if let data = FileManager.default.contents(atPath: url.path),
        let text = String(data: data, encoding: .utf8)
      {
        files.append(File(path: String(url.path.dropFirst(root.path.count + 1)), text: text))
      }
    }
    return files.sorted { $0.path < $1.path }
  }()

  /// The Swift files, of one folder or of all.
  static func swiftFiles(under folder: String = "") -> [File] {
    files.filter { $0.path.hasPrefix(folder) && $0.path.hasSuffix(".swift") }
  }

  /// The scripts: files in `ops` without an ending whose first line says what runs them.
  static var scripts: [File] { files.filter { $0.text.hasPrefix("#!") } }
}
