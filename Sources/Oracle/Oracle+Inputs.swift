/// What the inputs are, as far as the outputs name them.
extension Oracle {
  mutating func note(_ record: ModelRecord) {
    guard let name = record.content.conversation else { return }
    let place = place(of: name)
    switch record.content {
    case .fault, .edit: break
    case .message(let message): noteId(message.id, at: place)
    case .action(let id, _, _): noteId(id, at: place)
    case .membership(let membership):
      noteId(membership.id, at: place, isRoster: membership.action == .roster)
      let cause = membership.action.rawValue
      conversations[place].times.insert(OracleConversation.time(membership.sentAt, of: cause))
    case .receipt(let receipt): note(receipt, record, at: place)
    case .delete(let delete):
      conversations[place].deletes.insert(delete.messageId...delete.messageId)
      deletes[record.offset] = OracleDelete(delete, record)
    }
  }

  private mutating func place(of name: ModelConversationName) -> Int {
    if let place = places[name.id] { return place }
    places[name.id] = conversations.count
    conversations.append(OracleConversation(name))
    return conversations.count - 1
  }

  /// Of a record that comes again only the first is applied.
  private mutating func noteId(_ id: Int64, at place: Int, isRoster: Bool = false) {
    let conversation = model.conversations[conversations[place].id]
    guard conversation?.known[id] == nil else { return }
    conversations[place].noteMessageTopic(id: id, isRoster: isRoster)
  }

  private mutating func note(
    _ receipt: ModelReceiptRecord, _ record: ModelRecord, at place: Int
  ) {
    let sender = OracleDigest(receipt.sender).short
    let isSeparate = model.rules.threads == "separate"
    let cover = conversations[place].readers[sender, default: OracleReader()]
      .note(receipt, isSeparate: isSeparate)
    let value = record.value ?? ""
    receipts[record.offset] = OracleReceipt(
      kind: receipt.kind, conversation: place, cover: cover, sender: sender,
      value: OracleDigest(JSON.parsed(value.bytes) ?? .null), record: OracleDelivery(record))
    let time = receipt.at ?? record.timestamp ?? 0
    conversations[place].times.insert(OracleConversation.time(time, of: "receipt"))
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
