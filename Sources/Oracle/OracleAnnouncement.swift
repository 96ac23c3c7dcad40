/// `messagesDeliveredToAll` or `messagesReadByAll`, as `chat.events` has it.
struct OracleAnnouncement {
  enum Kind: CaseIterable {
    case delivered, read

    init?(event: String) {
      switch event {
      case "messagesDeliveredToAll": self = .delivered
      case "messagesReadByAll": self = .read
      default: return nil
      }
    }

    /// The word in an `eventId`.
    var word: String { self == .delivered ? "deliveredToAll" : "readByAll" }
    var timeField: Bytes { self == .delivered ? "deliveredAt" : "readAt" }
    var receiptType: JSON { self == .delivered ? "delivered" : "read" }
  }

  /// What can complete a message.
  private static let causes: [Bytes] = [
    "receipt", "message", "left", "kicked", "banned", "deactivated", "roster",
  ]

  var kind: Kind
  var cause: String
  var time: Int64
  var sender: OracleDigest
  /// Rising, and at least one.
  var ids: [Int64]

  /// Reads an announcement of the form that the contract has; nil for any other.
  init?(_ value: JSON, _ kind: Kind, in conversation: OracleConversation) {
    guard value.has(["event", "eventId", "conversationId", "to", "cause", "receipt"]),
      let uids = value["to"]?.uids, uids.count == 1,
      let cause = value["cause"]?.text, Self.causes.contains(cause),
      let receipt = value["receipt"],
      receipt.has([
        "messageId", "messageIds", "sender", "receiverId", "receiverType", "receiptType",
        kind.timeField,
      ]),
      let guid = conversation.name.guid, receipt["receiverId"] == .string(guid),
      receipt["receiverType"] == "group", receipt["receiptType"] == kind.receiptType,
      receipt["sender"] == ["uid": "app_system", "name": "System"],
      let time = receipt[kind.timeField]?.time,
      case .array(let values)? = receipt["messageIds"], (1...1000).contains(values.count),
      let highest = receipt["messageId"]?.whole
    else { return nil }
    let ids = values.compactMap(\.whole)
    guard ids.count == values.count, ids.last == highest,
      zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }),
      value["eventId"]?.text == conversation.id + Bytes("/\(kind.word)/\(highest)")
    else { return nil }
    self.kind = kind
    self.cause = cause.description
    self.time = time
    self.ids = ids
    sender = OracleDigest(uids[0])
  }
}
