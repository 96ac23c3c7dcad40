/// What the oracle keeps of a conversation: what must come out of it, and what has come.
struct OracleConversation {
  let name: ModelConversationName
  /// Its messages and what came of them.
  var messages: [Int64: OracleMessage] = [:]
  /// Its threads, by their parents.
  var threads: [Int64: OracleThread] = [:]
  /// Its members, by the digests of their uids.
  var readers: [UInt64: OracleReader] = [:]
  /// The times of receipts and of membership records, as digests, with what these are and alone.
  private var times: Set<UInt64> = []
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
  /// What receipts may name before or after it is known who is in it.
  private var rosterless = OracleRanges()
  /// The messages of which a scope decides which delete is accepted.
  var scopedDeletes: Set<Int64> = []
  /// The same of messages that never come.
  var scopedOriginals: Set<Int64> = []
  /// Messages that have not come, and wait in the end for what their originals decide.
  var waitingOriginals: Set<Int64> = []
  /// When memberships ended: how many records of `chat.messages` had come before, by their ids.
  private(set) var membershipChanges: [Int64: Int] = [:]
  private(set) var arrivals = 0
  /// Nobody knows when some of its records were applied, for they have no timestamp.
  var isTimeless = false
  /// Some of these have no time of their own either: what they say depends on when that was.
  var isUndated = false
  /// Something was given up sooner than the model has it.
  var hasGivenUpSooner = false
  /// When a worker first said that a message has expired.
  var firstExpiry: Int64?
  /// The model has given up something that a worker may have kept, and a record came after that.
  var hasGivenUp = false
  var outlivesGivenUp = false
  /// The same of a message that has expired.
  var hasExpired = false
  var outlivesExpired = false
  /// By id, how many more actions than events tell of deletes.
  var actionsAhead: [Int64: Int] = [:]
  /// Its last record of each topic.
  var lastInputs: [ModelRecord.Topic: Int64] = [:]
  /// Whether it has been past the second limit.
  var hasPassedSecondLimit = false

  init(_ name: ModelConversationName) {
    self.name = name
    isRostered = name.guid == nil
  }

  /// The conversation's id.
  var id: Bytes { name.id }

  /// Begins with what is known of it.
  mutating func begin(highestId: Int64, isRostered: Bool) {
    self.highestId = highestId
    self.isRostered = isRostered
  }

  /// Notes a record of `chat.messages`, in the topic's order.
  mutating func noteMessageTopic(id: Int64, isMembership: Bool, isRoster: Bool) {
    arrivals += 1
    if isMembership { membershipChanges[id] = arrivals }
    if id < highestId { unsettled.insert(id...highestId) }
    // A receipt for what came before the group was known may be applied before that, too.
    if isRoster, !isRostered {
      unsettled.insert(0...max(id, highestId))
      rosterless.insert(0...max(id, highestId))
      isRostered = true
    }
    highestId = max(highestId, id)
    lastId = id
  }

  /// Notes a time that an announcement or a status may have.
  mutating func note(_ time: Int64, of cause: ModelCause) {
    times.insert(Self.digest(time))
    times.insert(Self.digest(time, cause))
  }

  /// Whether a record of a kind has a time; of any kind, if none is named.
  func hasTime(_ time: Int64, of cause: ModelCause? = nil) -> Bool {
    isUndated || times.contains(Self.digest(time, cause))
  }

  private static func digest(_ time: Int64, _ cause: ModelCause? = nil) -> UInt64 {
    let word: JSON = cause.map { .string(Bytes($0.rawValue)) } ?? .null
    return OracleDigest(.array([.int(time), word])).short
  }

  /// Whether a scope decides which delete of a message is accepted.
  func isScoped(_ id: Int64) -> Bool {
    scopedDeletes.contains(id)
      || messages[id]?.hasNeverCome ?? true && scopedOriginals.contains(id)
  }

  /// Whether a receipt may be applied before it is known who is in the group.
  func mayPrecedeRoster(_ receipt: OracleReceipt) -> Bool {
    switch receipt.cover {
    case .upTo(let id, _), .one(let id): rosterless.contains(id)
    case .some(let ids): rosterless.overlaps(ids)
    case .others: name.guid != nil
    }
  }

  /// Whether the order between the topics may decide what a receipt's event says; or else, whether
  /// it is by this receipt that messages are delivered or read.
  func isUnsettled(
    _ receipt: OracleReceipt, for kind: ModelReceiptRecord.Kind? = nil
  ) -> Bool {
    if case .some = receipt.cover { true } else { mayCoverOthers(receipt, for: kind) }
  }

  /// Whether the order between the topics may decide for which messages a receipt is news.
  func mayCoverOthers(
    _ receipt: OracleReceipt, for kind: ModelReceiptRecord.Kind? = nil
  ) -> Bool {
    let named: ClosedRange<Int64>
    let covered: ClosedRange<Int64>
    switch receipt.cover {
    case .others: return true
    case .upTo(let id, let above):
      named = id...id
      // One for a message that has not come was never applied before this one.
      let hasCome = above == 0 || messages[above].map { !$0.hasNeverCome } ?? false
      covered = min(hasCome ? above + 1 : 0, id)...id
    case .one(let id):
      named = id...id
      covered = named
    case .some(let ids):
      named = ids
      covered = ids
    }
    return unsettled.overlaps(named) || deletes.overlaps(covered)
      || readers[receipt.sender]?.isUnsettled(kind ?? receipt.kind, in: named) ?? false
  }
}
