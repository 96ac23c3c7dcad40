import Lab

@testable import Core

/// Random pieces of state, with every optional field there or not and numbers of every size.
struct StateSamples {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func change() -> Change {
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      .conversation(
        ConversationState(
          conversation: bytes(), roster: pick([.unknown, .known, .tooLarge]),
          firstRosterId: maybe { $0.number() }, largeFloor: maybe { $0.number() },
          highestExpiredId: number(), lastRecordAt: maybe { $0.instant() }))
    case 1: .member(member())
    case 2: .message(message())
    case 3:
      .marks(MarksState(conversation: bytes(), id: number(), delivered: words(), read: words()))
    case 4: .waiting(waiting())
    case 5:
      .thread(ThreadState(conversation: bytes(), parentMessageId: number(), replyCount: number()))
    case 6: .position(position())
    case 7:
      .deletion(
        DeletionState(
          conversation: bytes(), id: number(), deletedBy: bytes(), deletedAt: instant(),
          acceptedAt: maybe { $0.instant() }))
    default: .removed(key())
    }
  }

  mutating func key() -> ChangeKey {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: .conversation(bytes())
    case 1: .member(bytes(), slot: slot())
    case 2: .message(bytes(), id: number())
    case 3: .marks(bytes(), id: number())
    case 4: .thread(bytes(), parent: number())
    case 5: .position(bytes(), slot: slot(), parent: number())
    case 6: .deletion(bytes(), id: number())
    default: .waiting(ticket: number())
    }
  }

  private mutating func member() -> MemberState {
    let periods = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
      Period(
        beginId: number(), beginSequence: number(), endId: maybe { $0.number() },
        endSequence: maybe { $0.number() }, endedAt: maybe { $0.instant() },
        isExempt: Bool.random(using: &random))
    }
    return MemberState(
      conversation: bytes(), slot: slot(), uid: bytes(),
      scope: pick([.participant, .moderator, .admin, .owner]), periods: periods,
      progress: progress())
  }

  private mutating func position() -> PositionState {
    PositionState(
      conversation: bytes(), slot: slot(), parentMessageId: number(), progress: progress())
  }

  private mutating func progress() -> Progress {
    Progress(delivered: watermarks(), read: watermarks(), cursor: cursor())
  }

  private mutating func cursor() -> Cursor {
    var cursor = Cursor()
    if let position = maybe({ $0.number() }) { cursor.position = position }
    if let id = maybe({ $0.number() }) { cursor.lastReadId = id }
    if let at = maybe({ $0.instant() }) { cursor.newestRead = at }
    if let at = maybe({ $0.instant() }) { cursor.newestUnread = at }
    if let at = maybe({ $0.instant() }) { cursor.newestConversationRead = at }
    return cursor
  }

  private mutating func watermarks() -> Watermarks {
    var marks = Watermarks()
    if let upTo = maybe({ $0.number() }) { marks.upTo = upTo }
    if let at = maybe({ $0.instant() }) { marks.upToAt = at }
    if let at = maybe({ $0.instant() }) { marks.sentUpTo = at }
    if let at = maybe({ $0.instant() }) { marks.sentUpToAt = at }
    return marks
  }

  private mutating func message() -> MessageState {
    let counts = maybe { samples in
      Counts(
        delivered: samples.int32(), pendingDelivered: samples.int32(), read: samples.int32(),
        pendingRead: samples.int32())
    }
    let body = MessageBody.message(
      senderSlot: int32(), messageUId: maybe { $0.bytes() },
      parentMessageId: maybe { $0.number() } ?? 0,
      tracking: pick(Tracking.allCases),
      announced: Announced(deliveredAt: maybe { $0.instant() }, readAt: maybe { $0.instant() }),
      finalCounts: counts)
    return MessageState(
      conversation: bytes(), id: number(), sequence: number(), appliedAt: instant(),
      sentAt: instant(), body: maybe { _ in body } ?? .action)
  }

  private mutating func waiting() -> WaitingState {
    WaitingState(
      ticket: number(),
      source: Coordinates(
        topic: pick(InputTopic.allCases), partition: int32(), offset: number(),
        timestamp: maybe { $0.instant() }),
      key: bytes(), value: bytes(), appliedAt: instant(),
      missing: (0..<Int.random(in: 0..<4, using: &random)).map { _ in int32() },
      eventsSoFar: number(), waitsForMember: Bool.random(using: &random))
  }

  private mutating func slot() -> Int32 { Int32.random(in: 0..<(1 << 24), using: &random) }

  private mutating func int32() -> Int32 { Int32(truncatingIfNeeded: number()) }

  private mutating func instant() -> Instant { Instant(milliseconds: number()) }

  private mutating func number() -> Int64 {
    let edges: [Int64] = [.min, .max, 0, 1, -1, 127, 128, 255, 256, 1_771_586_990_250]
    let edge = maybe { $0.pick(edges) }
    return edge ?? Int64.random(in: .min ... .max, using: &random)
      >> Int64.random(in: 0..<64, using: &random)
  }

  private mutating func words() -> [UInt64] {
    (0..<Int.random(in: 0..<4, using: &random)).map { _ in UInt64(bitPattern: number()) }
  }

  private mutating func bytes() -> [UInt8] {
    let count = pick([0, 1, 5, 127, 128, 300])
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  private mutating func pick<T>(_ choices: [T]) -> T {
    choices[Int.random(in: choices.indices, using: &random)]
  }

  private mutating func maybe<T>(_ make: (inout StateSamples) -> T) -> T? {
    Bool.random(using: &random) ? make(&self) : nil
  }
}
