/// Where an event, an action or a rejection comes from: a record of an input topic.
struct OracleSource: Hashable {
  var topic: ModelRecord.Topic
  var offset: Int64

  var description: String { "\(topic.rawValue)@\(offset)" }
}

extension OracleSource {
  init(_ input: ModelInput) { self.init(topic: input.topic, offset: input.offset) }
}

/// An output that must come as the model says, but for announcements and statuses.
struct OracleEvent {
  var name: String
  /// The place of its conversation.
  var conversation: Int
  /// The record that it is of, and its number among that record's events.
  var source: OracleSource
  var number: Int
  /// The whole value.
  var content: OracleDigest
  /// The message that it is about, or the thread.
  var subject: Int64 = 0
  var hasCome = false
  /// An announcement was seen that comes after it, as the model has it.
  var isAwaited = false

  var description: String { "\(name) \(number) of \(source.description)" }
}

/// A record as it was handed to the worker: what must come back untouched if it is rejected.
struct OracleDelivery: Equatable {
  var timestamp: Int64
  var key: OracleDigest?
  /// Nil where there is none, or where it is left out for its size.
  var value: OracleDigest?
}

extension OracleDelivery {
  init(_ input: ModelInput) {
    timestamp = input.timestamp ?? 0
    key = input.key.map { OracleDigest($0) }
    value = input.value.map { OracleDigest($0) }
  }
}

/// A good record of `chat.deletes`.
struct OracleDelete {
  /// The place of its conversation.
  var conversation: Int
  var messageId: Int64
  /// Who deleted, and when.
  var deletedBy: OracleDigest
  var deletedAt: Int64
  var record: OracleDelivery

  init(_ delete: ModelDeleteRecord, _ input: ModelInput, at place: Int) {
    conversation = place
    messageId = delete.messageId
    deletedBy = OracleDigest(delete.deletedBy)
    deletedAt = delete.at ?? input.timestamp ?? 0
    record = OracleDelivery(input)
  }
}

extension ModelDeleteRecord {
  /// Whether its author's scope decides, when it is applied, should its message never come.
  var dependsWithoutMessage: Bool {
    conversation.guid != nil && original != nil && deletedBy != ModelConversationName.system
      && original?["sender"]?["uid"]?.string != deletedBy
  }
}

/// A rejection that must come.
struct OracleRejection {
  var code: String
  /// Of several faults any one may be named.
  var otherCode: String?
  var field: String?
  var record: OracleDelivery
  /// The length of a value that is left out.
  var omittedBytes: Int?
  /// The same of a key.
  var omittedKeyBytes: Int?
  var hasCome = false
}

/// An action message that must come, and how often still.
struct OracleAction {
  /// The place of its conversation, and the deleted message.
  var conversation: Int
  var id: Int64
  var left = 0
}

/// An `eventId`, taken apart.
struct OracleEventId {
  var conversation: Bytes
  var event: Bytes
  var source: OracleSource
  var partition: Int32
  var number: Int

  /// Nil where it is not of the form that events of a record have. A conversation's id may have
  /// slashes, so it is read from its end.
  init?(_ text: Bytes) {
    let parts = text.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count >= 6 else { return nil }
    let tail = parts.suffix(5).map { String(decoding: $0, as: UTF8.self) }
    guard let topic = ModelRecord.Topic.allCases.first(where: { $0.letter == tail[1] }),
      let partition = Int32(tail[2]), let offset = Int64(tail[3]), let number = Int(tail[4]),
      [String(partition), String(offset), String(number)] == Array(tail[2...]), number >= 0
    else { return nil }
    conversation = Bytes(parts.dropLast(5).joined(separator: [UInt8(ascii: "/")]))
    event = Bytes(tail[0])
    source = OracleSource(topic: topic, offset: offset)
    self.partition = partition
    self.number = number
  }
}
