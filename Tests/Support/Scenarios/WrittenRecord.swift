@testable import Oracle

/// One line that `rollcall replay` writes: its topic, key and content, without the input's number.
struct WrittenRecord: Equatable, CustomStringConvertible {
  var topic: String
  var key: Bytes?
  /// The value of an event, action or status.
  var value: JSON?
  /// The headers of a rejection, without `error.message`.
  var headers: [String: String]?
  /// The value of a rejected record.
  var raw: Bytes?
  /// Of the model: what must stand in the line byte by byte.
  var verbatim: [Bytes] = []
  /// Of the engine: the line.
  var line: Bytes = ""

  var description: String {
    let headers = (headers ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let content = value?.description ?? "\(headers) raw \(raw?.description ?? "none")"
    return "\(topic) \(key?.description ?? "null"): \(content)"
  }
}

extension WrittenRecord {
  /// An output of the model, as it must be written.
  init(_ output: ModelOutput) {
    switch output {
    case .event(let event): self.init(event)
    case .action(let deleted): self.init(action: deleted)
    case .status(let status): self.init(status)
    case .rejection(let rejection): self.init(rejection)
    }
  }

  private init(_ event: ModelEvent) {
    self.init(topic: "events", key: event.conversation.id, value: event.value)
    switch event.content {
    case .deleted(let deleted): verbatim = deleted.verbatim
    case .receipt: verbatim = [event.origin?.input.value].compactMap(\.self).map { Bytes($0) }
    case .announced, .response, .unread, .thread: break
    }
  }

  private init(action deleted: ModelDeleted) {
    self.init(topic: "actions", key: deleted.record.conversation.id, value: deleted.actionValue)
    verbatim = deleted.verbatim + [deleted.record.deletedByObject.source]
  }

  private init(_ status: ModelStatus) {
    let counts = status.counts
    let total = counts.done.read + counts.waiting.read
    let value: JSON = [
      "conversationId": .string(status.conversation), "messageId": .int(status.id),
      "totalCount": .int(Int64(total)),
      "deliveredCount": .int(Int64(counts.done.delivered)),
      "undeliveredCount": .int(Int64(counts.waiting.delivered)),
      "readCount": .int(Int64(counts.done.read)),
      "unreadCount": .int(Int64(counts.waiting.read)),
      "replyCount": .int(Int64(status.replyCount)),
    ]
    self.init(
      topic: "status", key: status.conversation + Bytes("#\(status.id)"),
      value: value.adding("tracking", status.tracking.word)
        .adding("sender", status.sender.map { ["uid": .string($0)] })
        .adding("sentAt", status.sentAt.map(JSON.seconds))
        .adding("reason", status.tracking.reason.map { .string(Bytes($0.rawValue)) })
        .adding("messageUId", status.messageUId.map(JSON.string))
        .adding("deliveredAt", status.doneAt.delivered.map(JSON.seconds))
        .adding("readAt", status.doneAt.read.map(JSON.seconds))
        .adding("deletedAt", status.deletedAt.map(JSON.seconds))
        .adding("deletedBy", status.deletedBy.map(JSON.string)))
  }

  private init(_ rejection: ModelRejection) {
    let input = rejection.input
    var headers = [
      "error.code": rejection.fault.code,
      "source.topic": "chat." + input.topic.rawValue,
      "source.partition": String(input.partition),
      "source.offset": String(input.offset),
      "source.timestamp": String(rejection.timestamp),
    ]
    headers["error.field"] = rejection.fault.field
    if rejection.isCut { headers["source.bytes"] = String(input.value?.count ?? 0) }
    headers["source.keyBytes"] = rejection.omittedKeyBytes.map { String($0) }
    self.init(topic: "rejected", key: rejection.key.map { Bytes($0) }, headers: headers)
    raw = rejection.isCut ? nil : input.value.map { Bytes($0) }
  }
}

extension ModelTracking {
  fileprivate var word: JSON {
    switch self {
    case .on: "on"
    case .off: "off"
    case .ended: "ended"
    }
  }

  fileprivate var reason: Reason? {
    switch self {
    case .on: nil
    case .off(let reason), .ended(let reason): reason
    }
  }
}

extension ModelDeleted {
  /// The text between the original's braces.
  fileprivate var verbatim: [Bytes] {
    [record.original].compactMap(\.self).map { Bytes($0.source.bytes.dropFirst().dropLast()) }
  }
}
