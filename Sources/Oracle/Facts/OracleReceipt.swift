/// What is kept of a good record of `chat.receipts`, to judge the events that name it.
struct OracleReceipt {
  /// What it covers, as far as it decides whether the order between topics matters.
  enum Cover {
    /// Ids above one and up to another: above the first its sender had said nothing before.
    case upTo(Int64, above: Int64)
    /// One message.
    case one(Int64)
    /// Some messages of a range, each when it comes: events for several at once, or for each.
    case some(ClosedRange<Int64>)
    /// What is known when it is applied, or cannot be told from ids.
    case others
  }

  /// An announcement was seen that this receipt may have had to complete.
  enum Awaited { case certainly, perhaps }

  var kind: ModelReceiptRecord.Kind
  /// The time that counts.
  var time: Int64
  /// The place of its conversation.
  var conversation: Int
  var cover: Cover
  /// Who sent it.
  var sender: UInt64
  /// Its value as JSON.
  var value: OracleDigest
  var record: OracleDelivery
  /// Whether one of its `messagesDelivered` or `messagesRead` was seen.
  var hasTold = false
  var awaited: Awaited?
  /// Whether one of these must be seen.
  var mustTell = false
  /// The sum of what its responses must name, less what they name.
  var responses: UInt64 = 0

  /// Whether it names an id, and nothing else.
  func names(_ id: Int64) -> Bool {
    switch cover {
    case .upTo(let upTo, _): upTo == id
    case .one(let one): one == id
    case .some, .others: false
    }
  }
}

/// What a member of a conversation has said of what was received and read: where the receipts may
/// change places, because one that names a message waits for it.
struct OracleReader {
  /// The highest id that a receipt of a kind has named.
  private var highest: [ModelReceiptRecord.Kind: Int64] = [:]
  /// The highest id that any receipt has named.
  private var highestNamed: Int64 = 0
  /// The ids whose cumulative receipts may be applied in another order, by kind.
  private var unsettled: [ModelReceiptRecord.Kind: OracleRanges] = [:]
  /// Whether it depends on more than ids where the unread cursor stands: something was marked
  /// unread, where times decide, or a whole conversation read, as far as it was known.
  private(set) var hasUnsettledCursor = false

  /// Whether a receipt that names one of these may be applied before or after another one of the
  /// member.
  func isUnsettled(_ kind: ModelReceiptRecord.Kind, in ids: ClosedRange<Int64>) -> Bool {
    unsettled[kind]?.overlaps(ids) ?? false
  }

  /// Notes the next receipt, in the topic's order.
  mutating func note(
    _ receipt: ModelReceiptRecord, isSeparate: Bool
  ) -> OracleReceipt.Cover {
    switch receipt.covers {
    case _ where receipt.kind == .unread:
      hasUnsettledCursor = true
      guard case .upTo(let id) = receipt.covers else { return .others }
      return .one(id)
    case .upTo(let id):
      let before = reach(receipt.kind)
      swap(receipt.kind, at: id)
      highest[receipt.kind] = max(highest[receipt.kind] ?? 0, id)
      highestNamed = max(highestNamed, id)
      // Ids of several threads are not one row.
      return .upTo(id, above: isSeparate ? 0 : min(before, id))
    case .conversation:
      if receipt.kind == .read { hasUnsettledCursor = true }
      // It waits for nothing: whatever waits may come to be applied after it.
      for kind in receipt.kind == .read ? [.read, .delivered] : [receipt.kind] {
        unsettled[kind, default: OracleRanges()].insert(0...highestNamed)
      }
      return .others
    case .exactly(let targets):
      let lowest = targets.map(\.id).min() ?? 0
      let highest = targets.map(\.id).max() ?? 0
      highestNamed = max(highestNamed, highest)
      swap(receipt.kind, at: lowest)
      if lowest == 0 { return .others }
      return targets.count == 1 ? .one(lowest) : .some(lowest...highest)
    }
  }

  /// How far what was said of a kind reaches: what is read is received.
  private func reach(_ kind: ModelReceiptRecord.Kind) -> Int64 {
    let read = highest[.read] ?? 0
    return kind == .read ? read : max(read, highest[.delivered] ?? 0)
  }

  /// Receipts that name more than this one may come to wait longer than it.
  private mutating func swap(_ kind: ModelReceiptRecord.Kind, at id: Int64) {
    for touched in kind == .read ? [.read, .delivered] : [kind] {
      let top = reach(touched)
      if id < top { unsettled[touched, default: OracleRanges()].insert(id...top) }
    }
  }
}

extension ModelTarget {
  /// The id; 0, below each, where it is named otherwise.
  fileprivate var id: Int64 { if case .id(let id) = self { id } else { 0 } }
}
