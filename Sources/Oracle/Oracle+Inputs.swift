/// What the inputs are, as far as the outputs name them.
extension Oracle {
  mutating func note(_ record: ModelRecord) {
    guard let name = record.content.conversation else { return }
    let conversation = conversation(name)
    switch record.content {
    case .fault, .edit: break
    case .message(let message): noteId(message.id, of: conversation)
    case .action(let id, _, _): noteId(id, of: conversation)
    case .membership(let membership):
      noteId(membership.id, of: conversation, isRoster: membership.action == .roster)
      let cause = membership.action.rawValue
      conversation.times.insert(OracleConversation.time(membership.sentAt, of: cause))
    case .receipt(let receipt): note(receipt, record, in: conversation)
    case .delete(let delete):
      conversation.deletes.insert(delete.messageId...delete.messageId)
      deletes[record.offset] = OracleDelete(delete, record)
    }
  }

  private mutating func conversation(_ name: ModelConversationName) -> OracleConversation {
    if let conversation = conversations[name.id] { return conversation }
    let conversation = OracleConversation(name)
    conversations[name.id] = conversation
    return conversation
  }

  /// Of a record that comes again only the first is applied.
  private func noteId(_ id: Int64, of conversation: OracleConversation, isRoster: Bool = false) {
    guard model.conversations[conversation.id]?.known[id] == nil else { return }
    conversation.noteMessageTopic(id: id, isRoster: isRoster)
  }

  private mutating func note(
    _ receipt: ModelReceiptRecord, _ record: ModelRecord, in conversation: OracleConversation
  ) {
    let sender = OracleDigest(receipt.sender).short
    let isSeparate = model.rules.threads == "separate"
    let cover = conversation.readers[sender, default: OracleReader()]
      .note(receipt, isSeparate: isSeparate)
    let value = record.value ?? ""
    receipts[record.offset] = OracleReceipt(
      kind: receipt.kind, conversation: conversation, cover: cover, sender: sender,
      value: OracleDigest(JSON.parsed(value.bytes) ?? .null), record: OracleDelivery(record))
    let time = receipt.at ?? record.timestamp ?? 0
    conversation.times.insert(OracleConversation.time(time, of: "receipt"))
  }
}

extension OracleConversation {
  /// Stands for a time that a record of a kind has.
  static func time(_ time: Int64, of cause: String) -> UInt64 {
    OracleDigest(OracleDigest(.int(time)), OracleDigest(cause.utf8)).short
  }
}

extension JSON {
  /// The value of a text; nil if it is not JSON.
  static func parsed(_ text: [UInt8]?) -> JSON? {
    guard let text else { return nil }
    do { return try JSONParser.parse(Bytes(text)) } catch { return nil }
  }
}
