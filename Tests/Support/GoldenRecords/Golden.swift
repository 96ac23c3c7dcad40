package import Core
import Foundation

/// One file of `topics/golden`: a line as `replay` reads it, `{"topic": …, "key": …, "value": …}`
/// with exactly these spaces, or with `"raw": "the value's text"` in place of the value.
///
/// `good/<topic>.<reason>.json` decodes; `bad/<topic>.<reason>.<code>[.<field>].json` is rejected
/// with this code and field.
package struct Golden: CustomStringConvertible, Sendable {
  /// The file's name without `.json`.
  package var name: String
  /// The topic it is made for.
  package var topic: InputTopic
  /// The key, if it has one.
  package var key: [UInt8]?
  /// The value.
  package var value: [UInt8]
  /// The code that a bad one is rejected with.
  package var code: String?
  /// The field that the rejection names, if one.
  package var field: String?

  /// The name.
  package var description: String { name }

  /// Those that decode.
  package static let good = load("good")
  /// Those that do not.
  package static let bad = load("bad")

  private static func load(_ folder: String) -> [Golden] {
    let directory = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../topics/golden/\(folder)").standardized
    do {
      let files = try FileManager.default.contentsOfDirectory(
        at: directory, includingPropertiesForKeys: nil)
      return try files.sorted { $0.path < $1.path }.map(Golden.init)
    } catch {
      preconditionFailure("\(directory.path): \(error)")
    }
  }

  private init(_ file: URL) throws {
    let name = file.deletingPathExtension().lastPathComponent
    let parts = name.split(separator: ".", maxSplits: 3).map(String.init)
    let line = try String(contentsOf: file, encoding: .utf8).trimmingSuffix("}\n")
    guard let topic = InputTopic(named: parts[0]), let line else { throw Malformed(name: name) }
    var head = line
    var raw: [UInt8]?
    if let range = line.range(of: ", \"value\": ") {
      head = String(line[..<range.lowerBound])
      raw = Array(line[range.upperBound...].utf8)
    }
    let members = try JSONDecoder().decode(Head.self, from: Data((head + "}").utf8))
    guard members.topic == parts[0], let value = raw ?? members.raw.map({ Array($0.utf8) }) else {
      throw Malformed(name: name)
    }
    self.name = name
    self.topic = topic
    self.value = value
    key = members.key.map { Array($0.utf8) }
    code = parts.count > 2 ? parts[2] : nil
    field = parts.count > 3 ? parts[3] : nil
  }

  private struct Head: Decodable {
    var topic: String
    var key: String?
    var raw: String?
  }

  private struct Malformed: Error {
    var name: String
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String? {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil
  }
}

extension InputTopic {
  /// The topic that the contract calls `chat.<name>`.
  fileprivate init?(named name: String) {
    switch name {
    case "messages": self = .messages
    case "receipts": self = .receipts
    case "deletes": self = .deletes
    default: return nil
    }
  }
}
