/// `messagesDeliveredToAll` or `messagesReadByAll`, as `chat.events` has it.
struct OracleAnnouncement {
  var kind: ModelReceiptRecord.Kind
  var cause: ModelCause
  var time: Int64
  var sender: OracleDigest
  /// Rising, and at least one.
  var ids: [Int64]

  /// Reads an announcement of the form that the contract has; nil for any other.
  init?(_ value: JSON, _ kind: ModelReceiptRecord.Kind, in conversation: OracleConversation) {
    guard value.has(["event", "eventId", "conversationId", "to", "cause", "receipt"]),
      let uids = value["to"]?.uids, uids.count == 1,
      let word = value["cause"]?.text, let cause = ModelCause(rawValue: word.description),
      let receipt = value["receipt"],
      receipt.has([
        "messageId", "messageIds", "sender", "receiverId", "receiverType", "receiptType",
        Bytes(kind.timeField),
      ]),
      let guid = conversation.name.guid, receipt["receiverId"] == .string(guid),
      receipt["receiverType"] == "group", receipt["receiptType"] == .string(Bytes(kind.rawValue)),
      receipt["sender"] == ["uid": "app_system", "name": "System"],
      let time = receipt[Bytes(kind.timeField)]?.time,
      case .array(let values)? = receipt["messageIds"], (1...1000).contains(values.count),
      let highest = receipt["messageId"]?.whole
    else { return nil }
    let ids = values.compactMap(\.whole)
    guard ids.count == values.count, ids.last == highest,
      zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }),
      value["eventId"]?.text == conversation.id + Bytes("/\(kind.announcement)/\(highest)")
    else { return nil }
    self.kind = kind
    self.cause = cause
    self.time = time
    self.ids = ids
    sender = OracleDigest(uids[0])
  }
}

extension ModelReceiptRecord.Kind {
  /// The kind that an announcement's name says; nil for other events.
  init?(announcedBy event: String) {
    switch event {
    case "messagesDeliveredToAll": self = .delivered
    case "messagesReadByAll": self = .read
    default: return nil
    }
  }

  /// The word in the `eventId` of an announcement.
  var announcement: String { self == .delivered ? "deliveredToAll" : "readByAll" }
}
