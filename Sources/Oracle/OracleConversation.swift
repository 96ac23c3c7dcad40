/// What the oracle keeps of a conversation: what must come out of it, and what has come.
struct OracleConversation {
  let name: ModelConversationName
  /// Its messages and what came of them.
  var messages: [Int64: OracleMessage] = [:]
  /// Its threads, by their parents.
  var threads: [Int64: OracleThread] = [:]
  /// Its members, by the digests of their uids.
  var readers: [UInt64: OracleReader] = [:]
  /// The times of receipts and of membership records, as digests.
  var times: Set<UInt64> = []
  /// The ids for which there is a delete.
  var deletes = OracleRanges()
  var hasDeletes: Bool { !deletes.isEmpty }
  /// The ids that receipts may name before or after another record of `chat.messages` comes that
  /// bears on them.
  private(set) var unsettled = OracleRanges()
  /// The highest id that has come, and the last one.
  private(set) var highestId: Int64 = 0
  private(set) var lastId: Int64 = 0
  /// Whether it is known who is in it, or was once.
  private(set) var isRostered: Bool
  /// Whether it has been past the second limit.
  var hasPassedSecondLimit = false

  init(_ name: ModelConversationName) {
    self.name = name
    isRostered = name.guid == nil
  }

  /// The conversation's id.
  var id: Bytes { name.id }

  /// Notes a record of `chat.messages`, in the topic's order.
  mutating func noteMessageTopic(id: Int64, isRoster: Bool) {
    if id < highestId { unsettled.insert(id...highestId) }
    // A receipt for what came before the group was known may be applied before that, too.
    if isRoster, !isRostered {
      unsettled.insert(0...max(id, highestId))
      isRostered = true
    }
    highestId = max(highestId, id)
    lastId = id
  }

  /// Whether the order between the topics may decide what a receipt's event says.
  func isUnsettled(_ receipt: OracleReceipt) -> Bool {
    let id: Int64
    let covered: ClosedRange<Int64>
    switch receipt.cover {
    case .others: return true
    case .upTo(let upTo, let above):
      id = upTo
      covered = min(above + 1, upTo)...upTo
    case .one(let one):
      id = one
      covered = one...one
    }
    return unsettled.contains(id) || deletes.overlaps(covered)
      || readers[receipt.sender]?.isUnsettled(receipt.kind, at: id) ?? false
  }
}
