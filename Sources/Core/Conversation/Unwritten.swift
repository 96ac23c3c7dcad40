/// What is to be written of a conversation: the pieces of its state that have changed since the
/// last transaction, and the keys of those that are gone.
///
/// A piece that is named here may be gone since then, or be named twice: it is to be written while
/// its own flag says so.
struct Unwritten {
  /// A piece of a conversation's state.
  enum Piece {
    case removed(ChangeKey)
    case conversation
    case member(Int32)
    case message(Int64)
    case marks(Int64)
    case thread(Int64)
    case position(ThreadMember)
    case deletion(Int64)
  }

  /// Whether anything is noted: without a changelog nobody would ever ask for it.
  let isJournaled: Bool
  /// How many pieces are noted that the machine has not counted yet.
  var noted = 0
  /// Whether the machine has the conversation on its list of those with changes.
  var isListed = false
  /// Whether the conversation's own piece is to be written.
  var isOwnChanged = false
  private(set) var removed: [ChangeKey] = []
  private var members: [Int32] = []
  private var messages: [Int64] = []
  private var marks: [Int64] = []
  private var threads: [Int64] = []
  private var positions: [ThreadMember] = []
  private var deletions: [Int64] = []

  init(isJournaled: Bool) { self.isJournaled = isJournaled }

  /// How many pieces there are, with the conversation's own.
  var count: Int {
    removed.count + 1 + members.count + messages.count + marks.count + threads.count
      + positions.count + deletions.count
  }

  /// The pieces in the order in which they are written.
  subscript(_ number: Int) -> Piece {
    var number = number
    func isAmong(_ count: Int) -> Bool {
      if number < count { return true }
      number -= count
      return false
    }
    if isAmong(removed.count) { return .removed(removed[number]) }
    if isAmong(1) { return .conversation }
    if isAmong(members.count) { return .member(members[number]) }
    if isAmong(messages.count) { return .message(messages[number]) }
    if isAmong(marks.count) { return .marks(marks[number]) }
    if isAmong(threads.count) { return .thread(threads[number]) }
    if isAmong(positions.count) { return .position(positions[number]) }
    return .deletion(deletions[number])
  }

  /// Notes a piece, unless its own flag says that it is noted.
  mutating func note(_ piece: Piece, _ isNoted: inout Bool) {
    guard isJournaled, !isNoted else { return }
    isNoted = true
    noted += 1
    switch piece {
    case .removed, .conversation: break
    case .member(let slot): members.append(slot)
    case .message(let id): messages.append(id)
    case .marks(let id): marks.append(id)
    case .thread(let parent): threads.append(parent)
    case .position(let member): positions.append(member)
    case .deletion(let id): deletions.append(id)
    }
  }

  /// Notes that the conversation's own piece is to be written.
  mutating func noteOwn() {
    guard isJournaled else { return }
    if !isOwnChanged { noted += 1 }
    isOwnChanged = true
  }

  /// Notes that a piece is gone.
  ///
  /// - Parameter isWritten: whether the changelog has it.
  mutating func noteRemoved(_ key: ChangeKey, isWritten: Bool) {
    guard isJournaled, isWritten else { return }
    noted += 1
    removed.append(key)
  }

  /// Forgets all, once it is written.
  mutating func removeAll() {
    removed.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    messages.removeAll(keepingCapacity: true)
    marks.removeAll(keepingCapacity: true)
    threads.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    deletions.removeAll(keepingCapacity: true)
    isListed = false
  }
}

extension Conversation {
  mutating func memberChanged(_ slot: Int32) {
    unwritten.note(.member(slot), &members[Int(slot)].isChanged)
  }

  mutating func messageChanged(_ index: Int) {
    unwritten.note(.message(timeline.ids[index]), &timeline.flags[index][.changed])
  }

  mutating func marksChanged(_ index: Int) {
    unwritten.note(.marks(timeline.ids[index]), &timeline.flags[index][.marksChanged])
  }

  mutating func threadChanged(_ parent: Int64) {
    guard threads[parent] != nil else { return }
    unwritten.note(.thread(parent), &threads[parent, default: Thread()].isChanged)
  }

  mutating func deletionChanged(_ id: Int64) {
    guard var deletion = deletions[id] else { return }
    unwritten.note(.deletion(id), &deletion.isChanged)
    deletions[id] = deletion
  }
}
