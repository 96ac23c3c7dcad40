/// How far members have come in threads. Each is on the list of its thread and on that of its slot,
/// so that what hangs on one of them is found without looking at all the others.
struct Positions {
  /// A position, between its neighbours on both lists; -1 for none.
  private struct Place {
    let member: ThreadMember
    var position: ThreadProgress
    var inThread = Links()
    var ofSlot = Links()
  }

  private struct Links {
    var next: Int32 = -1
    var previous: Int32 = -1
  }

  private struct List {
    var first: Int32 = -1
    var count = 0
  }

  private var index = SlotIndex()
  /// Without gaps: the last one is put where one goes.
  private var places = Chunks<Place>()
  private var threads: [Int64: List] = [:]
  private var slots: [Int32: List] = [:]

  /// How many there are.
  var count: Int { places.count }

  /// How many places there are for them: of positions, of threads and of slots.
  var placeCount: Int { places.count + threads.count + slots.count }

  /// The position of a member in a thread, where there is one.
  subscript(_ member: ThreadMember) -> ThreadProgress? {
    get {
      guard !places.isEmpty else { return nil }
      return place(of: member).map { places[$0].position }
    }
    set {
      switch (place(of: member), newValue) {
      case (nil, nil): break
      case (let place?, let position?): places[place].position = position
      case (nil, let position?): add(member, position)
      case (let place?, nil): remove(place)
      }
    }
  }

  /// Every member with a position in a thread, in order.
  var members: [ThreadMember] { places.map(\.member).sorted() }

  /// How many a slot has, and whether it has any.
  func count(ofSlot slot: Int32) -> Int { slots[slot]?.count ?? 0 }
  func has(_ slot: Int32) -> Bool { slots[slot] != nil }

  /// How many there are in a thread.
  func count(inThread parent: Int64) -> Int { threads[parent]?.count ?? 0 }

  /// Who has a position in a thread, by slot.
  func members(ofThread parent: Int64) -> [ThreadMember] {
    members(on: threads[parent], \.inThread)
  }

  /// The threads in which a slot has a position, in order.
  func members(ofSlot slot: Int32) -> [ThreadMember] { members(on: slots[slot], \.ofSlot) }

  private func members(on list: List?, _ links: KeyPath<Place, Links>) -> [ThreadMember] {
    guard let list else { return [] }
    var members: [ThreadMember] = []
    members.reserveCapacity(list.count)
    var next = list.first
    while next >= 0 {
      members.append(places[Int(next)].member)
      next = places[Int(next)][keyPath: links].next
    }
    members.sort()
    return members
  }

  private func place(of member: ThreadMember) -> Int? {
    index.find(Self.hash(member)) { places[Int($0)].member == member }.map(Int.init)
  }

  private mutating func add(_ member: ThreadMember, _ position: ThreadProgress) {
    places.append(Place(member: member, position: position))
    enter(Int32(places.count - 1))
  }

  private mutating func remove(_ place: Int) {
    take(Int32(place))
    let last = places.count - 1
    if last > place {
      take(Int32(last))
      places[place] = Place(member: places[last].member, position: places[last].position)
      places.removeLast()
      enter(Int32(place))
    } else {
      places.removeLast()
    }
  }

  /// Puts a place on its lists and into the index.
  private mutating func enter(_ place: Int32) {
    let member = places[Int(place)].member
    index.insert(place, Self.hash(member))
    Self.link(place, to: &threads[member.parent, default: List()], \.inThread, in: &places)
    Self.link(place, to: &slots[member.slot, default: List()], \.ofSlot, in: &places)
  }

  /// Takes a place off its lists and out of the index.
  private mutating func take(_ place: Int32) {
    let member = places[Int(place)].member
    index.remove(place, Self.hash(member))
    Self.unlink(place, from: &threads[member.parent, default: List()], \.inThread, in: &places)
    if threads[member.parent]?.count == 0 { threads[member.parent] = nil }
    Self.unlink(place, from: &slots[member.slot, default: List()], \.ofSlot, in: &places)
    if slots[member.slot]?.count == 0 { slots[member.slot] = nil }
  }

  private static func link(
    _ place: Int32, to list: inout List, _ links: WritableKeyPath<Place, Links>,
    in places: inout Chunks<Place>
  ) {
    places[Int(place)][keyPath: links] = Links(next: list.first, previous: -1)
    if list.first >= 0 { places[Int(list.first)][keyPath: links].previous = place }
    list.first = place
    list.count += 1
  }

  private static func unlink(
    _ place: Int32, from list: inout List, _ links: WritableKeyPath<Place, Links>,
    in places: inout Chunks<Place>
  ) {
    let gone = places[Int(place)][keyPath: links]
    if gone.next >= 0 { places[Int(gone.next)][keyPath: links].previous = gone.previous }
    if gone.previous >= 0 {
      places[Int(gone.previous)][keyPath: links].next = gone.next
    } else {
      list.first = gone.next
    }
    list.count -= 1
  }

  /// Of 31 bits.
  private static func hash(_ member: ThreadMember) -> Int {
    var hasher = Hasher()
    hasher.combine(member)
    return hasher.finalize() & 0x7FFF_FFFF
  }
}
