extension ModelFields {
  /// A record of `chat.messages`.
  mutating func messageTopicRecord() throws(ModelFault) -> ModelRecord.Content {
    let id = try messageId("id")
    let category = try required("category")
    guard category.string?.isEmpty == false else { throw bad("category") }
    let isAction = category.isString("action")
    guard let sentAt = try optionalBackendTime("sentAt") else { throw bad("sentAt") }
    let type = optional("type")
    if let type, type.string == nil { throw bad("type") }
    let messageUId = try optionalText("messageUId")
    if let messageUId, !ModelFields.isName(messageUId) { throw bad("messageUId") }
    let parent = try parentMessageId()
    var needReceipt = true
    if let value = optional("needReceipt") {
      guard let needed = value.bool else { throw bad("needReceipt") }
      needReceipt = needed
    }
    let isEdit = try isEdit()
    if isAction {
      let action = try action(id, type, sentAt)
      return isEdit ? .edit : action
    }
    let sender = try uid("sender")
    let conversation = try conversation(of: sender)
    self.conversation = conversation
    if isEdit { return .edit }
    return .message(
      ModelMessageRecord(
        id: id, conversation: conversation, sender: sender, sentAt: sentAt, messageUId: messageUId,
        parentMessageId: parent, needReceipt: needReceipt))
  }

  /// Whether `editedAt` is above 0, be it by less than a millisecond.
  private func isEdit() throws(ModelFault) -> Bool {
    guard try optionalTime("editedAt") != nil, let value = optional("editedAt") else {
      return false
    }
    return value.int.map { $0 > 0 } ?? value.real.map { $0 > 0 } ?? false
  }

  private mutating func action(
    _ id: Int64, _ type: JSONNode?, _ sentAt: Int64
  ) throws(ModelFault) -> ModelRecord.Content {
    let isGroup = root["receiverType"]?.isString("group") ?? false
    let word = try optionalText("action")
    // What is not needed is optional, to be well-typed all the same.
    _ = try optionalUid("sender")
    let actor = try optionalUid("actionBy")
    if actor == nil, !isGroup || optional("actionOn") == nil { throw bad("actionBy.uid") }
    let conversation = try conversation(of: actor)
    self.conversation = conversation

    guard isGroup, type?.isString("groupMember") == true, let word,
      let action = ModelMembershipRecord.Action(rawValue: word.description)
    else { return .action(id: id, in: conversation, sentAt: sentAt) }
    if action == .roster || action == .scopeChanged, optional("actionOn") == nil {
      throw bad("actionOn")
    }
    var members: [ModelMembershipRecord.Member] = []
    if let named = optional("actionOn") {
      guard let values = named.elements else { throw bad("actionOn") }
      for value in values { members.append(try member(value)) }
    } else if let actor {
      members = [ModelMembershipRecord.Member(uid: actor, scope: .participant, isExempt: false)]
    }
    return .membership(
      ModelMembershipRecord(
        id: id, conversation: conversation, action: action, members: members, sentAt: sentAt))
  }

  private func member(_ value: JSONNode) throws(ModelFault) -> ModelMembershipRecord.Member {
    guard let uid = value["uid"]?.string, ModelFields.isName(uid) else {
      throw bad("actionOn.uid")
    }
    var member = ModelMembershipRecord.Member(uid: uid, scope: .participant, isExempt: false)
    if let scope = value["scope"], !scope.isNull {
      guard let word = scope.string else { throw bad("actionOn.scope") }
      member.scope = ModelScope(rawValue: word.description) ?? .participant
    }
    if let receipts = value["receipts"], !receipts.isNull {
      guard receipts.string != nil else { throw bad("actionOn.receipts") }
      member.isExempt = receipts.isString("exempt")
    }
    return member
  }

  /// A record of `chat.receipts`.
  mutating func receipt(_ unreadIsAllowed: Bool) throws(ModelFault) -> ModelReceiptRecord {
    guard let word = try required("receiptType").string,
      let kind = ModelReceiptRecord.Kind(rawValue: word.description)
    else { throw bad("receiptType") }
    if kind == .unread, !unreadIsAllowed { throw bad("receiptType") }
    let sender = try uid("sender")
    let conversation = try conversation(of: sender)
    self.conversation = conversation

    let coverings = ["messageId", "conversation", "messageIds", "messageUIds"]
    let named = coverings.filter { name in
      // `conversation: false` says nothing.
      optional(name).map { name != "conversation" || $0.bool != false } ?? false
    }
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
    guard let id = value.int else { throw bad("parentMessageId") }
    return id
  }

  private func covers(_ name: String) throws(ModelFault) -> ModelReceiptRecord.Covers {
    switch name {
    case "messageId": return .upTo(try messageId(name))
    case "conversation":
      guard optional(name)?.bool == true else { throw bad(name) }
      return .conversation
    default:
      guard let values = optional(name)?.elements, (1...1000).contains(values.count) else {
        throw bad(name)
      }
      return .exactly(try values.map { value throws(ModelFault) in try target(value, of: name) })
    }
  }

  private func target(_ value: JSONNode, of name: String) throws(ModelFault) -> ModelTarget {
    if name == "messageIds" {
      return .id(try messageId(value, name))
    }
    guard let uid = value.string, ModelFields.isName(uid) else { throw bad("messageUIds") }
    return .uid(uid)
  }

  /// A record of `chat.deletes`.
  mutating func delete() throws(ModelFault) -> ModelDeleteRecord {
    let id = try messageId("messageId")
    let actor = try uid("deletedBy")
    let conversation = try conversation(of: actor)
    self.conversation = conversation
    let at = try optionalBackendTime("deletedAt")
    var record = ModelDeleteRecord(
      messageId: id, conversation: conversation, deletedBy: actor,
      deletedByObject: try required("deletedBy"), at: at)
    if let original = optional("message") {
      guard original.isObject else { throw bad("message") }
      if !original.members.isEmpty {
        guard original["id"]?.int == id else { throw bad("message.id") }
        record.original = original
      }
    }
    return record
  }
}
