/// What one application of a record needs besides the conversation.
struct Application {
  /// The record being applied: the one that completes what it completes.
  var source: Coordinates
  /// Its place in time, where it is a record of the message topic.
  var sequence: Int64 = 0
  /// The timestamp that counts for it.
  var timestamp: Instant
  /// Stream time.
  var now: Instant
  /// The conversation's id in the arena of the outputs, once it is there.
  var conversation: Text?
  /// How many events the record has caused so far.
  var eventsSoFar: Int64 = 0

  /// Gives the next number among the record's events.
  mutating func nextEvent() -> EventNumber {
    defer { eventsSoFar += 1 }
    return EventNumber(topic: source.topic, offset: source.offset, number: eventsSoFar)
  }
}

/// The receipts that a record has woken: they are applied in the order of their tickets.
struct Woken {
  let slot: Int
  let tickets: [Int64]
  var next = 0
  /// Of the record that has woken them.
  var application: Application
}

/// Memory that is used again for every record.
struct Scratch {
  /// Timeline indices of messages that a receipt newly covers, in its own kind.
  var covered: [Int] = []
  /// Timeline indices of messages for which a receipt has left nobody to be waited for.
  var settled: [Int] = []
  /// Timeline indices of messages that became complete.
  var deliveredToAll: [Int] = []
  var readByAll: [Int] = []
  /// Timeline indices of the messages that an exact receipt names.
  var named: [Int] = []
  /// Positions in a receipt's list of ids.
  var missing: [Int32] = []
  /// A mark for each slot that a roster names.
  var isNamed: [Bool] = []
  var groups = SenderGroups()
  /// The slots, rising, whose memberships a record ends; and what that takes off which message.
  var leavers: [Int32] = []
  var releases = Releases()
  /// Messages and members that were looked at.
  var work = 0
  /// Ids whose status is to be written.
  var touched: [Int64] = []

  mutating func begin() {
    covered.removeAll(keepingCapacity: true)
    deliveredToAll.removeAll(keepingCapacity: true)
    readByAll.removeAll(keepingCapacity: true)
  }
}
