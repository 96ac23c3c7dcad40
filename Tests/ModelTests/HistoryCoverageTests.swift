import Testing

@testable import Oracle

@Suite("What random histories reach")
struct HistoryCoverageTests {
  /// What the outputs of a hundred histories must hold, each more than once: nothing that the
  /// random tests are trusted with goes unseen.
  private static let expected = [
    "ERR_BAD_JSON", "ERR_BAD_RECORD", "ERR_WRONG_KEY", "ERR_RECORD_TOO_LARGE",
    "ERR_INVALID_MESSAGE_ID", "ERR_MESSAGE_NOT_FOUND", "ERR_UID_NOT_FOUND",
    "ERR_CANNOT_MARK_OWN_MESSAGE", "ERR_PERMISSION_DENIED", "ERR_MESSAGE_ALREADY_DELETED",
    "ERR_INVALID_PARENT_MESSAGE_ID", "ERR_WRONG_MESSAGE_THREAD",
    "on", "off GROUP_TOO_LARGE", "off ROSTER_UNKNOWN", "off NOT_REQUESTED",
    "ended GROUP_TOO_LARGE", "ended EXPIRED", "ended DELETED",
    "status deliveredAt", "status readAt", "status replyCount",
    "messagesDelivered", "messagesRead", "readReceiptResponse", "threadUpdated", "messageDeleted",
    "messagesDeliveredToAll receipt", "messagesDeliveredToAll message",
    "messagesDeliveredToAll left", "messagesDeliveredToAll roster",
    "messagesReadByAll receipt", "messagesReadByAll message", "messagesReadByAll left",
    "messagesReadByAll roster", "unreadChanged", "unreadChanged of a thread",
    "unreadChanged above 0",
  ]

  @Test("every event, status and error code of the contract comes up in random histories")
  func everything() throws {
    var seen: [String: Int] = [:]
    for seed in UInt64(0)..<100 {
      let history = HistoryGenerator.history(seed)
      var engine = try Engine(history.options)
      for line in history.lines {
        for output in try engine.apply(line.text) {
          for word in Self.words(of: output) { seen[word, default: 0] += 1 }
        }
      }
    }
    #expect(Self.expected.filter { seen[$0, default: 0] < 2 } == [])
  }

  private static func words(of output: WrittenRecord) -> [String] {
    let value = output.value ?? .null
    func word(_ name: Bytes) -> String? {
      guard case .string(let text)? = value[name] else { return nil }
      return text.description
    }
    if let code = output.headers?["error.code"] { return [code] }
    if let event = word("event") {
      var words = [([event] + [word("cause")].compactMap(\.self)).joined(separator: " ")]
      guard event == "unreadChanged" else { return words }
      if value["parentMessageId"] != nil { words.append("unreadChanged of a thread") }
      if value["unreadMessageCount"] != .int(0) { words.append("unreadChanged above 0") }
      return words
    }
    guard let tracking = word("tracking") else { return [] }
    var words = [([tracking] + [word("reason")].compactMap(\.self)).joined(separator: " ")]
    if value["deliveredAt"] != nil { words.append("status deliveredAt") }
    if value["readAt"] != nil { words.append("status readAt") }
    if value["replyCount"] != .int(0) { words.append("status replyCount") }
    return words
  }
}
