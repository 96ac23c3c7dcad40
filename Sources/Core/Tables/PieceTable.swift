/// The live pieces of a changelog that is being folded, undecoded: each under its key, and those of
/// one conversation on one list, so that they can be taken out together.
///
/// Everything lies in parts that are small, however much there is: none is ever moved as a whole.
package struct PieceTable {
  /// What it takes to give a piece back, with its key and value, and a conversation's place.
  private static var pieceWeight: Int { 4 }

  /// A piece, on the list of its conversation.
  private struct Piece {
    var value: [UInt8]
    var owner: Int32
    var next: Int32
    var previous: Int32
  }

  /// The number of live pieces.
  package private(set) var count = 0
  private var keys = NameTable()
  /// By the key's slot.
  private var pieces = Chunks<Piece>()
  private var owners = NameTable()
  /// The first piece of a conversation by its slot, or -1; the first one is that of what belongs to
  /// none, and the others' are one further.
  private var firsts = Chunks<Int32>()

  /// A table without pieces.
  package init() { firsts.append(-1) }

  /// Puts another piece in the place of the one under a key.
  ///
  /// - Returns: whether there was one.
  package mutating func update(_ key: Span<UInt8>, _ value: [UInt8]) -> Bool {
    guard let place = keys.find(key) else { return false }
    pieces[Int(place)].value = value
    return true
  }

  /// Puts a piece under a key that has none.
  ///
  /// - Parameters:
  ///   - key: has a byte at least.
  ///   - conversation: the id of the conversation that it belongs to, if it belongs to one.
  package mutating func add(_ key: Span<UInt8>, _ value: [UInt8], of conversation: [UInt8]?) {
    let place = keys.intern(key)
    let owner = owner(conversation)
    let first = firsts[Int(owner)]
    let piece = Piece(value: value, owner: owner, next: first, previous: -1)
    if Int(place) == pieces.count { pieces.append(piece) } else { pieces[Int(place)] = piece }
    if first >= 0 { pieces[Int(first)].previous = place }
    firsts[Int(owner)] = place
    count += 1
  }

  /// Takes away the piece under a key.
  ///
  /// - Returns: whether there was one.
  package mutating func remove(_ key: Span<UInt8>) -> Bool {
    guard let place = keys.find(key) else { return false }
    let piece = pieces[Int(place)]
    if piece.next >= 0 { pieces[Int(piece.next)].previous = piece.previous }
    if piece.previous >= 0 {
      pieces[Int(piece.previous)].next = piece.next
    } else {
      firsts[Int(piece.owner)] = piece.next
      if piece.next < 0, piece.owner > 0 { owners.remove(piece.owner - 1, trimming: 0) }
    }
    keys.remove(place, trimming: 0)
    pieces[Int(place)].value = []
    count -= 1
    return true
  }

  // Taking out. Nothing can be put in any more once it has begun.

  /// Drops the tables of keys, as far as the budget lasts: the lists are enough from here on.
  package mutating func dropKeys(on budget: inout Int) -> Bool {
    keys.dropIndex(on: &budget) && owners.dropIndex(on: &budget)
  }

  /// The number of places for conversations, of which some may be empty.
  var ownerCount: Int { firsts.count }

  /// The id of the conversation at a place, empty for what belongs to none; nil at an empty place.
  func ownerId(_ place: Int32) -> [UInt8]? {
    guard firsts[Int(place)] >= 0 else { return nil }
    return place == 0 ? [] : owners[Int(place) - 1]
  }

  /// How the id of a conversation begins, and whether one is before another; what belongs to none
  /// is behind all of them.
  func idPrefix(_ place: Int32) -> KeyPrefix {
    place == 0 ? .last : KeyPrefix(ownerId(place) ?? [], behind: 0)
  }
  func isBefore(id: Int32, _ other: Int32) -> Bool {
    (ownerId(id) ?? []).lexicographicallyPrecedes(ownerId(other) ?? [])
  }

  /// How a piece's key begins: its kind, and what follows the id of its conversation.
  func keyPrefix(_ place: Int32) -> KeyPrefix {
    let owner = ownerId(pieces[Int(place)].owner) ?? []
    return KeyPrefix(keys[Int(place)], behind: owner.isEmpty ? 0 : owner.count + 1)
  }
  func isBefore(key: Int32, _ other: Int32) -> Bool {
    keys[Int(key)].lexicographicallyPrecedes(keys[Int(other)])
  }

  /// The first piece of a conversation, and the piece behind another; nil at the end.
  func first(of owner: Int32) -> Int32? { firsts[Int(owner)] < 0 ? nil : firsts[Int(owner)] }
  func next(after place: Int32) -> Int32? {
    let next = pieces[Int(place)].next
    return next < 0 ? nil : next
  }

  /// Takes a piece out; its list is not to be walked any more.
  package mutating func take(_ place: Int32) -> (key: [UInt8], value: [UInt8]) {
    var value: [UInt8] = []
    swap(&value, &pieces[Int(place)].value)
    count -= 1
    return (keys.take(Int(place)), value)
  }

  /// Gives back the memory of the lists, as far as the budget lasts.
  package mutating func drop(on budget: inout Int) -> Bool {
    pieces.drop(on: &budget, weight: Self.pieceWeight) && keys.drop(on: &budget)
      && owners.drop(on: &budget) && firsts.drop(on: &budget, weight: 0)
  }

  private mutating func owner(_ id: [UInt8]?) -> Int32 {
    guard let id, !id.isEmpty else { return 0 }
    let owner = owners.intern(id.span) + 1
    if Int(owner) == firsts.count { firsts.append(-1) }
    return owner
  }
}
