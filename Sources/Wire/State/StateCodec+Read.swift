import Core

/// The values of the changelog, as they are read.
extension StateCodec {
  static func readChange(
    _ key: ChangeKey, _ reader: inout StateReader
  ) throws(StateError) -> Change {
    switch key {
    case .conversation(let conversation):
      return .conversation(try readConversation(conversation, &reader))
    case .member(let conversation, let slot):
      return .member(try readMember(conversation, slot, &reader))
    case .message(let conversation, let id):
      return .message(try readMessage(conversation, id, &reader))
    case .marks(let conversation, let id):
      let delivered = try readWords(&reader)
      let read = try readWords(&reader)
      return .marks(
        MarksState(conversation: conversation, id: id, delivered: delivered, read: read))
    case .thread(let conversation, let parent):
      return .thread(
        ThreadState(
          conversation: conversation, parentMessageId: parent, replyCount: try reader.zigzag()))
    case .position(let conversation, let slot, let parent):
      var bases = StateBases(id: parent)
      return .position(
        PositionState(
          conversation: conversation, slot: slot, parentMessageId: parent,
          progress: try readProgress(&reader, &bases)))
    case .deletion(let conversation, let id):
      return .deletion(
        DeletionState(
          conversation: conversation, id: id, deletedBy: try reader.counted(),
          deletedAt: Instant(milliseconds: try reader.zigzag()),
          acceptedAt: try readInstant(&reader)))
    case .waiting(let ticket):
      return .waiting(try readWaiting(ticket, &reader))
    }
  }

  private static func readConversation(
    _ conversation: [UInt8], _ reader: inout StateReader
  ) throws(StateError) -> ConversationState {
    guard let roster = RosterState(rawValue: try reader.byte()) else { throw .malformed }
    let flags = try reader.flags(ConversationFlags.all)
    var state = ConversationState(
      conversation: conversation, roster: roster, firstRosterId: nil, largeFloor: nil,
      highestExpiredId: 0, lastRecordAt: nil)
    var id: Int64 = 0
    if flags & ConversationFlags.firstRosterId != 0 {
      state.firstRosterId = try reader.number(since: &id)
    }
    if flags & ConversationFlags.largeFloor != 0 {
      state.largeFloor = try reader.number(since: &id)
    }
    if flags & ConversationFlags.highestExpiredId != 0 {
      state.highestExpiredId = try reader.number(since: &id)
    }
    if flags & ConversationFlags.lastRecordAt != 0 {
      state.lastRecordAt = Instant(milliseconds: try reader.zigzag())
    }
    return state
  }

  private static func readMember(
    _ conversation: [UInt8], _ slot: Int32, _ reader: inout StateReader
  ) throws(StateError) -> MemberState {
    guard let scope = Scope(rawValue: try reader.byte()) else { throw .malformed }
    var state = MemberState(
      conversation: conversation, slot: slot, uid: try reader.counted(), scope: scope, periods: [])
    var bases = StateBases()
    for _ in 0..<(try reader.count()) {
      state.periods.append(try readPeriod(&reader, &bases))
    }
    state.progress = try readProgress(&reader, &bases)
    return state
  }

  private static func readPeriod(
    _ reader: inout StateReader, _ bases: inout StateBases
  ) throws(StateError) -> Period {
    let flags = try reader.flags(PeriodFlags.all)
    var period = Period(
      beginId: try reader.number(since: &bases.id),
      beginSequence: try reader.number(since: &bases.sequence), endId: nil, endSequence: nil,
      endedAt: nil, isExempt: flags & PeriodFlags.exempt != 0)
    if flags & PeriodFlags.endId != 0 { period.endId = try reader.number(since: &bases.id) }
    if flags & PeriodFlags.endSequence != 0 {
      period.endSequence = try reader.number(since: &bases.sequence)
    }
    if flags & PeriodFlags.endedAt != 0 {
      period.endedAt = try reader.instant(since: &bases.time)
    }
    return period
  }

  private static func readWatermarks(
    _ reader: inout StateReader, _ bases: inout StateBases
  ) throws(StateError) -> Watermarks {
    let flags = try reader.flags(WatermarkFlags.all)
    var marks = Watermarks()
    if flags & WatermarkFlags.upTo != 0 { marks.upTo = try reader.number(since: &bases.id) }
    if flags & WatermarkFlags.upToAt != 0 { marks.upToAt = try reader.instant(since: &bases.time) }
    if flags & WatermarkFlags.sentUpTo != 0 {
      marks.sentUpTo = try reader.instant(since: &bases.time)
    }
    if flags & WatermarkFlags.sentUpToAt != 0 {
      marks.sentUpToAt = try reader.instant(since: &bases.time)
    }
    return marks
  }

