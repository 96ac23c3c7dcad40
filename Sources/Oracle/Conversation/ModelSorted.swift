/// Something that has a place among others.
protocol ModelKeyed {
  associatedtype Key: Comparable

  var key: Key { get }
}

/// Things sorted by a key that each has alone. Mostly they come with rising keys and go in the same
/// order.
struct ModelSorted<Element: ModelKeyed> {
  // A slice can give up its first element without moving the others.
  private var elements: ArraySlice<Element> = []

  var isEmpty: Bool { elements.isEmpty }

  var first: Element? { elements.first }

  /// All of them, rising.
  var all: ArraySlice<Element> { elements }

  subscript(key: Element.Key) -> Element? { place(of: key).map { elements[$0] } }

  /// Those above a key, rising.
  func above(_ key: Element.Key) -> ArraySlice<Element> { elements[place(above: key)...] }

  /// Those above a key up to another, rising.
  func above(_ key: Element.Key, upTo last: Element.Key) -> ArraySlice<Element> {
    let start = place(above: key)
    return elements[start..<max(start, place(above: last))]
  }

  mutating func insert(_ element: Element) {
    elements.insert(element, at: place(above: element.key))
  }

  mutating func remove(_ key: Element.Key) {
    guard let place = place(of: key) else { return }
    if place == elements.startIndex {
      elements.removeFirst()
    } else {
      elements.remove(at: place)
    }
  }

  private func place(of key: Element.Key) -> Int? {
    let place = place(above: key) - 1
    guard place >= elements.startIndex, elements[place].key == key else { return nil }
    return place
  }

  /// The place of the first that is above a key.
  private func place(above key: Element.Key) -> Int {
    guard let last = elements.last, last.key > key else { return elements.endIndex }
    return elements.firstIndex(behindAll: { $0.key <= key })
  }
}

extension RandomAccessCollection where Index == Int {
  /// The first index behind all elements of which something holds, which come before the others.
  func firstIndex(behindAll holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// First in, first out.
struct ModelQueue<Element> {
  private var elements: [Element] = []
  /// How many at the front are gone.
  private var gone = 0

  var first: Element? { gone < elements.count ? elements[gone] : nil }

  /// All of them, the first first.
  var all: ArraySlice<Element> { elements[gone...] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() {
    gone += 1
    guard gone > 32, gone > elements.count / 2 else { return }
    elements.removeFirst(gone)
    gone = 0
  }

  /// Changes what is still in it.
  mutating func update(_ change: (inout Element) -> Void) {
    for place in elements.indices[gone...] { change(&elements[place]) }
  }

  /// Removes those at the front of which something holds.
  mutating func removeFirst(while holds: (Element) -> Bool) {
    while let first, holds(first) { removeFirst() }
  }
}

/// A set of small numbers.
struct ModelBits {
  private var low: UInt64 = 0
  /// From 64 on.
  private var high: [UInt64] = []

  func contains(_ number: Int) -> Bool {
    let word = number / 64
    guard word > 0 else { return low & 1 << UInt64(number) != 0 }
    return word <= high.count && high[word - 1] & 1 << UInt64(number % 64) != 0
  }

  mutating func insert(_ number: Int) {
    let word = number / 64
    guard word > 0 else {
      low |= 1 << UInt64(number)
      return
    }
    if high.count < word { high += repeatElement(0, count: word - high.count) }
    high[word - 1] |= 1 << UInt64(number % 64)
  }
}
