/// How far members have come in threads, by thread and slot, so that what hangs on one thread, or
/// on one member, is found without looking at all the others.
struct Positions {
  private var byThread: [Int64: [Int32: Position]] = [:]
  /// How many each slot has; a slot without any is not in it.
  private var counts: [Int32: Int] = [:]
  /// How many there are.
  private(set) var count = 0

  /// How many places there are for them: of threads, of members in threads and of slots.
  var placeCount: Int { byThread.values.reduce(byThread.count + counts.count) { $0 + $1.count } }

  /// The position of a member in a thread, where he has one.
  subscript(_ member: ThreadMember) -> Position? {
    get { byThread[member.parent]?[member.slot] }
    set {
      let old = byThread[member.parent, default: [:]].updateOrRemove(newValue, at: member.slot)
      if byThread[member.parent]?.isEmpty == true { byThread[member.parent] = nil }
      let step = (newValue == nil ? 0 : 1) - (old == nil ? 0 : 1)
      guard step != 0 else { return }
      count += step
      counts[member.slot, default: 0] += step
      if counts[member.slot] == 0 { counts[member.slot] = nil }
    }
  }

  /// Every member with a position in a thread, in order.
  var members: [ThreadMember] {
    byThread.keys.sorted().flatMap { members(ofThread: $0) }.sorted()
  }

  /// Whether a slot has any.
  func has(_ slot: Int32) -> Bool { counts[slot] != nil }

  /// Whether anybody has one in a thread.
  func hasAny(inThread parent: Int64) -> Bool { byThread[parent] != nil }

  /// Who has a position in a thread, by slot.
  func members(ofThread parent: Int64) -> [ThreadMember] {
    byThread[parent, default: [:]].keys.sorted().map { ThreadMember(slot: $0, parent: parent) }
  }

  /// The threads in which a slot has a position, in order.
  func members(ofSlot slot: Int32) -> [ThreadMember] {
    guard has(slot) else { return [] }
    return byThread.filter { $0.value[slot] != nil }.keys.sorted().map {
      ThreadMember(slot: slot, parent: $0)
    }
  }
}

extension [Int32: Position] {
  /// Puts a position in the place of the one that was there, which it gives back.
  fileprivate mutating func updateOrRemove(_ position: Position?, at slot: Int32) -> Position? {
    guard let position else { return removeValue(forKey: slot) }
    return updateValue(position, forKey: slot)
  }
}
