/// An array in pieces of a fixed size: it grows, and gives memory back, a piece at a time, and
/// never moves what is in it.
struct Chunks<Element>: RandomAccessCollection, MutableCollection {
  private static var bits: Int { 8 }
  private static var size: Int { 1 << bits }

  private var pieces: [[Element]] = []
  /// The number of elements.
  private(set) var count = 0

  /// The place of the first element.
  var startIndex: Int { 0 }
  /// The place behind the last element.
  var endIndex: Int { count }

  /// The element at a place.
  subscript(_ index: Int) -> Element {
    _read { yield pieces[index >> Self.bits][index & (Self.size - 1)] }
    _modify { yield &pieces[index >> Self.bits][index & (Self.size - 1)] }
  }

  /// Puts an element behind the others.
  mutating func append(_ element: Element) {
    if count & (Self.size - 1) == 0 {
      pieces.append([])
      // The first one grows as it is filled: most are small.
      if pieces.count > 1 { pieces[pieces.count - 1].reserveCapacity(Self.size) }
    }
    pieces[pieces.count - 1].append(element)
    count += 1
  }

  /// Takes out the last elements.
  mutating func removeLast(_ number: Int = 1) {
    for _ in 0..<number {
      pieces[pieces.count - 1].removeLast()
      count -= 1
      if count & (Self.size - 1) == 0 { pieces.removeLast() }
    }
  }

  /// Takes out the last element; nil where there is none.
  mutating func popLast() -> Element? {
    guard let last else { return nil }
    removeLast()
    return last
  }

  /// Gives all elements back, a piece at a time, as far as the budget lasts.
  ///
  /// - Parameter weight: what it takes to give one element back.
  /// - Returns: whether all are gone.
  mutating func drop(on budget: inout Int, weight: Int) -> Bool {
    while budget > 0, let piece = pieces.popLast() {
      budget -= Work.output + piece.count * weight
      count -= piece.count
    }
    return pieces.isEmpty
  }
}

/// A queue in pieces of a fixed size: what has gone at its head gives its memory back, and nothing
/// is ever moved.
struct ChunkedQueue<Element> {
  private static var size: Int { 1024 }

  private var pieces: [[Element]] = []
  /// How many elements of the first piece are gone.
  private var head = 0
  /// The number of elements.
  private(set) var count = 0

  /// How many elements there is memory for, about.
  var capacity: Int { pieces.count * Self.size }

  var first: Element? { count == 0 ? nil : pieces[0][head] }

  /// The element at a place, from the first on; nil beyond the last.
  subscript(_ place: Int) -> Element? {
    guard place < count else { return nil }
    return pieces[(head + place) / Self.size][(head + place) % Self.size]
  }

  mutating func append(_ element: Element) {
    if pieces.isEmpty || pieces[pieces.count - 1].count == Self.size { pieces.append([]) }
    pieces[pieces.count - 1].append(element)
    count += 1
  }

  mutating func removeFirst() {
    head += 1
    count -= 1
    guard head == pieces[0].count else { return }
    if pieces.count > 1 {
      pieces.removeFirst()
    } else {
      pieces[0].removeAll(keepingCapacity: true)
    }
    head = 0
  }

  /// Gives all elements back, a piece at a time, as far as the budget lasts. They are plain ones.
  mutating func drop(on budget: inout Int) -> Bool {
    head = 0
    while budget > 0, let piece = pieces.popLast() {
      budget -= Work.output
      count -= min(count, piece.count)
    }
    return pieces.isEmpty
  }
}
