import Foundation

/// What the tests read of the JSON Schemas.
enum Schema {
  /// A schema's file as Foundation reads JSON.
  static func file(_ name: String) throws -> [String: Any] {
    let url = Repository.root.appending(path: "topics/schemas/\(name).schema.json")
    return try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any] ?? [:]
  }

  /// The names of all fields that schemas and their parts speak of, without what they refer to.
  static func fields(_ names: String...) throws -> Set<String> {
    try names.reduce(into: []) { fields, name in collectFields(of: try file(name), into: &fields) }
  }

  /// The words that a field of a schema may be, as the first part that lists them says.
  static func words(of field: String, in name: String) throws -> [String]? {
    words(of: field, in: try file(name))
  }

  private static func collectFields(of value: Any, into fields: inout Set<String>) {
    for part in value as? [Any] ?? [] { collectFields(of: part, into: &fields) }
    for (name, part) in value as? [String: Any] ?? [:] where name != "examples" {
      if name == "properties" || name == "const", let properties = part as? [String: Any] {
        fields.formUnion(properties.keys)
      }
      collectFields(of: part, into: &fields)
    }
  }

  private static func words(of field: String, in value: Any) -> [String]? {
    guard let object = value as? [String: Any] else { return nil }
    if let schema = object[field] as? [String: Any], let words = schema["enum"] as? [String] {
      return words
    }
    return object.sorted { $0.key < $1.key }.lazy.compactMap { words(of: field, in: $0.value) }
      .first
  }
}
