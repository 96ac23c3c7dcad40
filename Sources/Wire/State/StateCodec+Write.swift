import Core

/// The values of the changelog, as they are written.
extension StateCodec {
  static func write(_ change: Change, to bytes: inout [UInt8]) {
    bytes.append(version)
    switch change {
    case .conversation(let state): write(state, to: &bytes)
    case .member(let state): write(state, to: &bytes)
    case .message(let state): write(state, to: &bytes)
    case .marks(let state):
      write(state.delivered, to: &bytes)
      write(state.read, to: &bytes)
    case .thread(let state): bytes.append(zigzag: state.replyCount)
    case .position(let state): write(state, to: &bytes)
    case .deletion(let state): write(state, to: &bytes)
    case .waiting(let state): write(state, to: &bytes)
    case .removed: break
    }
  }

  private static func write(_ state: ConversationState, to bytes: inout [UInt8]) {
    bytes.append(state.roster.rawValue)
    bytes.append(
      (state.firstRosterId == nil ? 0 : ConversationFlags.firstRosterId)
        | (state.largeFloor == nil ? 0 : ConversationFlags.largeFloor)
        | (state.highestExpiredId == 0 ? 0 : ConversationFlags.highestExpiredId)
        | (state.lastRecordAt == nil ? 0 : ConversationFlags.lastRecordAt))
    var id: Int64 = 0
    if let roster = state.firstRosterId { bytes.append(roster, since: &id) }
    if let floor = state.largeFloor { bytes.append(floor, since: &id) }
    if state.highestExpiredId != 0 { bytes.append(state.highestExpiredId, since: &id) }
    if let at = state.lastRecordAt { bytes.append(zigzag: at.milliseconds) }
  }

  private static func write(_ state: MemberState, to bytes: inout [UInt8]) {
    bytes.append(state.scope.rawValue)
    bytes.append(counted: state.uid)
    bytes.append(varint: UInt64(state.periods.count))
    var id: Int64 = 0
    var sequence: Int64 = 0
    var time: Int64 = 0
    for period in state.periods {
      bytes.append(
        (period.isExempt ? PeriodFlags.exempt : 0)
          | (period.endId == nil ? 0 : PeriodFlags.endId)
          | (period.endSequence == nil ? 0 : PeriodFlags.endSequence)
          | (period.endedAt == nil ? 0 : PeriodFlags.endedAt))
      bytes.append(period.beginId, since: &id)
      bytes.append(period.beginSequence, since: &sequence)
      if let end = period.endId { bytes.append(end, since: &id) }
      if let end = period.endSequence { bytes.append(end, since: &sequence) }
      if let end = period.endedAt { bytes.append(end, since: &time) }
    }
    var bases = StateBases(id: id, sequence: sequence, time: time)
    write(state.progress, to: &bytes, &bases)
  }

  private static func write(_ state: PositionState, to bytes: inout [UInt8]) {
    var bases = StateBases(id: state.parentMessageId)
    write(state.progress, to: &bytes, &bases)
  }

  private static func write(
    _ progress: Progress, to bytes: inout [UInt8], _ bases: inout StateBases
  ) {
    write(progress.delivered, to: &bytes, &bases)
    write(progress.read, to: &bytes, &bases)
    write(progress.cursor, to: &bytes, &bases)
  }

  private static func write(_ state: DeletionState, to bytes: inout [UInt8]) {
    bytes.append(counted: state.deletedBy)
    bytes.append(zigzag: state.deletedAt.milliseconds)
    write(state.acceptedAt, to: &bytes)
  }

  private static func write(
    _ marks: Watermarks, to bytes: inout [UInt8], _ bases: inout StateBases
  ) {
    bytes.append(
      (marks.upTo == 0 ? 0 : WatermarkFlags.upTo)
        | (marks.upToAt == .distantPast ? 0 : WatermarkFlags.upToAt)
        | (marks.sentUpTo == .distantPast ? 0 : WatermarkFlags.sentUpTo)
        | (marks.sentUpToAt == .distantPast ? 0 : WatermarkFlags.sentUpToAt))
    if marks.upTo != 0 { bytes.append(marks.upTo, since: &bases.id) }
    if marks.upToAt != .distantPast { bytes.append(marks.upToAt, since: &bases.time) }
    if marks.sentUpTo != .distantPast { bytes.append(marks.sentUpTo, since: &bases.time) }
    if marks.sentUpToAt != .distantPast { bytes.append(marks.sentUpToAt, since: &bases.time) }
  }

