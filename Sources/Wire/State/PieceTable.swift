/// The live pieces of a changelog that is being folded, undecoded: each under its key, and those of
/// one conversation on one list, so that they can be taken out together.
///
/// Everything lies in parts that are small, however much there is: none is ever moved as a whole.
struct PieceTable {
  /// A piece, on the list of its conversation.
  private struct Piece {
    var key: [UInt8]
    var value: [UInt8]
    var owner: Int32
    var next: Int32
    var previous: Int32
  }

  /// A conversation with live pieces.
  private struct Owner {
    var id: [UInt8]
    var first: Int32
  }

  /// So many tables share the keys: one of ten million has 10,000.
  private static var shardCount: Int { 1024 }

  /// The number of live pieces.
  private(set) var count = 0
  private var places = [[[UInt8]: Int32]](repeating: [:], count: Self.shardCount)
  private var ownerPlaces = [[[UInt8]: Int32]](repeating: [:], count: Self.shardCount)
  private var pieces = SlotPool<Piece>()
  private var owners = SlotPool<Owner>()
  /// How many tables are dropped already.
  private var droppedShards = 0

  /// Puts a piece under its key.
  ///
  /// - Returns: whether there was none.
  mutating func put(_ key: [UInt8], _ value: [UInt8]) -> Bool {
    let shard = Self.shard(key)
    if let place = places[shard][key] {
      pieces[place].value = value
      return false
    }
    let owner = owner(of: key)
    let first = owners[owner].first
    let place = pieces.add(Piece(key: key, value: value, owner: owner, next: first, previous: -1))
    if first >= 0 { pieces[first].previous = place }
    owners[owner].first = place
    places[shard][key] = place
    count += 1
    return true
  }

  /// Takes away the piece under a key.
  ///
  /// - Returns: whether there was one.
  mutating func remove(_ key: [UInt8]) -> Bool {
    guard let place = places[Self.shard(key)].removeValue(forKey: key) else { return false }
    let piece = pieces[place]
    if piece.next >= 0 { pieces[piece.next].previous = piece.previous }
    if piece.previous >= 0 {
      pieces[piece.previous].next = piece.next
    } else {
      owners[piece.owner].first = piece.next
      if piece.next < 0 {
        let id = owners[piece.owner].id
        ownerPlaces[Self.shard(id)].removeValue(forKey: id)
        owners.remove(piece.owner, leaving: Owner(id: [], first: -1))
      }
    }
    free(place)
    return true
  }

  // Taking out. Nothing can be put in any more once it has begun.

  /// Drops the tables of keys, as far as the budget lasts: the lists are enough from here on.
  mutating func dropKeys(on budget: inout Int) -> Bool {
    while droppedShards < Self.shardCount, budget > 0 {
      budget -= 1 + (places[droppedShards].count + ownerPlaces[droppedShards].count) / 8
      places[droppedShards] = [:]
      ownerPlaces[droppedShards] = [:]
      droppedShards += 1
    }
    return droppedShards == Self.shardCount
  }

  /// The number of places for conversations, of which some may be empty.
  var ownerCount: Int { owners.count }

  /// The id of the conversation at a place, empty for what belongs to none; nil at an empty place.
  func ownerId(_ place: Int32) -> [UInt8]? {
    owners[place].first < 0 ? nil : owners[place].id
  }

  /// The first piece of a conversation, and the piece behind another; nil at the end.
  func first(of owner: Int32) -> Int32? { owners[owner].first < 0 ? nil : owners[owner].first }
  func next(after place: Int32) -> Int32? { pieces[place].next < 0 ? nil : pieces[place].next }
  func key(_ place: Int32) -> [UInt8] { pieces[place].key }

  /// Takes a piece out; its list is not to be walked any more.
  mutating func take(_ place: Int32) -> (key: [UInt8], value: [UInt8]) {
    let piece = pieces[place]
    free(place)
    return (piece.key, piece.value)
  }

  /// Gives back the memory of the lists, as far as the budget lasts.
  mutating func drop(on budget: inout Int) -> Bool { pieces.drop(&budget) && owners.drop(&budget) }

  private mutating func free(_ place: Int32) {
    pieces.remove(place, leaving: Piece(key: [], value: [], owner: -1, next: -1, previous: -1))
    count -= 1
  }

  private mutating func owner(of key: [UInt8]) -> Int32 {
    let id = StateCodec.conversation(inKey: key) ?? []
    let shard = Self.shard(id)
    if let place = ownerPlaces[shard][id] { return place }
    let place = owners.add(Owner(id: id, first: -1))
    ownerPlaces[shard][id] = place
    return place
  }

  /// FNV-1a; which table a key lies in is never seen.
  private static func shard(_ key: [UInt8]) -> Int {
    var hash: UInt32 = 0x811C_9DC5
    for byte in key { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return Int((hash ^ (hash >> 15)) & UInt32(shardCount - 1))
  }
}

/// Things at places that stay theirs, in parts that are never moved; free places are used again.
struct SlotPool<Element> {
  private static var bits: Int32 { 10 }

  private var parts: [[Element]] = []
  private var free: [Int32] = []
  /// The number of places, free ones too.
  private(set) var count = 0

  subscript(_ place: Int32) -> Element {
    _read { yield parts[Int(place >> Self.bits)][Int(place & (1 << Self.bits - 1))] }
    _modify { yield &parts[Int(place >> Self.bits)][Int(place & (1 << Self.bits - 1))] }
  }

  mutating func add(_ element: Element) -> Int32 {
    if let place = free.popLast() {
      self[place] = element
      return place
    }
    if count & (1 << Int(Self.bits) - 1) == 0 { parts.append([]) }
    parts[parts.count - 1].append(element)
    count += 1
    return Int32(count - 1)
  }

  mutating func remove(_ place: Int32, leaving empty: Element) {
    self[place] = empty
    free.append(place)
  }

  /// Gives all places up, part by part.
  mutating func drop(_ budget: inout Int) -> Bool {
    while budget > 0, parts.popLast() != nil { budget -= 1 << Int(Self.bits - 3) }
    return parts.isEmpty
  }
}
