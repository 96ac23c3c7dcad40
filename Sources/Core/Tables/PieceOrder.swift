/// The order in which the pieces of a table are taken out, found in bounded pieces of work:
/// conversation by conversation, rising by their ids, then what belongs to none, and the pieces of
/// each rising by their keys.
package struct PieceOrder {
  /// A piece, or a conversation, by its place in the table and how its key begins.
  private struct Keyed: BitwiseCopyable {
    var prefix: KeyPrefix
    var place: Int32
  }

  // What takes longer than a look at a number, in such looks: keys lie anywhere in memory.

  /// To read a key, or to compare two.
  private static var keyCost: Int { 16 }
  /// To begin with the next conversation.
  private static var conversationCost: Int { 100 }

  /// The conversations, falling by their ids once they are sorted: the last is taken first, so that
  /// what is done with can go.
  private var listed = 0
  private var owners = Chunks<Keyed>()
  private var ownerSort: GradualSort<Keyed>?
  /// The pieces of the conversation in hand, falling by their keys once they are sorted.
  private var next: Int32?
  private var pieces = Chunks<Keyed>()
  private var pieceSort: GradualSort<Keyed>?

  /// Of a table that nothing is put into any more.
  package init() {}

  /// Goes on sorting the conversations, as far as the budget lasts.
  ///
  /// - Returns: whether all are sorted.
  package mutating func sortConversations(of table: PieceTable, on budget: inout Int) -> Bool {
    while listed < table.ownerCount {
      guard budget > 0 else { return false }
      budget -= Self.keyCost
      let owner = Int32(listed)
      if table.first(of: owner) != nil {
        owners.append(Keyed(prefix: table.idPrefix(owner), place: owner))
      }
      listed += 1
    }
    if ownerSort == nil {
      ownerSort = GradualSort(owners)
      owners = Chunks()
    }
    ownerSort?.go(on: &budget) { a, b, budget in
      if a.prefix != b.prefix { return b.prefix < a.prefix }
      budget -= Self.keyCost
      return table.isBefore(id: b.place, a.place)
    }
    return ownerSort?.isDone == true
  }

  /// Begins with the next conversation, when all are sorted.
  ///
  /// - Returns: whether there is one.
  package mutating func nextConversation(of table: PieceTable, on budget: inout Int) -> Bool {
    guard let owner = ownerSort?.popLast() else { return false }
    budget -= Self.conversationCost
    next = table.first(of: owner.place)
    return true
  }

  /// Goes on sorting the pieces of the conversation, as far as the budget lasts.
  ///
  /// - Returns: whether all are sorted.
  package mutating func sortPieces(of table: PieceTable, on budget: inout Int) -> Bool {
    while let place = next {
      guard budget > 0 else { return false }
      budget -= Self.keyCost
      pieces.append(Keyed(prefix: table.keyPrefix(place), place: place))
      next = table.next(after: place)
    }
    if pieceSort == nil {
      pieceSort = GradualSort(pieces)
      pieces = Chunks()
    }
    pieceSort?.go(on: &budget) { a, b, budget in
      if a.prefix != b.prefix { return b.prefix < a.prefix }
      budget -= Self.keyCost
      return table.isBefore(key: b.place, a.place)
    }
    return pieceSort?.isDone == true
  }

  /// The place of the conversation's next piece, when all are sorted; nil when that was the last.
  package mutating func nextPiece() -> Int32? {
    if let piece = pieceSort?.popLast() { return piece.place }
    pieceSort = nil
    return nil
  }

  /// Goes on giving back what it holds, as far as the budget lasts; it can do nothing else then.
  ///
  /// - Returns: whether all is gone.
  package mutating func drop(on budget: inout Int) -> Bool {
    owners.drop(on: &budget, weight: 0) && ownerSort?.drop(on: &budget) ?? true
      && pieces.drop(on: &budget, weight: 0) && pieceSort?.drop(on: &budget) ?? true
  }
}

/// How a key begins, as numbers that are compared without a look at the key: all keys of a
/// conversation lie anywhere in memory.
struct KeyPrefix: Comparable, BitwiseCopyable {
  private static var length: Int { 16 }

  /// Behind all keys.
  static var last: KeyPrefix { KeyPrefix(high: .max, low: .max) }

  private var high: UInt64 = 0
  private var low: UInt64 = 0

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The first bytes of a key, of which some behind the first are passed over; what is missing
  /// counts as 0.
  init(_ key: [UInt8], behind skipped: Int) {
    for place in 0..<Self.length {
      let index = place == 0 ? 0 : place + skipped
      let byte = index < key.count ? UInt64(key[index]) : 0
      if place < 8 { high = high << 8 | byte } else { low = low << 8 | byte }
    }
  }

  static func < (a: KeyPrefix, b: KeyPrefix) -> Bool { (a.high, a.low) < (b.high, b.low) }
}
