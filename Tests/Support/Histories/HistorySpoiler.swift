@testable import Oracle

/// Makes a bad record of a good one: one field changed, taken away or cut.
struct HistorySpoiler {
  var random: HistoryRandom

  private static let odd: [JSON] = [
    .null, "x", "", 7, 0, -1, true, .real(1.5), [], ["uid": ""], ["uid": 4], [1, 2], "group",
    .string(Bytes(String(repeating: "x", count: 129))), .int(.max),
  ]

  /// Numbers and texts that no JSON value of ours can hold.
  private static let oddTexts = [
    "99999999999999999999", "-99999999999999999999", "1e400", "1e300", "7.0", "1e2", "01", "--1",
    "\"\\ud800\"", "\"\\q\"", "tru", "\"open",
  ]

  mutating func spoil(_ value: JSON) -> Bytes {
    guard case .object(var members) = value, !members.isEmpty else { return "[]" }
    let index = random.count(0...(members.count - 1))
    let text = value.description
    switch random.count(0...9) {
    case 0: members.remove(at: index)
    case 1...5: members[index].value = random.pick(HistorySpoiler.odd)
    case 6:
      let marker = JSON.string("MARK")
      members[index].value = marker
      let marked = JSON.object(members).description
      return Bytes(
        marked.split(separator: marker.description, omittingEmptySubsequences: false)
          .joined(separator: random.pick(HistorySpoiler.oddTexts)))
    case 7: return Bytes(String(text.prefix(random.count(0...(text.count - 1)))))
    case 8: return random.pick(["", "[]", "null", "7", "\"text\"", "{} {}", "{}"])
    default:
      members.append(.init(name: "conversationId", value: .string("group_elsewhere")))
    }
    return Bytes(JSON.object(members).description)
  }
}
