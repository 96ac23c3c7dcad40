/// A JSON value, with integers kept apart from other numbers.
indirect enum JSON: Equatable, Sendable, CustomStringConvertible {
  case null
  case bool(Bool)
  /// Written without fraction or exponent, and inside Int64.
  case int(Int64)
  case real(Double)
  case string(Bytes)
  case array([JSON])
  case object([Member])

  struct Member: Sendable {
    var name: Bytes
    var value: JSON
  }

  subscript(name: Bytes) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// The values are equal; the order of an object's members does not matter.
  static func == (a: JSON, b: JSON) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.bool(let a), .bool(let b)): return a == b
    case (.int(let a), .int(let b)): return a == b
    case (.real(let a), .real(let b)): return a == b
    case (.string(let a), .string(let b)): return a == b
    case (.array(let a), .array(let b)): return a == b
    case (.object(let a), .object(let b)):
      let names = Set(a.map(\.name))
      guard a.count == b.count, names.count == a.count else { return false }
      return a.allSatisfy { member in
        b.contains { $0.name == member.name && $0.value == member.value }
      }
    default: return false
    }
  }

  /// The value as JSON text, names in the order they have.
  var description: String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .int(let value): return String(value)
    case .real(let value): return String(value)
    case .string(let text): return JSON.quoted(text)
    case .array(let values): return "[" + values.map(\.description).joined(separator: ",") + "]"
    case .object(let members):
      let texts = members.map { JSON.quoted($0.name) + ":" + $0.value.description }
      return "{" + texts.joined(separator: ",") + "}"
    }
  }

  static func quoted(_ text: Bytes) -> String {
    var quoted = "\""
    for scalar in text.description.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByBooleanLiteral
{
  init(stringLiteral text: String) { self = .string(Bytes(text)) }
  init(integerLiteral value: Int64) { self = .int(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(name: Bytes($0.0), value: $0.1) })
  }

  /// A time in milliseconds as the wire has it: in seconds, with a fraction only where needed.
  static func seconds(_ milliseconds: Int64) -> JSON {
    milliseconds % 1000 == 0 ? .int(milliseconds / 1000) : .real(Double(milliseconds) / 1000)
  }

  /// The same object with one more member, which takes the place of one of its name; itself where
  /// the value is nil.
  func adding(_ name: String, _ value: JSON?) -> JSON {
    guard case .object(let members) = self, let value else { return self }
    let others = members.filter { $0.name != Bytes(name) }
    return .object(others + [Member(name: Bytes(name), value: value)])
  }
}
