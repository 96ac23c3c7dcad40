/// A status of `chat.status`, as far as it is compared.
struct OracleStatus: Equatable {
  struct Counts: Equatable {
    var delivered: Int64
    var undelivered: Int64
    var read: Int64
    var unread: Int64
    var total: Int64

    /// All of whom it is counted whether they have received it.
    var received: Int64 { delivered + undelivered }
  }

  /// What is counted of a message that never came.
  static let noCounts = Counts(delivered: 0, undelivered: 0, read: 0, unread: 0, total: 0)

  var tracking: ModelTracking
  var counts: Counts
  var replies: Int64
  var doneAt: ModelByKind<Int64?>
  var deletedAt: Int64?
  var deletedBy: OracleDigest?
  /// Who sent the message, when, and under which `messageUId`.
  var identity: OracleDigest

  /// Reads a status of the form that the contract has; nil for any other.
  init?(_ value: JSON) {
    guard
      value.has(
        [
          "conversationId", "messageId", "tracking", "totalCount",
          "deliveredCount", "undeliveredCount", "readCount", "unreadCount", "replyCount",
        ],
        or: [
          "sender", "sentAt", "messageUId", "reason", "deliveredAt", "readAt", "deletedAt",
          "deletedBy",
        ]),
      value["sender"].map({ $0.has(["uid"]) }) ?? true,
      let tracking = Self.tracking(value), let counts = Self.counts(value),
      let replies = value["replyCount"]?.whole, replies >= 0
    else { return nil }
    let uid = value["sender"]?["uid"]
    let uids = [uid, value["messageUId"], value["deletedBy"]].compactMap(\.self)
    let times = ["sentAt", "deliveredAt", "readAt", "deletedAt"].compactMap { value[$0] }
    // Of a message that never came nobody may know who sent it, and when.
    if tracking != .ended(.deleted), uid == nil || value["sentAt"] == nil { return nil }
    guard uids.allSatisfy({ $0.text != nil }), times.allSatisfy({ $0.time != nil }) else {
      return nil
    }
    self.tracking = tracking
    self.counts = counts
    self.replies = replies
    doneAt = ModelByKind(delivered: value["deliveredAt"]?.time, read: value["readAt"]?.time)
    deletedAt = value["deletedAt"]?.time
    deletedBy = value["deletedBy"]?.text.map { OracleDigest($0) }
    identity = OracleDigest(
      .array([uid ?? .null, value["sentAt"] ?? .null, value["messageUId"] ?? .null]))
  }

  /// A status as the model has it.
  init(_ status: ModelStatus) {
    let (done, waiting) = (status.counts.done, status.counts.waiting)
    tracking = status.tracking
    counts = Counts(
      delivered: Int64(done.delivered), undelivered: Int64(waiting.delivered),
      read: Int64(done.read), unread: Int64(waiting.read), total: Int64(done.read + waiting.read))
    replies = Int64(status.replyCount)
    doneAt = status.doneAt
    deletedAt = status.deletedAt
    deletedBy = status.deletedBy.map { OracleDigest($0) }
    let parts = [
      status.sender.map(JSON.string), status.sentAt.map(JSON.seconds),
      status.messageUId.map(JSON.string),
    ]
    identity = OracleDigest(.array(parts.map { $0 ?? .null }))
  }

  private static func tracking(_ value: JSON) -> ModelTracking? {
    let word = value["reason"]?.text?.description
    let reason = word.flatMap { ModelTracking.Reason(rawValue: $0) }
    switch (value["tracking"]?.text, reason) {
    case ("on", nil): return value["reason"] == nil ? .on : nil
    case ("off", let reason?):
      return reason == .expired || reason == .deleted ? nil : .off(reason)
    case ("ended", let reason?):
      return reason == .rosterUnknown || reason == .notRequested ? nil : .ended(reason)
    default: return nil
    }
  }

  private static func counts(_ value: JSON) -> Counts? {
    let names: [Bytes] = [
      "deliveredCount", "undeliveredCount", "readCount", "unreadCount", "totalCount",
    ]
    let numbers = names.compactMap { value[$0]?.whole }
    guard numbers.count == names.count else { return nil }
    return Counts(
      delivered: numbers[0], undelivered: numbers[1], read: numbers[2], unread: numbers[3],
      total: numbers[4])
  }
}

/// How values are read that the oracle expects to be of a form.
extension JSON {
  /// The members are all of the first names, perhaps some of the others, and no more.
  func has(_ names: [Bytes], or others: [Bytes] = []) -> Bool {
    guard case .object(let members) = self else { return false }
    let found = members.map(\.name)
    return names.allSatisfy(found.contains)
      && found.allSatisfy { names.contains($0) || others.contains($0) }
  }

  var text: Bytes? { if case .string(let text) = self { text } else { nil } }

  var whole: Int64? { if case .int(let number) = self { number } else { nil } }

  /// A time in milliseconds, written without a fraction where it has none.
  var time: Int64? {
    switch self {
    case .int(let seconds):
      let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
      return overflow ? nil : milliseconds
    case .real(let seconds):
      let milliseconds = Int64(exactly: (seconds * 1000).rounded())
      return milliseconds.flatMap { $0 % 1000 == 0 ? nil : $0 }
    case .null, .bool, .string, .array, .object: return nil
    }
  }

  /// The uids of an event for people.
  var uids: [Bytes]? {
    guard has(["uids"]), case .array(let values)? = self["uids"] else { return nil }
    let uids = values.compactMap(\.text)
    return uids.count == values.count && !uids.isEmpty ? uids : nil
  }
}
