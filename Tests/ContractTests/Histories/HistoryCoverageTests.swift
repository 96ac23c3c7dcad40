import Testing

@testable import Histories
@testable import Oracle
@testable import Scenarios

@Suite("What random histories reach") struct HistoryCoverageTests {
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
    "ERR_ID_IN_USE", "source.keyBytes", "ERR_BAD_RECORD sentAt", "ERR_BAD_RECORD deletedAt",
    "ended DELETED of what never came", "ended DELETED of nobody", "deleted by the system",
    "a receipt of a clock that is ahead", "the end of all time",
  ]

  @Test
  func `every event, status and error code of the contract comes up in random histories`() throws {
    var seen: [String: Int] = [:]
    for seed in UInt64(0)..<100 {
      let history = HistoryGenerator.history(seed)
      var engine = try ReplayEngine(history.options)
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
    if let headers = output.headers, let code = headers["error.code"] {
      var words = [code]
      if let field = headers["error.field"] { words.append("\(code) \(field)") }
      if headers["source.keyBytes"] != nil { words.append("source.keyBytes") }
      if headers["source.timestamp"] == "\(Int64.max)" { words.append("the end of all time") }
      return words
    }
    if let event = word("event") {
      var words = [([event] + [word("cause")].compactMap(\.self)).joined(separator: " ")]
      if case .int(let seconds)? = value["receipt"]?["readAt"],
        seconds > ScenarioScript.start + 30_000_000
      {
        words.append("a receipt of a clock that is ahead")
      }
      guard event == "unreadChanged" else { return words }
      if value["parentMessageId"] != nil { words.append("unreadChanged of a thread") }
      if value["unreadMessageCount"] != .int(0) { words.append("unreadChanged above 0") }
      return words
    }
    guard let tracking = word("tracking") else { return [] }
    var words = [([tracking] + [word("reason")].compactMap(\.self)).joined(separator: " ")]
    if value["deliveredAt"] != nil { words.append("status deliveredAt") }
    if value["readAt"] != nil { words.append("status readAt") }
    if value["deletedBy"] == "app_system" { words.append("deleted by the system") }
    if word("reason") == "DELETED" {
      if value["sender"] == nil { words.append("ended DELETED of nobody") }
      if value["totalCount"] == 0 { words.append("ended DELETED of what never came") }
    }
    if value["replyCount"] != .int(0) { words.append("status replyCount") }
    return words
  }
}
