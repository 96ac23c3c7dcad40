/// What a `read` or an `unread` did to the unread cursor of a list.
struct ModelCursorMove {
  var uid: Bytes
  var kind: ModelReceiptRecord.Kind
  var at: Int64
  /// Nil: every list, those still to come too.
  var list: Int64?
  var id: Int64
}

/// Where a member's unread cursor stands in a list.
struct ModelCursor: Equatable {
  var id: Int64 = 0
  /// The highest id that a `read` put it on.
  var lastRead: Int64 = 0

  /// The cursor that moves leave behind, which are those of one member and list.
  init(after moves: [ModelCursorMove]) {
    var newest: [ModelReceiptRecord.Kind: Int64] = [:]
    for move in moves {
      let other = newest[move.kind == .read ? .unread : .read]
      newest[move.kind] = max(newest[move.kind] ?? move.at, move.at)
      if let other, other > move.at { continue }
      if move.kind == .unread {
        id = move.id
      } else if move.id >= id {
        id = move.id
        lastRead = max(lastRead, id)
      }
    }
  }
}

extension Model {
  /// A cumulative `read` moves its sender's cursors, each in its list.
  mutating func read(
    _ receipt: ModelReceiptRecord, _ ids: [Int64: Int64], at time: Int64,
    in conversation: ModelConversation, _ source: ModelSource
  ) {
    guard isKept(receipt.sender, in: conversation) else { return }
    for (list, id) in ids.sorted(by: { $0.key < $1.key }) {
      let before = cursor(of: receipt.sender, list, in: conversation)
      conversation.cursorMoves.append(
        ModelCursorMove(uid: receipt.sender, kind: .read, at: time, list: list, id: id))
      let isNews = cursor(of: receipt.sender, list, in: conversation).id != before.id
      // Without a roster nobody is told, as nobody is known to be a member.
      guard isNews, conversation.roster == .known else { continue }
      tellUnread(of: receipt.sender, list, in: conversation, source)
    }
  }

  /// A `read` of the whole conversation is a `read` of every list, whatever is known of it.
  func readEverywhere(
    _ receipt: ModelReceiptRecord, at time: Int64, in conversation: ModelConversation
  ) {
    guard isKept(receipt.sender, in: conversation) else { return }
    conversation.cursorMoves.append(
      ModelCursorMove(uid: receipt.sender, kind: .read, at: time, list: nil, id: 0))
  }

  /// An `unread` of a known message.
  mutating func unread(
    _ receipt: ModelReceiptRecord, _ known: ModelKnown, at time: Int64,
    in conversation: ModelConversation, _ source: ModelSource
  ) {
    guard conversation.roster != .tooLarge else { return }
    if known.message?.sender == receipt.sender {
      reject(source, ModelFault("ERR_CANNOT_MARK_OWN_MESSAGE"))
      return
    }
    let list = known.message?.list ?? 0
    if isKept(receipt.sender, in: conversation) {
      conversation.cursorMoves.append(
        ModelCursorMove(uid: receipt.sender, kind: .unread, at: time, list: list, id: known.id))
    }
    tellUnread(of: receipt.sender, list, in: conversation, source)
  }

  /// The highest known id of each list among those that were sent up to a time.
  func newest(sentUpTo time: Int64, in conversation: ModelConversation) -> [Int64: Int64] {
    var newest: [Int64: Int64] = [0: 0]
    for known in conversation.known.values where known.sentAt <= time {
      newest[known.message?.list ?? 0, default: 0] = max(
        newest[known.message?.list ?? 0] ?? 0, known.id)
    }
    return newest
  }

  private func cursor(
    of uid: Bytes, _ list: Int64, in conversation: ModelConversation
  ) -> ModelCursor {
    ModelCursor(
      after: conversation.cursorMoves.filter { $0.uid == uid && ($0.list ?? list) == list })
  }

  private func countable(
    for uid: Bytes, _ list: Int64, in conversation: ModelConversation
  ) -> [ModelMessage] {
    guard let membership = conversation.memberships.last(where: { $0.uid == uid }) else {
      return []
    }
    let cursor = cursor(of: uid, list, in: conversation)
    return conversation.messages.filter { message in
      message.id > cursor.id && message.id > membership.begin && message.list == list
        && message.deletion == nil && message.sender != uid
    }
  }

  private mutating func tellUnread(
    of uid: Bytes, _ list: Int64, in conversation: ModelConversation, _ source: ModelSource
  ) {
    let counted = countable(for: uid, list, in: conversation)
    let value: JSON = [
      "to": ["uids": [.string(uid)]], "unreadMessageCount": .int(Int64(counted.count)),
      "lastReadMessageId": .int(cursor(of: uid, list, in: conversation).lastRead),
    ]
    outputs.unread.append(
      output(
        "unreadChanged", source, conversation.name,
        value.adding("unreadFrom", counted.first.map { .int($0.id) })
          .adding("parentMessageId", list > 0 ? .int(list) : nil)))
  }
}
