package import Core
import Lab

/// Changes golden records at random, but the same way for the same seed.
package struct Mutator {
  private var random: SplitMix64
  private let good: [Golden]
  /// The good ones and the bad ones.
  private let records: [Golden]
  /// The key of what it made last.
  package private(set) var key: [UInt8]?
  /// What it made last.
  package private(set) var value: [UInt8] = []

  /// A mutator of one topic's golden records.
  package init(_ topic: InputTopic, seed: UInt64) {
    random = SplitMix64(seed: seed &* 3 &+ UInt64(topic.rawValue))
    good = Golden.good.filter { $0.topic == topic }
    records = good + Golden.bad.filter { $0.topic == topic }
  }

  /// Makes the next record a good one in which one field has another value, of those that JSON
  /// allows.
  package mutating func changeOneField() {
    let golden = pick(good)
    key = golden.key
    value = golden.value
    guard let end = value.lastIndex(of: UInt8(ascii: "}")) else { return }
    // Of a name twice the last counts.
    value.insert(contentsOf: ", \"\(pick(Self.names))\": \(pick(Self.values))".utf8, at: end)
  }

  /// Makes the next record.
  package mutating func next() {
    let golden = pick(Bool.random(using: &random) ? good : records)
    key = golden.key
    value = golden.value
    repeat { mutate() } while Int.random(in: 0..<3, using: &random) == 0
    if Int.random(in: 0..<50, using: &random) == 0 {
      key = Bool.random(using: &random) ? nil : Array(pick(Self.values).utf8)
    }
  }

  private mutating func mutate() {
    let range = randomRange()
    switch Int.random(in: 0..<24, using: &random) {
    case 0: value.removeSubrange(range)
    case 1: value.insert(contentsOf: value[range], at: range.lowerBound)
    case 2: value.removeSubrange(range.lowerBound...)
    case 3: value.insert(UInt8.random(in: .min ... .max, using: &random), at: range.lowerBound)
    case 4:
      guard range.lowerBound < value.count else { return }
      value[range.lowerBound] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 5:
      let other = pick(records).value
      let end = Int.random(in: 0...other.count, using: &random)
      value.replaceSubrange(range, with: other[min(range.lowerBound, end)..<end])
    case 6: value.insert(contentsOf: pick(Self.scraps).utf8, at: range.lowerBound)
    case 7: nest(at: range.lowerBound)
    case 8...13: addMember()
    default: changeMember()
    }
  }

  /// Puts another value in the place of a member's.
  private mutating func changeMember() {
    let colons = value.indices.filter { value[$0] == UInt8(ascii: ":") }
    guard let colon = colons.randomElement(using: &random) else { return }
    let end = value[colon...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
    value.replaceSubrange((colon + 1)..<(end ?? value.count), with: pick(Self.values).utf8)
  }

  private mutating func addMember() {
    guard value.first == UInt8(ascii: "{") else { return }
    value.insert(contentsOf: "\"\(pick(Self.names))\": \(pick(Self.values)), ".utf8, at: 1)
  }

  private mutating func nest(at index: Int) {
    let depth = pick([1, 2, 1022, 1023, 1024])
    let text = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    value.insert(contentsOf: (Bool.random(using: &random) ? text : text + ",").utf8, at: index)
  }

  private mutating func randomRange() -> Range<Int> {
    let start = Int.random(in: 0...value.count, using: &random)
    let length = Int.random(in: 0...8, using: &random)
    return start..<min(value.count, start + length)
  }

  private mutating func pick<T>(_ choices: [T]) -> T {
    choices[Int.random(in: choices.indices, using: &random)]
  }

  private static let names = [
    "id", "messageUId", "sender", "receiverId", "receiverType", "category", "type", "sentAt",
    "parentMessageId", "needReceipt", "editedAt", "action", "actionBy", "actionOn",
    "conversationId", "receiptType", "messageId", "messageIds", "messageUIds", "conversation",
    "deliveredAt", "readAt", "unreadAt", "deletedBy", "deletedAt", "message", "\\u0069d", "",
  ]

  /// Values that JSON allows, though most fields do not.
  private static let values = [
    "null", "true", "false", "0", "-0", "1", "-1", "7.0", "1e0", "1e-400", "5e-324",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "18446744073709551615", "18446744073709551616", "99999999999999999999999999999999",
    "1.7976931348623157e308", "1.7976931348623158e308", "9223372036854775.807", "1771586990.25",
    "0.00049999999999999999", "\"\"", "\"g1\"", "\"u1\"", "\"group\"", "\"user\"", "\"read\"",
    "\"unread\"", "\"delivered\"", "\"action\"", "\"groupMember\"", "\"roster\"", "\"exempt\"",
    "\"a_user_b\"", "\"group_\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "[]", "{}", "[1]", "[null]",
    "[1, 2]", "[\"a\"]", "{\"uid\": \"u1\"}", "{\"uid\": 7}", "{\"id\": 37789}",
    "[{\"uid\": \"u1\", \"scope\": \"owner\"}]", "{\"id\": 37789, \"sender\": {\"uid\": \"u9\"}}",
    "\"" + String(repeating: "u", count: 128) + "\"",
    "\"" + String(repeating: "é", count: 65) + "\"",
  ]

  /// What breaks a text, or nearly does.
  private static let scraps = [
    "1e400", "-1e400", "1.797693134862315808e308", "-", "01", "1.", ".1", "1e", "+1", "\"\\ud800\"",
    "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\ud800\\\\udc00\"", "\"\\", "\"\\uD8\"", "\"",
    "\\u0000",
    "\u{1}", "\u{FEFF}", "\u{2028}", ",", ":", "{", "}", "[", "]", " ", "\n",
    "99999999999999999999",
  ]
}
