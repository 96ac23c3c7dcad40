/// One record that the worker writes.
enum ModelOutput: Sendable {
  case event(ModelEvent)
  /// The action message of a delete.
  case action(ModelDeleted)
  case status(ModelStatus)
  case rejection(ModelRejection)
}

/// What completes messages.
enum ModelCause: String, Sendable {
  case receipt, message, left, kicked, banned, deactivated, roster
}

/// A record of `chat.events`.
struct ModelEvent: Sendable {
  /// The record that causes an event, and how many it has caused before. An announcement names
  /// none.
  struct Origin: Sendable {
    var input: ModelInput
    var number: Int
  }

  enum Content: Sendable {
    case deleted(ModelDeleted)
    /// `messagesDelivered` or `messagesRead`.
    case receipt(ModelReceiptRecord.Kind, senders: [Bytes])
    case announced(
      ModelReceiptRecord.Kind, sender: Bytes, ids: [Int64], cause: ModelCause, at: Int64)
    case response(ModelReceiptRecord, at: Int64, to: Bytes, [ModelResponse])
    case unread(ModelUnread)
    case thread(ModelThreadState)
  }

  var conversation: ModelConversationName
  var origin: Origin?
  var content: Content

  /// Its name.
  var name: String {
    switch content {
    case .deleted: "messageDeleted"
    case .receipt(let kind, _): kind == .delivered ? "messagesDelivered" : "messagesRead"
    case .announced(let kind, _, _, _, _):
      kind == .delivered ? "messagesDeliveredToAll" : "messagesReadByAll"
    case .response: "readReceiptResponse"
    case .unread: "unreadChanged"
    case .thread: "threadUpdated"
    }
  }

  /// Its `eventId`.
  var id: String {
    if case .announced(let kind, _, let ids, _, _) = content, let highest = ids.last {
      let word = kind == .delivered ? "deliveredToAll" : "readByAll"
      return "\(conversation.id)/\(word)/\(highest)"
    }
    guard let origin else { return "\(conversation.id)/\(name)" }
    let input = origin.input
    return "\(conversation.id)/\(name)/\(input.topic.letter)/\(input.partition)/\(input.offset)"
      + "/\(origin.number)"
  }
}

/// A delete that was accepted, as an event and an action message tell of it.
struct ModelDeleted: Sendable {
  /// What is tracked of the message.
  struct Message: Sendable {
    var sender: Bytes
    var sentAt: Int64
    var parent: Int64
    var messageUId: Bytes?
  }

  var record: ModelDeleteRecord
  var at: Int64
  /// Nil where the message has not come.
  var message: Message?
}

/// What a `readReceiptResponse` says of one message.
struct ModelResponse: Sendable {
  var id: Int64
  var messageUId: Bytes?
  var counts: ModelCounts
}

/// What `unreadChanged` says.
struct ModelUnread: Sendable {
  var uid: Bytes
  var list: Int64
  var count: Int
  var from: Int64?
  var lastRead: Int64
}

/// What `threadUpdated` says.
struct ModelThreadState: Sendable {
  var parent: Int64
  var replyCount: Int
  var last: (id: Int64, at: Int64)?
}

/// A record of `chat.status`.
struct ModelStatus: Equatable, Sendable {
  var conversation: Bytes
  var id: Int64
  var messageUId: Bytes?
  /// These are missing where the message never came and its original does not tell.
  var sender: Bytes?
  var sentAt: Int64?
  var tracking: ModelTracking
  var counts: ModelCounts
  var doneAt: ModelByKind<Int64?>
  var deletedAt: Int64?
  var deletedBy: Bytes?
  var replyCount: Int
}

/// A record of `chat.rejected`.
struct ModelRejection: Sendable {
  var fault: ModelFault
  var input: ModelInput
  /// The timestamp that counts for the record.
  var timestamp: Int64
  /// Its value is too large to be passed on.
  var isCut: Bool

  /// The key as it is passed on.
  var key: [UInt8]? { input.hasOverlongKey ? nil : input.key }

  /// The length of a key that is left out.
  var omittedKeyBytes: Int? { input.hasOverlongKey ? input.key?.count : nil }
}
