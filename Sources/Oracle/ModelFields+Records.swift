extension ModelFields {
  /// A record of `chat.messages`.
  mutating func messageTopicRecord() throws -> ModelRecord.Content {
    let id = try messageId("id")
    guard case .string(let category) = try required("category"),
      ["message", "custom", "call", "action"].contains(category)
    else { throw bad("category") }
    guard let sentAt = try optionalTime("sentAt") else { throw bad("sentAt") }
    let type = try optionalText("type")
    let edited = try optionalTime("editedAt")

    let content: ModelRecord.Content
    if category == "action" {
      content = try action(id, type, sentAt)
    } else {
      content = .message(try message(id, sentAt))
    }
    if let edited, edited > 0, let conversation { return .edit(conversation) }
    return content
  }

  private mutating func message(_ id: Int64, _ sentAt: Int64) throws -> ModelMessageRecord {
    let sender = try uid("sender")
    let conversation = try conversation(of: sender)
    self.conversation = conversation
    let messageUId = try optionalText("messageUId")
    if let messageUId, !ModelFields.isName(messageUId) { throw bad("messageUId") }
    let parent = try parentMessageId()
    var needReceipt = true
    if let value = optional("needReceipt") {
      guard case .bool(let needed) = value else { throw bad("needReceipt") }
      needReceipt = needed
    }
    return ModelMessageRecord(
      id: id, conversation: conversation, sender: sender, sentAt: sentAt, messageUId: messageUId,
      parentMessageId: parent, needReceipt: needReceipt)
  }

  private mutating func action(
    _ id: Int64, _ type: Bytes?, _ sentAt: Int64
  ) throws -> ModelRecord.Content {
    let isGroup = root["receiverType"] == .string("group")
    let word = try optionalText("action")
    var actor: Bytes?
    // Where it is not needed it is an optional field, to be well-typed all the same.
    if !isGroup || optional("actionOn") == nil || optional("actionBy") != nil {
      actor = try uid("actionBy")
    }
    let conversation = try conversation(of: actor)
    self.conversation = conversation

    guard isGroup, type == "groupMember", let word,
      let action = ModelMembershipRecord.Action(rawValue: word.description)
    else { return .action(id: id, in: conversation, sentAt: sentAt) }
    if action == .roster || action == .scopeChanged, optional("actionOn") == nil {
      throw bad("actionOn")
    }
    var members: [ModelMembershipRecord.Member] = []
    if let named = optional("actionOn") {
      guard case .array(let values) = named else { throw bad("actionOn") }
      for value in values { members.append(try member(value)) }
    } else if let actor {
      members = [ModelMembershipRecord.Member(uid: actor, scope: .participant, isExempt: false)]
    }
    return .membership(
      ModelMembershipRecord(
        id: id, conversation: conversation, action: action, members: members, sentAt: sentAt))
  }

  private func member(_ value: JSON) throws(ModelFault) -> ModelMembershipRecord.Member {
    guard case .string(let uid)? = value["uid"], ModelFields.isName(uid) else {
      throw bad("actionOn.uid")
    }
    var scope = ModelScope.participant
    switch value["scope"] {
    case nil, .null?: break
    case .string(let word)?: scope = ModelScope(rawValue: word.description) ?? .participant
    default: throw bad("actionOn.scope")
    }
    var isExempt = false
    switch value["receipts"] {
    case nil, .null?: break
    case .string(let word)?: isExempt = word == "exempt"
    default: throw bad("actionOn.receipts")
    }
    return ModelMembershipRecord.Member(uid: uid, scope: scope, isExempt: isExempt)
  }

  /// A record of `chat.receipts`.
  mutating func receipt(_ unreadIsAllowed: Bool) throws -> ModelReceiptRecord {
    guard case .string(let word) = try required("receiptType"),
      let kind = ModelReceiptRecord.Kind(rawValue: word.description)
    else { throw bad("receiptType") }
    if kind == .unread, !unreadIsAllowed { throw bad("receiptType") }
    let sender = try uid("sender")
    let conversation = try conversation(of: sender)
    self.conversation = conversation

    let coverings: [Bytes] = ["messageId", "conversation", "messageIds", "messageUIds"]
    // `conversation: false` says nothing.
    let named = coverings.filter { optional($0) != nil && optional($0) != .bool(false) }
    guard named.count == 1, let covering = named.first else {
      throw bad(named.first ?? "messageId")
    }
    if kind == .unread, covering != "messageId" { throw bad(covering) }
    for field in ["deliveredAt", "readAt", "unreadAt"] { _ = try optionalTime(field) }
    let at = try optionalTime(kind.timeField)
    return ModelReceiptRecord(
      kind: kind, conversation: conversation, sender: sender, covers: try covers(covering), at: at,
      parentMessageId: try parentMessageId())
  }

  private func parentMessageId() throws(ModelFault) -> Int64 {
    guard let value = optional("parentMessageId") else { return 0 }
    guard case .int(let id) = value else { throw bad("parentMessageId") }
    return id
  }

  private func covers(_ name: Bytes) throws -> ModelReceiptRecord.Covers {
    switch name {
    case "messageId": return .upTo(try messageId(name))
    case "conversation":
      guard optional(name) == .bool(true) else { throw bad(name) }
      return .conversation
    default:
      guard case .array(let values)? = optional(name), (1...1000).contains(values.count) else {
        throw bad(name)
      }
      return .exactly(try values.map { value in try target(value, of: name) })
    }
  }

  private func target(_ value: JSON, of name: Bytes) throws(ModelFault) -> ModelTarget {
    if name == "messageIds" {
      guard case .int(let id) = value, id > 0 else {
        throw ModelFault("ERR_INVALID_MESSAGE_ID", "messageIds")
      }
      return .id(id)
    }
    guard case .string(let uid) = value, ModelFields.isName(uid) else { throw bad("messageUIds") }
    return .uid(uid)
  }

  /// A record of `chat.deletes`.
  mutating func delete() throws -> ModelDeleteRecord {
    let id = try messageId("messageId")
    let actor = try uid("deletedBy")
    let conversation = try conversation(of: actor)
    self.conversation = conversation
    let at = try optionalTime("deletedAt")
    var record = ModelDeleteRecord(
      messageId: id, conversation: conversation, deletedBy: actor,
      deletedByObject: try required("deletedBy"), deletedByText: text(of: "deletedBy"), at: at)
    if let original = optional("message") {
      guard case .object(let members) = original else { throw bad("message") }
      if !members.isEmpty {
        guard original["id"] == .int(id) else { throw bad("message.id") }
        record.original = original
        record.originalText = text(of: "message").map { Bytes($0.bytes.dropFirst().dropLast()) }
      }
    }
    return record
  }
}
