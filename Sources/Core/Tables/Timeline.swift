/// The ids of a conversation's message topic that are known, in rising order, with what is known
/// of each: parallel arrays, so that a receipt that covers ten thousand messages is one tight loop.
struct Timeline {
  /// Facts of one id that are a bit each.
  struct Flags: OptionSet {
    let rawValue: UInt8
    /// Announced as delivered to all.
    static let deliveredToAll = Flags(rawValue: 1)
    /// Announced as read by all.
    static let readByAll = Flags(rawValue: 2)
    /// The message's piece of state is to be written.
    static let changed = Flags(rawValue: 4)
    /// The piece with its marks is to be written.
    static let marksChanged = Flags(rawValue: 8)
    /// The changelog has a piece with its marks.
    static let marksWritten = Flags(rawValue: 16)
    /// The changelog has the message's piece of state.
    static let written = Flags(rawValue: 32)
    /// Somebody has covered it by an exact receipt.
    static let marked = Flags(rawValue: 64)

    subscript(flag: Flags) -> Bool {
      get { contains(flag) }
      set { if newValue { insert(flag) } else { remove(flag) } }
    }
  }

  /// Who covered a message by exact receipts: a bit for each slot.
  struct Marks: Equatable {
    var delivered = SlotSet()
    var read = SlotSet()
    var isEmpty: Bool { delivered.isEmpty && read.isEmpty }

    mutating func insert(_ slot: Int32, _ kind: ReceiptKind) {
      if kind == .read { read.insert(slot) } else { delivered.insert(slot) }
    }

    /// Takes a member out of those who have read, which includes that they have received; or of
    /// those who have received only.
    mutating func remove(_ slot: Int32, _ kind: ReceiptKind) {
      if kind == .read { read.remove(slot) }
      delivered.remove(slot)
    }
  }

  /// How many at the beginning of the arrays are gone: what expires is mostly the first.
  private var start = 0
  private(set) var ids: [Int64] = []
  private(set) var sequences: [Int64] = []
  private(set) var appliedAt: [Instant] = []
  private(set) var sentAt: [Instant] = []
  /// The sender's slot; -1 for an action.
  private(set) var senders: [Int32] = []
  private(set) var parents: [Int64] = []
  /// The slot of the `messageUId` in the conversation's table; -1 for none.
  private(set) var messageUIdSlots: [Int32] = []
  /// Whether the receipts of a message are counted; nil for an action record.
  private(set) var tracking: [Tracking?] = []
  /// The highest number in the order of the message topic of what was put in.
  private(set) var highestSequence = Int64.min
  /// How many messages have their receipts counted.
  private(set) var trackedCount = 0
  var flags: [Flags] = []
  var counts: [Counts] = []
  var deliveredAt: [Instant] = []
  var readAt: [Instant] = []
  var marks: [Marks?] = []

  /// One id with all that is known of it, for putting in.
  struct Entry {
    var id: Int64
    var sequence: Int64
    var appliedAt: Instant
    var sentAt: Instant
    var sender: Int32 = -1
    var parent: Int64 = 0
    var messageUIdSlot: Int32 = -1
    var tracking: Tracking?
    var flags: Flags = []
    var counts = Counts()
    var deliveredAt = Instant.distantPast
    var readAt = Instant.distantPast
  }

  /// The indices of the known ids.
  var indices: Range<Int> { start..<ids.count }
  /// How many rows there are, those that are gone among them.
  var placeCount: Int { ids.count }
  /// The lowest known id.
  var lowestId: Int64? { start < ids.count ? ids[start] : nil }

  /// The highest known id.
  var highestId: Int64? { start < ids.count ? ids[ids.count - 1] : nil }

  /// The index of a known id.
  func index(of id: Int64) -> Int? {
    guard start < ids.count else { return nil }
    // Most records speak of the newest message.
    if ids[ids.count - 1] == id { return ids.count - 1 }
    let index = firstIndex(above: id - 1)
    return index < ids.count && ids[index] == id ? index : nil
  }

