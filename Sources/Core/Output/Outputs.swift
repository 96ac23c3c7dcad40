/// What an input caused: plain values, whose texts and lists are ranges of the arenas here.
///
/// One value is filled again and again, so that no record costs an allocation. The machine fills
/// it; `forEach` gives the outputs in the order of the contract (section 10).
package struct Outputs: Sendable {
  /// The arena of all texts.
  package internal(set) var text: [UInt8] = []
  /// The ids of announcements.
  package internal(set) var ids: [Int64] = []
  /// The uids of recipients.
  package internal(set) var uids: [Text] = []
  /// The counts of responses.
  package internal(set) var counts: [MessageCounts] = []

  /// The accepted deletes.
  package internal(set) var deletes: [MessageDeleted] = []
  /// The receipts that added something.
  package internal(set) var receiptsAdded: [ReceiptAdded] = []
  /// The messages that are delivered to all now.
  package internal(set) var deliveredToAll: [Announcement] = []
  /// The messages that are read by all now.
  package internal(set) var readByAll: [Announcement] = []
  /// The answers to exact read receipts.
  package internal(set) var responses: [ReceiptResponse] = []
  /// The unread counts that changed.
  package internal(set) var unread: [UnreadChanged] = []
  /// The threads that changed.
  package internal(set) var threads: [ThreadUpdated] = []
  /// The newest statuses, one a message.
  package internal(set) var statuses: [Status] = []
  /// The records that could not be applied.
  package internal(set) var rejected: [Rejected] = []
  /// What it took to cause them, in things looked at: the measure of a step's length. A message
  /// that a receipt covers is one, a record or something that falls due `Work.thing`.
  package internal(set) var work = 0
  /// What receipts that added nothing were.
  package internal(set) var tally = Tally()
  /// Whether an id lies so far above all known ones that it may be a mistake.
  package internal(set) var hasIdJump = false

  /// Empty outputs.
  package init() {}

  /// What the outputs themselves add to the work.
  var weight: Int { ids.count + Work.output * (statuses.count + rejected.count) }

  /// Forgets everything but the memory it took.
  package mutating func removeAll() {
    text.removeAll(keepingCapacity: true)
    ids.removeAll(keepingCapacity: true)
    uids.removeAll(keepingCapacity: true)
    counts.removeAll(keepingCapacity: true)
    deletes.removeAll(keepingCapacity: true)
    receiptsAdded.removeAll(keepingCapacity: true)
    deliveredToAll.removeAll(keepingCapacity: true)
    readByAll.removeAll(keepingCapacity: true)
    responses.removeAll(keepingCapacity: true)
    unread.removeAll(keepingCapacity: true)
    threads.removeAll(keepingCapacity: true)
    statuses.removeAll(keepingCapacity: true)
    rejected.removeAll(keepingCapacity: true)
    tally = Tally()
    hasIdJump = false
    work = 0
  }

  /// The outputs one by one, in the order of the contract.
  package enum Item {
    case messageDeleted(MessageDeleted)
    case receiptAdded(ReceiptAdded)
    case announcement(Announcement)
    case response(ReceiptResponse)
    case unreadChanged(UnreadChanged)
    case threadUpdated(ThreadUpdated)
    case status(Status)
    case rejected(Rejected)
  }

  /// Calls `body` with each output, in the order of the contract.
  package func forEach<E: Error>(_ body: (Item) throws(E) -> Void) throws(E) {
    for item in deletes { try body(.messageDeleted(item)) }
    for item in receiptsAdded { try body(.receiptAdded(item)) }
    for item in deliveredToAll { try body(.announcement(item)) }
    for item in readByAll { try body(.announcement(item)) }
    for item in responses { try body(.response(item)) }
    for item in unread { try body(.unreadChanged(item)) }
    for item in threads { try body(.threadUpdated(item)) }
    for item in statuses { try body(.status(item)) }
    for item in rejected { try body(.rejected(item)) }
  }

  /// Puts a text into the arena.
  mutating func add(_ bytes: [UInt8]) -> Text {
    defer { text.append(contentsOf: bytes) }
    return Text(start: text.count, count: bytes.count)
  }

  /// Puts a text into the arena.
  mutating func add(copying bytes: Span<UInt8>) -> Text {
    let start = text.count
    text.append(copying: bytes)
    return Text(start: start, count: bytes.count)
  }

  /// Brings the statuses of one input into the order of conversation and id, one a message, its
  /// last.
  mutating func sortStatuses() {
    guard statuses.count > 1 else { return }
    let text = text
    let unsorted = statuses
    statuses.removeAll(keepingCapacity: true)
    let order = unsorted.indices.sorted { a, b in
      let (left, right) = (unsorted[a], unsorted[b])
      if text[left.conversation.range].elementsEqual(text[right.conversation.range]) {
        return (left.messageId, a) < (right.messageId, b)
      }
      return text[left.conversation.range].lexicographicallyPrecedes(text[right.conversation.range])
    }
    for status in order.lazy.map({ unsorted[$0] }) {
      if let last = statuses.last, last.messageId == status.messageId,
        text[last.conversation.range].elementsEqual(text[status.conversation.range])
      {
        statuses.removeLast()
      }
      statuses.append(status)
    }
  }

  /// Says of the last rejection which key was expected, where the event does.
  mutating func expect(_ key: Text?, of event: Event) {
    guard let key, var item = rejected.popLast() else { return }
    item.expectedKey = add(copying: event.text.span.extracting(key.range))
    rejected.append(item)
  }
}

/// What is weighed more than a look at one message of one member, in such looks.
package enum Work {
  /// A record applied, or something that falls due.
  package static let thing = 100
  /// An output, or a uid that a record names.
  package static let output = 50
}

/// How many receipts of an input added nothing, by reason.
package struct Tally: Equatable, Sendable {
  /// What it covers was covered before (a duplicate, or an older receipt).
  package var covered = 0
  /// Only the member's own messages.
  package var own = 0
  /// Messages in whose audience the member is not.
  package var notInAudience = 0
  /// Messages that are not tracked.
  package var notTracked = 0
  /// A message older than all that is known.
  package var tooOld = 0

  /// None.
  package init() {}
}
