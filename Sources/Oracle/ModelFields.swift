/// The fields of one record, each checked where it is read.
struct ModelFields {
  var topic: ModelRecord.Topic
  /// The value's text.
  var value: Bytes
  var root = JSON.null
  /// What the fields give, as far as they could be read.
  var conversation: ModelConversationName?
  var time: Int64?
  var isGood = false

  init(topic: ModelRecord.Topic, value: Bytes) {
    self.topic = topic
    self.value = value
  }

  /// Reads what a rejected record needs too: its own time and its conversation.
  mutating func readLoosely() {
    var timeField = "sentAt"
    var actorField: Bytes = root["category"] == "action" ? "actionBy" : "sender"
    switch topic {
    case .messages: break
    case .receipts:
      if case .string(let kind)? = root["receiptType"] { timeField = kind.description + "At" }
    case .deletes:
      timeField = "deletedAt"
      actorField = "deletedBy"
    }
    time = readable { () throws(ModelFault) in try optionalTime(timeField) } ?? nil
    let actor = readable { () throws(ModelFault) in try uid(actorField) }
    conversation = readable { () throws(ModelFault) in try conversation(of: actor) }
  }

  private func readable<Value>(_ read: () throws(ModelFault) -> Value) -> Value? {
    do { return try read() } catch { return nil }
  }

  // What a field is.

  func optional(_ name: Bytes) -> JSON? {
    let value = root[name]
    return value == .null ? nil : value
  }

  /// A field's value as it stands in the record.
  func text(of name: Bytes) -> Bytes? {
    guard case .object(let members) = root else { return nil }
    return members.last { $0.name == name }.map { Bytes(value.bytes[$0.range]) }
  }

  func required(_ name: Bytes) throws(ModelFault) -> JSON {
    guard let value = optional(name) else { throw bad(name) }
    return value
  }

  func optionalText(_ name: Bytes) throws(ModelFault) -> Bytes? {
    guard let value = optional(name) else { return nil }
    guard case .string(let text) = value else { throw bad(name) }
    return text
  }

  func name(_ name: Bytes) throws(ModelFault) -> Bytes {
    guard case .string(let text) = try required(name), ModelFields.isName(text) else {
      throw bad(name)
    }
    return text
  }

  func uid(_ owner: Bytes) throws(ModelFault) -> Bytes {
    guard case .string(let uid)? = root[owner]?["uid"], ModelFields.isName(uid) else {
      throw bad(owner + ".uid")
    }
    return uid
  }

  func messageId(_ name: Bytes) throws(ModelFault) -> Int64 {
    guard case .int(let id) = try required(name), id > 0 else {
      throw ModelFault("ERR_INVALID_MESSAGE_ID", name.description)
    }
    return id
  }

  func optionalTime(_ name: String) throws(ModelFault) -> Int64? {
    switch optional(Bytes(name)) {
    case nil: return nil
    case .int(let seconds)?:
      let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
      guard !overflow else { throw bad(Bytes(name)) }
      return milliseconds
    case .real(let seconds)?:
      guard let milliseconds = Int64(exactly: (seconds * 1000).rounded()) else {
        throw bad(Bytes(name))
      }
      return milliseconds
    default: throw bad(Bytes(name))
    }
  }

  static func isName(_ text: Bytes) -> Bool { !text.isEmpty && text.count <= 128 }

  func bad(_ name: Bytes) -> ModelFault { ModelFault("ERR_BAD_RECORD", name.description) }

  /// The conversation that actor, `receiverId` and `receiverType` give.
  func conversation(of actor: Bytes?) throws(ModelFault) -> ModelConversationName {
    guard case .string(let type) = try required("receiverType") else { throw bad("receiverType") }
    let receiver = try name("receiverId")
    switch type {
    case "group":
      return ModelConversationName(id: "group_" + receiver, guid: receiver, receiver: receiver)
    case "user":
      guard let actor else { throw bad("sender.uid") }
      let id = min(actor, receiver) + "_user_" + max(actor, receiver)
      guard id.occurrences(of: "_user_") == 1, !id.hasPrefix("group_") else {
        throw bad("receiverId")
      }
      return ModelConversationName(
        id: id, guid: nil, receiver: receiver, users: Set([actor, receiver]).sorted())
    default: throw bad("receiverType")
    }
  }
}