  private static func write(
    _ cursor: Cursor, to bytes: inout [UInt8], _ bases: inout StateBases
  ) {
    bytes.append(
      (cursor.position == 0 ? 0 : CursorFlags.position)
        | (cursor.lastReadId == 0 ? 0 : CursorFlags.lastReadId)
        | (cursor.newestRead == .distantPast ? 0 : CursorFlags.newestRead)
        | (cursor.newestUnread == .distantPast ? 0 : CursorFlags.newestUnread)
        | (cursor.newestConversationRead == .distantPast
          ? 0 : CursorFlags.newestConversationRead))
    if cursor.position != 0 { bytes.append(cursor.position, since: &bases.id) }
    if cursor.lastReadId != 0 { bytes.append(cursor.lastReadId, since: &bases.id) }
    if cursor.newestRead != .distantPast { bytes.append(cursor.newestRead, since: &bases.time) }
    if cursor.newestUnread != .distantPast {
      bytes.append(cursor.newestUnread, since: &bases.time)
    }
    if cursor.newestConversationRead != .distantPast {
      bytes.append(cursor.newestConversationRead, since: &bases.time)
    }
  }

  private static func write(_ state: MessageState, to bytes: inout [UInt8]) {
    var time: Int64 = 0
    guard
      case .message(let sender, let uid, let parent, let tracking, let announced, let counts) =
        state.body
    else {
      bytes.append(0)
      bytes.append(zigzag: state.sequence)
      bytes.append(state.appliedAt, since: &time)
      bytes.append(state.sentAt, since: &time)
      return
    }
    bytes.append(
      MessageFlags.message
        | (uid == nil ? 0 : MessageFlags.messageUId)
        | (parent == 0 ? 0 : MessageFlags.parent)
        | (announced.deliveredAt == nil ? 0 : MessageFlags.deliveredAt)
        | (announced.readAt == nil ? 0 : MessageFlags.readAt)
        | (counts == nil ? 0 : MessageFlags.counts))
    bytes.append(zigzag: state.sequence)
    bytes.append(state.appliedAt, since: &time)
    bytes.append(state.sentAt, since: &time)
    bytes.append(tracking.rawValue)
    bytes.append(zigzag: Int64(sender))
    if let uid { bytes.append(counted: uid) }
    if parent != 0 { bytes.append(zigzag: parent &- state.id) }
    if let at = announced.deliveredAt { bytes.append(at, since: &time) }
    if let at = announced.readAt { bytes.append(at, since: &time) }
    if let counts {
      bytes.append(zigzag: Int64(counts.delivered))
      bytes.append(zigzag: Int64(counts.pendingDelivered))
      bytes.append(zigzag: Int64(counts.read))
      bytes.append(zigzag: Int64(counts.pendingRead))
    }
  }

  private static func write(_ words: [UInt64], to bytes: inout [UInt8]) {
    bytes.append(varint: UInt64(words.count))
    for word in words { bytes.append(varint: word) }
  }

  private static func write(_ state: WaitingState, to bytes: inout [UInt8]) {
    bytes.append(state.source.topic.rawValue)
    bytes.append(zigzag: Int64(state.source.partition))
    bytes.append(zigzag: state.source.offset)
    write(state.source.timestamp, to: &bytes)
    bytes.append(counted: state.key)
    bytes.append(counted: state.value)
    bytes.append(zigzag: state.appliedAt.milliseconds)
    bytes.append(zigzag: state.eventsSoFar)
    bytes.append(state.waitsForMember ? 1 : 0)
    bytes.append(varint: UInt64(state.missing.count))
    var position: Int64 = 0
    for missing in state.missing { bytes.append(Int64(missing), since: &position) }
  }

  static func write(_ instant: Instant?, to bytes: inout [UInt8]) {
    bytes.append(instant == nil ? 0 : 1)
    if let instant { bytes.append(zigzag: instant.milliseconds) }
  }
}

/// Which of its optional fields a conversation has.
enum ConversationFlags {
  static let firstRosterId: UInt8 = 1
  static let largeFloor: UInt8 = 2
  static let highestExpiredId: UInt8 = 4
  static let lastRecordAt: UInt8 = 8
  static let all: UInt8 = 15
}

/// Which of its optional fields a cursor has.
enum CursorFlags {
  static let position: UInt8 = 1
  static let lastReadId: UInt8 = 2
  static let newestRead: UInt8 = 4
  static let newestUnread: UInt8 = 8
  static let newestConversationRead: UInt8 = 16
  static let all: UInt8 = 31
}

/// Which of its optional fields a period has.
enum PeriodFlags {
  static let exempt: UInt8 = 1
  static let endId: UInt8 = 2
  static let endSequence: UInt8 = 4
  static let endedAt: UInt8 = 8
  static let all: UInt8 = 15
}

/// Which watermarks have moved.
enum WatermarkFlags {
  static let upTo: UInt8 = 1
  static let upToAt: UInt8 = 2
  static let sentUpTo: UInt8 = 4
  static let sentUpToAt: UInt8 = 8
  static let all: UInt8 = 15
}

/// Which of its optional fields a message has.
enum MessageFlags {
  static let message: UInt8 = 1
  static let messageUId: UInt8 = 2
  static let parent: UInt8 = 4
  static let deliveredAt: UInt8 = 8
  static let readAt: UInt8 = 16
  static let counts: UInt8 = 32
  static let all: UInt8 = 63
}
