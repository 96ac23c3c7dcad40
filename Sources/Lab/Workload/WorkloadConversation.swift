import Core
import Worker

/// One conversation of the workload. It goes through bursts for ever: perhaps somebody comes or
/// goes, some write, then all devices receive and all members read.
///
///     founding --roster--> changing --> talking --> receiving --> reading
///                             ^                                     |
///                             +-------------------------------------+
struct WorkloadConversation: Sendable {
  enum Kind: Equatable, Sendable {
    case group
    /// A group of which no roster ever comes.
    case groupWithoutRoster
    case pair
  }

  enum Phase: Equatable, Sendable {
    case founding, changing
    case talking(left: Int)
    /// All members in turn, in an order that `pass` gives.
    case receiving(turn: Int)
    case reading(turn: Int)
  }

  let kind: Kind
  let names: WorkloadNames
  let partition: Int32
  /// The size that it keeps close to.
  let size: Int
  let tellsWholeSeconds: Bool
  let takesCrowds: Bool

  var members: [WorkloadMember] = []
  /// Some who have gone, with ids of what they had read.
  var leavers: [WorkloadMember] = []
  /// The newest messages, oldest first in a ring.
  var recent = WorkloadRecent()
  var phase = Phase.founding
  /// Whether the last step ended a burst.
  private(set) var isDone = false
  var pass = WorkloadPass(count: 1, start: 0)
  /// The next number of somebody new.
  var nextMember: Int64
  /// The id given last.
  var lastId: Int64
  /// The newest id that was skipped and never comes.
  var skippedId: Int64?
  /// Below all ids given.
  let ancientId: Int64
  /// The newest id of an action.
  var actionId: Int64?
  /// A crowd is in.
  var hasCrowd = false
  /// Who is about to mark something unread, as an index of `members`.
  var unreadBy: Int?

  init(
    _ kind: Kind, names: WorkloadNames, size: Int, pen: inout WorkloadPen
  ) {
    self.kind = kind
    self.names = names
    self.size = size
    partition = Partitioner.murmur2.partition(of: names.key.span, count: pen.partitionCount)
    tellsWholeSeconds = pen.chance(pen.options.wholeSeconds)
    takesCrowds =
      kind == .group && size <= pen.options.maxGroupMembers && pen.chance(pen.options.crowds)
    nextMember = kind == .pair ? 0 : Int64(pen.below(1_000_000))
    // Some systems give ids that a double does not hold.
    ancientId = (pen.below(20) == 0 ? 1 << 53 : 0) + 10 + Int64(pen.below(100_000))
    lastId = ancientId + 10
  }

  /// Time as this conversation's clients tell it.
  func told(_ time: Int64) -> Int64 { tellsWholeSeconds ? time / 1000 * 1000 : time }

  /// The next id; some are skipped.
  mutating func newId(_ pen: inout WorkloadPen) -> Int64 {
    if pen.below(50) == 0 {
      lastId += 1
      skippedId = lastId
    }
    lastId += 1
    return lastId
  }

  /// Writes the next record.
  mutating func step(_ pen: inout WorkloadPen) {
    isDone = false
    if recent.count > 0, soil(&pen) { return }
    while true {
      switch phase {
      case .founding:
        recent.reserve(min(max(16, 2 * pen.options.burst), 1000))
        found(&pen)
        phase = .talking(left: 1 + pen.below(max(1, pen.options.burst)))
        if kind == .group { return writeRoster(&pen) }
      case .changing:
        phase = .talking(left: 1 + pen.below(max(1, pen.options.burst)))
        if kind == .group, pen.chance(pen.options.churn) { return change(&pen) }
      case .talking(let left):
        if pen.chance(pen.options.deletes), delete(&pen) { return }
        if pen.chance(pen.options.edits), edit(&pen) { return }
        if left > 1 {
          phase = .talking(left: left - 1)
        } else {
          begin(.receiving(turn: 0), &pen)
        }
        return talk(&pen)
      case .receiving(let turn):
        guard turn < members.count else {
          begin(.reading(turn: 0), &pen)
          continue
        }
        phase = .receiving(turn: turn + 1)
        if receive(pass[turn], &pen) { return }
      case .reading(let turn):
        if let index = unreadBy {
          unreadBy = nil
          if markUnread(index, &pen) { return }
        }
        guard turn < members.count else {
          phase = .changing
          isDone = true
          continue
        }
        phase = .reading(turn: turn + 1)
        // Some do not wait until all have read.
        if pen.below(2 * members.count) == 0 { return talk(&pen) }
        if read(pass[turn], &pen) { return }
      }
    }
  }

  private mutating func begin(_ phase: Phase, _ pen: inout WorkloadPen) {
    self.phase = phase
    pass = WorkloadPass(count: members.count, start: pen.below(members.count))
  }

  private mutating func found(_ pen: inout WorkloadPen) {
    let count = kind == .pair && names.isAlone ? 1 : size
    members.reserveCapacity(count)
    for index in 0..<count { members.append(newMember(&pen, isFounder: index < 2)) }
  }

  /// Somebody new. The two founders manage the group, stay, and behave.
  mutating func newMember(_ pen: inout WorkloadPen, isFounder: Bool = false) -> WorkloadMember {
    defer { nextMember += 1 }
    var member = WorkloadMember(number: nextMember)
    guard !isFounder, kind != .pair else { return member }
    member.isExact = pen.chance(pen.options.exact)
    member.isSlow = !member.isExact && pen.chance(pen.options.slow)
    member.isSilent = pen.chance(pen.options.silent)
    member.isExempt = kind == .group && pen.chance(pen.options.exempt)
    return member
  }
}

/// Somebody who is or was in a conversation.
struct WorkloadMember: Sendable {
  /// Names the member in the conversation.
  var number: Int64
  var isExact = false
  var isSlow = false
  var isSilent = false
  var isExempt = false
  var isModerator = false
  /// Up to where the member has read.
  var seen: Int64 = 0
  /// What a slow device is still to tell: up to where the member had read, and when.
  var untold: (id: Int64, time: Int64)?

  init(number: Int64) { self.number = number }
}

/// An order in which all of some members come, that needs no memory.
struct WorkloadPass: Sendable {
  private let count: Int
  private let start: Int
  private let stride: Int

  init(count: Int, start: Int) {
    self.count = count
    self.start = start
    // A prime: it meets all, unless it divides their number.
    stride = count.isMultiple(of: 7919) ? 1 : 7919
  }

  subscript(turn: Int) -> Int { (start + turn * stride) % count }
}