  private static func readCursor(
    _ reader: inout StateReader, _ bases: inout StateBases
  ) throws(StateError) -> Cursor {
    let flags = try reader.flags(CursorFlags.all)
    var cursor = Cursor()
    if flags & CursorFlags.position != 0 { cursor.position = try reader.number(since: &bases.id) }
    if flags & CursorFlags.lastReadId != 0 {
      cursor.lastReadId = try reader.number(since: &bases.id)
    }
    if flags & CursorFlags.newestRead != 0 {
      cursor.newestRead = try reader.instant(since: &bases.time)
    }
    if flags & CursorFlags.newestUnread != 0 {
      cursor.newestUnread = try reader.instant(since: &bases.time)
    }
    if flags & CursorFlags.newestConversationRead != 0 {
      cursor.newestConversationRead = try reader.instant(since: &bases.time)
    }
    return cursor
  }

  private static func readProgress(
    _ reader: inout StateReader, _ bases: inout StateBases
  ) throws(StateError) -> Progress {
    Progress(
      delivered: try readWatermarks(&reader, &bases), read: try readWatermarks(&reader, &bases),
      cursor: try readCursor(&reader, &bases))
  }

  private static func readMessage(
    _ conversation: [UInt8], _ id: Int64, _ reader: inout StateReader
  ) throws(StateError) -> MessageState {
    let flags = try reader.flags(MessageFlags.all)
    var time: Int64 = 0
    var state = MessageState(
      conversation: conversation, id: id, sequence: try reader.zigzag(),
      appliedAt: try reader.instant(since: &time), sentAt: try reader.instant(since: &time),
      body: .action)
    guard flags & MessageFlags.message != 0 else {
      guard flags == 0 else { throw .malformed }
      return state
    }
    guard let tracking = Tracking(rawValue: try reader.byte()) else { throw .malformed }
    let sender = try reader.int32()
    var uid: [UInt8]?
    if flags & MessageFlags.messageUId != 0 { uid = try reader.counted() }
    var parent: Int64 = 0
    if flags & MessageFlags.parent != 0 { parent = id &+ (try reader.zigzag()) }
    var announced = Announced()
    if flags & MessageFlags.deliveredAt != 0 {
      announced.deliveredAt = try reader.instant(since: &time)
    }
    if flags & MessageFlags.readAt != 0 { announced.readAt = try reader.instant(since: &time) }
    var counts: Counts?
    if flags & MessageFlags.counts != 0 {
      counts = Counts(
        delivered: try reader.int32(), pendingDelivered: try reader.int32(),
        read: try reader.int32(), pendingRead: try reader.int32())
    }
    state.body = .message(
      senderSlot: sender, messageUId: uid, parentMessageId: parent,
      tracking: tracking, announced: announced, finalCounts: counts)
    return state
  }

  private static func readWords(_ reader: inout StateReader) throws(StateError) -> [UInt64] {
    var words: [UInt64] = []
    for _ in 0..<(try reader.count()) { words.append(try reader.varint()) }
    return words
  }

  private static func readWaiting(
    _ ticket: Int64, _ reader: inout StateReader
  ) throws(StateError) -> WaitingState {
    guard let topic = InputTopic(rawValue: try reader.byte()) else { throw .malformed }
    let partition = try reader.int32()
    let offset = try reader.zigzag()
    let timestamp = try readInstant(&reader)
    var state = WaitingState(
      ticket: ticket,
      source: Coordinates(
        topic: topic, partition: partition, offset: offset, timestamp: timestamp),
      key: try reader.counted(), value: try reader.counted(),
      appliedAt: Instant(milliseconds: try reader.zigzag()), missing: [],
      eventsSoFar: try reader.zigzag(), waitsForMember: try reader.flags(1) == 1)
    var position: Int64 = 0
    for _ in 0..<(try reader.count()) {
      guard let missing = Int32(exactly: try reader.number(since: &position)) else {
        throw .malformed
      }
      state.missing.append(missing)
    }
    return state
  }

  static func readInstant(_ reader: inout StateReader) throws(StateError) -> Instant? {
    guard try reader.flags(1) == 1 else { return nil }
    return Instant(milliseconds: try reader.zigzag())
  }
}
