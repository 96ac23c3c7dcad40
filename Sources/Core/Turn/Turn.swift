/// One turn of the engine: the record in hand and all that is needed to apply it, handed through
/// every rule as one value. A machine has one, and uses it again for every input.
struct Turn {
  /// The record that is being applied.
  struct Record {
    /// Where it lies.
    var source: Coordinates
    /// Its number in the order of the message topic, where it is a record of that.
    var sequence: Int64 = 0
    /// The timestamp that counts for it.
    var timestamp: Instant
    /// How many events it has caused so far.
    var eventsSoFar: Int64 = 0
    /// The conversation's id in the arena of the outputs, once it is there.
    fileprivate var conversation: Text?

    init(source: Coordinates, sequence: Int64 = 0, timestamp: Instant, eventsSoFar: Int64 = 0) {
      self.source = source
      self.sequence = sequence
      self.timestamp = timestamp
      self.eventsSoFar = eventsSoFar
    }
  }

  /// The options in force.
  let rules: Rules
  /// Stream time.
  var now = Instant.distantPast
  var record = Record(
    source: Coordinates(topic: .messages, partition: 0, offset: 0, timestamp: nil),
    timestamp: .distantPast)
  /// What the input has caused so far.
  var outputs = Outputs()
  var scratch = Scratch()

  init(rules: Rules) { self.rules = rules }

  /// Goes on with another record.
  ///
  /// - Returns: the one before, for when this one is done.
  mutating func begin(_ next: Record) -> Record {
    defer { record = next }
    return record
  }

  /// Gives the next number among the record's events.
  mutating func nextEvent() -> EventNumber {
    defer { record.eventsSoFar += 1 }
    return EventNumber(
      topic: record.source.topic, offset: record.source.offset, number: record.eventsSoFar)
  }

  /// The conversation's id in the arena of the outputs, put there once for each record.
  mutating func text(ofConversation id: [UInt8]) -> Text {
    if let text = record.conversation { return text }
    let text = outputs.add(id)
    record.conversation = text
    return text
  }

  /// Rejects the record; a value that is larger than an input may be, and a key that no output
  /// topic has to take, are left out.
  mutating func reject(_ rejection: Rejection, key: Span<UInt8>?, value: Span<UInt8>?) {
    var item = Rejected(rejection: rejection, source: record.source, timestamp: record.timestamp)
    if let key, key.count > Event.maxKeyBytes {
      item.omittedKeyBytes = key.count
    } else if let key {
      item.key = outputs.add(copying: key)
    }
    if let value, value.count > rules.maxRecordBytes {
      item.omittedBytes = value.count
    } else if let value {
      item.value = outputs.add(copying: value)
    }
    outputs.rejected.append(item)
  }
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
  /// The slots, rising, whose memberships a record ends.
  var leavers: [Int32] = []
  /// Those whose memberships it has ended.
  var ended: [Int32] = []
  /// What that takes off which message.
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
