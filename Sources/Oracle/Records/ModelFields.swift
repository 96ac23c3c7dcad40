/// The fields of one record, each checked where it is read.
struct ModelFields {
  let topic: ModelRecord.Topic
  let root: JSONNode
  /// The conversation that the fields give, once they could be read.
  var conversation: ModelConversationName?
  /// Takes any id for a good one, to find what else is wrong.
  var toleratesIds = false
  /// The record's Kafka timestamp.
  private let timestamp: Int64?

  init(topic: ModelRecord.Topic, root: JSONNode, timestamp: Int64?) {
    self.topic = topic
    self.root = root
    self.timestamp = timestamp
  }

  // What a field is.

  func optional(_ name: String) -> JSONNode? {
    guard let value = root[name], !value.isNull else { return nil }
    return value
  }

  func required(_ name: String) throws(ModelFault) -> JSONNode {
    guard let value = optional(name) else { throw bad(name) }
    return value
  }

  func optionalText(_ name: String) throws(ModelFault) -> Bytes? {
    guard let value = optional(name) else { return nil }
    guard let text = value.string else { throw bad(name) }
    return text
  }

  func name(_ name: String) throws(ModelFault) -> Bytes {
    guard let text = try required(name).string, ModelFields.isName(text) else { throw bad(name) }
    return text
  }

  func uid(_ owner: String) throws(ModelFault) -> Bytes {
    guard let uid = root[owner]?["uid"]?.string, ModelFields.isName(uid) else {
      throw bad(owner + ".uid")
    }
    return uid
  }

  /// The uid of a user who need not be there.
  func optionalUid(_ owner: String) throws(ModelFault) -> Bytes? {
    guard let user = optional(owner) else { return nil }
    guard user.isObject else { throw bad(owner + ".uid") }
    guard let uid = user["uid"], !uid.isNull else { return nil }
    guard let text = uid.string, ModelFields.isName(text) else { throw bad(owner + ".uid") }
    return text
  }

  func messageId(_ name: String) throws(ModelFault) -> Int64 {
    try messageId(try required(name), name)
  }

  func messageId(_ value: JSONNode, _ name: String) throws(ModelFault) -> Int64 {
    if let id = value.int, id > 0 { return id }
    if toleratesIds { return 1 }
    throw ModelFault("ERR_INVALID_MESSAGE_ID", name)
  }

  /// Whether an id of a message is there and none.
  var hasInvalidId: Bool {
    let ids = [optional(topic == .messages ? "id" : "messageId")].compactMap(\.self)
    let listed = topic == .receipts ? optional("messageIds")?.elements ?? [] : []
    return (ids + listed).contains { $0.int ?? 0 <= 0 }
  }

  /// A time in milliseconds.
  func optionalTime(_ name: String) throws(ModelFault) -> Int64? {
    guard let value = optional(name) else { return nil }
    guard let time = value.milliseconds else { throw bad(name) }
    return time
  }

  /// A time that a backend gives: it may be no more than a day ahead of Kafka.
  func optionalBackendTime(_ name: String) throws(ModelFault) -> Int64? {
    guard let time = try optionalTime(name) else { return nil }
    if let timestamp, Int128(time) - Int128(timestamp) > 86_400_000 { throw bad(name) }
    return time
  }

  static func isName(_ text: Bytes) -> Bool { !text.isEmpty && text.count <= 128 }

  func bad(_ name: String) -> ModelFault { ModelFault("ERR_BAD_RECORD", name) }

  /// The conversation that actor, `receiverId` and `receiverType` give.
  func conversation(of actor: Bytes?) throws(ModelFault) -> ModelConversationName {
    let type = try required("receiverType")
    let receiver = try name("receiverId")
    if type.isString("group") {
      return ModelConversationName(id: "group_" + receiver, guid: receiver, receiver: receiver)
    }
    if type.isString("user") {
      guard let actor else { throw bad("sender.uid") }
      let id = min(actor, receiver) + "_user_" + max(actor, receiver)
      guard id.occurrences(of: "_user_") == 1, !id.hasPrefix("group_") else {
        throw bad("receiverId")
      }
      return ModelConversationName(
        id: id, guid: nil, receiver: receiver, users: Set([actor, receiver]).sorted())
    }
    throw bad("receiverType")
  }
}

/// What an original says, where it says it as a message would.
extension JSONNode {
  func name(_ field: String) -> Bytes? {
    self[field]?.string.flatMap { ModelFields.isName($0) ? $0 : nil }
  }

  func time(_ field: String) -> Int64? { self[field]?.milliseconds }
}
