@testable import Oracle

/// Writes JSON in many ways that mean the same: members in any order, space anywhere, characters
/// escaped, fields that nobody knows.
struct HistoryWriter {
  var random: HistoryRandom

  mutating func text(of value: JSON) -> String {
    var value = value
    if case .object(let members) = value {
      let noise: JSON = ["nested": [1, ["deep": .null]], "real": .real(-1.5e-3)]
      if random.chance(15) { value = value.adding("unknown", noise) }
      if random.chance(30) { value = .object(members.shuffled(using: &random)) }
    }
    return written(value)
  }

  private mutating func written(_ value: JSON) -> String {
    switch value {
    case .string(let text): return random.chance(10) ? escaped(text) : JSON.quoted(text)
    case .array(let values):
      return "[" + space() + values.map { written($0) }.joined(separator: "," + space())
        + space() + "]"
    case .object(let members):
      let texts = members.map { JSON.quoted($0.name) + space() + ":" + written($0.value) }
      return "{" + space() + texts.joined(separator: "," + space()) + space() + "}"
    default: return value.description
    }
  }

  private mutating func space() -> String {
    random.chance(90) ? "" : random.pick([" ", "  ", "\t"])
  }

  /// Every character as `\uXXXX`.
  private func escaped(_ text: Bytes) -> String {
    "\""
      + text.description.utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined() + "\""
  }
}