  /// The index of the first id above `id`; the end of `indices` where there is none.
  func firstIndex(above id: Int64) -> Int {
    guard start < ids.count, ids[ids.count - 1] > id else { return ids.count }
    return (start..<ids.count).halved { ids[$0] > id }
  }

  /// Puts in an id that is not known; indices behind it move on by one.
  ///
  /// - Returns: its index.
  mutating func insert(_ entry: Entry) -> Int {
    let index = firstIndex(above: entry.id)
    highestSequence = max(highestSequence, entry.sequence)
    ids.insert(entry.id, at: index)
    sequences.insert(entry.sequence, at: index)
    appliedAt.insert(entry.appliedAt, at: index)
    sentAt.insert(entry.sentAt, at: index)
    senders.insert(entry.sender, at: index)
    parents.insert(entry.parent, at: index)
    messageUIdSlots.insert(entry.messageUIdSlot, at: index)
    tracking.insert(entry.tracking, at: index)
    if entry.tracking == .on { trackedCount += 1 }
    flags.insert(entry.flags, at: index)
    counts.insert(entry.counts, at: index)
    deliveredAt.insert(entry.deliveredAt, at: index)
    readAt.insert(entry.readAt, at: index)
    marks.insert(nil, at: index)
    return index
  }

  /// Takes out the id at an index.
  mutating func remove(at index: Int) {
    if tracking[index] == .on { trackedCount -= 1 }
    guard index == start else {
      removeSubrange(index..<(index + 1))
      return
    }
    start += 1
    marks[index] = nil
    if start > 64, start * 2 > ids.count {
      removeSubrange(0..<start)
      start = 0
    }
  }

  private mutating func removeSubrange(_ range: Range<Int>) {
    ids.removeSubrange(range)
    sequences.removeSubrange(range)
    appliedAt.removeSubrange(range)
    sentAt.removeSubrange(range)
    senders.removeSubrange(range)
    parents.removeSubrange(range)
    messageUIdSlots.removeSubrange(range)
    tracking.removeSubrange(range)
    flags.removeSubrange(range)
    counts.removeSubrange(range)
    deliveredAt.removeSubrange(range)
    readAt.removeSubrange(range)
    marks.removeSubrange(range)
  }

  /// Ends the counting of the receipts of the message at an index.
  mutating func end(_ index: Int, as end: Tracking) {
    if tracking[index] == .on { trackedCount -= 1 }
    tracking[index] = end
  }

  /// Whether the receipts of the message at an index are counted.
  func isTracked(_ index: Int) -> Bool { tracking[index] == .on }

  /// The announcements that were made of the message at an index.
  func announced(_ index: Int) -> Announced {
    Announced(
      deliveredAt: flags[index].contains(.deliveredToAll) ? deliveredAt[index] : nil,
      readAt: flags[index].contains(.readByAll) ? readAt[index] : nil)
  }
}

/// A set of slots, a bit each, no longer than its highest slot asks for.
struct SlotSet: Equatable {
  private(set) var words: [UInt64] = []

  init() {}

  /// The set that these words hold.
  init(words: [UInt64]) {
    self.words = words
    trim()
  }

  var isEmpty: Bool { words.isEmpty }

  func contains(_ slot: Int32) -> Bool {
    let word = Int(slot) / 64
    return word < words.count && words[word] & (1 << (UInt64(slot) % 64)) != 0
  }

  /// The 64 slots from `64 * number` on.
  func word(_ number: Int) -> UInt64 { number < words.count ? words[number] : 0 }

  mutating func insert(_ slot: Int32) {
    let word = Int(slot) / 64
    while words.count <= word { words.append(0) }
    words[word] |= 1 << (UInt64(slot) % 64)
  }

  mutating func remove(_ slot: Int32) {
    let word = Int(slot) / 64
    guard word < words.count else { return }
    words[word] &= ~(1 << (UInt64(slot) % 64))
    trim()
  }

  private mutating func trim() { while words.last == 0 { words.removeLast() } }
}
