/// What the inputs are, as far as the outputs name them.
extension Oracle {
  mutating func note(_ record: ModelRecord) {
    noteTimeless(record.input)
    guard let name = record.content.conversation else { return }
    let place = place(of: name)
    if isTimeless(OracleSource(record.input)) { noteTimeless(record, at: place) }
    switch record.content {
    case .fault, .edit: break
    case .message(let message):
      noteId(message.id, at: place, offset: record.input.offset)
    case .action(let id, _, _): noteId(id, at: place)
    case .membership(let membership):
      noteId(
        membership.id, at: place, isMembership: true, isRoster: membership.action == .roster)
      if let cause = ModelCause(rawValue: membership.action.rawValue) {
        conversations[place].note(membership.sentAt, of: cause)
      }
    case .receipt(let receipt): note(receipt, record.input, at: place)
    case .delete(let delete):
      conversations[place].deletes.insert(delete.messageId...delete.messageId)
      if delete.dependsWithoutMessage {
        conversations[place].scopedOriginals.insert(delete.messageId)
      }
      deletes[record.input.offset] = OracleDelete(delete, record.input, at: place)
    }
  }

  /// Notes whether a group has passed its second limit.
  mutating func noteSize(of name: ModelConversationName) {
    guard let place = places[name.id], model.conversations[name.id]?.pastLimit.wasPassed == true
    else { return }
    conversations[place].hasPassedSecondLimit = true
  }

  mutating func place(of name: ModelConversationName) -> Int {
    if let place = places[name.id] { return place }
    places[name.id] = conversations.count
    conversations.append(OracleConversation(name))
    return conversations.count - 1
  }

  /// Of a record that comes again only the first is applied.
  private mutating func noteId(
    _ id: Int64, at place: Int, offset: Int64? = nil, isMembership: Bool = false,
    isRoster: Bool = false
  ) {
    let conversation = model.conversations[conversations[place].id]
    guard conversation?.known[id] == nil else { return }
    conversations[place].noteMessageTopic(id: id, isMembership: isMembership, isRoster: isRoster)
    guard let offset else { return }
    var message = conversations[place].messages[id] ?? OracleMessage()
    message.arrival = conversations[place].arrivals
    if message.offset == nil { message.offset = offset }
    conversations[place].messages[id] = message
  }

  private mutating func note(
    _ receipt: ModelReceiptRecord, _ input: ModelInput, at place: Int
  ) {
    let sender = OracleDigest(receipt.sender).short
    let isSeparate = model.rules.threads == "separate"
    let cover = conversations[place].readers[sender, default: OracleReader()]
      .note(receipt, isSeparate: isSeparate)
    // A device's time counts as far as Kafka's.
    let time = receipt.at.map { min($0, input.timestamp ?? $0) } ?? input.timestamp ?? model.now
    receipts[input.offset] = OracleReceipt(
      kind: receipt.kind, time: time, conversation: place, cover: cover, sender: sender,
      value: OracleDigest(JSON.parsed(input.value) ?? .null), record: OracleDelivery(input))
    conversations[place].note(time, of: .receipt)
  }
}

extension JSON {
  /// The value of a text; nil if it is not JSON.
  static func parsed(_ text: [UInt8]?) -> JSON? {
    guard let text else { return nil }
    do { return try parse(Bytes(text)) } catch { return nil }
  }
}
