/// A sort of plain values in bounded pieces: a merge sort from the bottom up that can stop
/// anywhere. No step of it moves more than one element, and it gives its memory back like that.
struct GradualSort<Element: BitwiseCopyable> {
  /// The elements, in order when it is done.
  private var elements: Chunks<Element>
  /// Where a pass puts what it merges, in the place of what the pass before has left there.
  private var merged = Chunks<Element>()
  private var mergedCount = 0
  /// How long the sorted runs are.
  private var width = 1
  /// Where the two runs that are being merged go on.
  private var left = 0
  private var right = 0

  /// Begins to sort; elements of which neither is before the other keep their order.
  init(_ elements: Chunks<Element> = Chunks()) {
    self.elements = elements
    right = Swift.min(1, elements.count)
  }

  /// Whether the elements are in order.
  var isDone: Bool { width >= elements.count && merged.isEmpty }

  /// How many elements there is memory for.
  var placeCount: Int { elements.count + merged.count }

  /// Takes out the last element, when all are in order.
  mutating func popLast() -> Element? { elements.popLast() }

  /// Goes on as far as the budget lasts.
  ///
  /// - Parameters:
  ///   - budget: how many elements may be looked at.
  ///   - areInOrder: whether the first is before the second; takes off the budget what it takes
  ///     beyond one look.
  mutating func go(
    on budget: inout Int, by areInOrder: (Element, Element, _ budget: inout Int) -> Bool
  ) {
    while width < elements.count {
      guard budget > 0 else { return }
      budget -= 1
      let end = mergedCount - mergedCount % (2 * width) + 2 * width
      let middle = Swift.min(end - width, elements.count)
      let last = Swift.min(end, elements.count)
      if left < middle, right >= last || !areInOrder(elements[right], elements[left], &budget) {
        put(elements[left])
        left += 1
      } else {
        put(elements[right])
        right += 1
      }
      if mergedCount == last { begin(at: last) }
    }
    _ = merged.drop(on: &budget, weight: 0)
  }

  /// Goes on giving back all elements, as far as the budget lasts; it can do nothing else then.
  ///
  /// - Returns: whether all are gone.
  mutating func drop(on budget: inout Int) -> Bool {
    merged.drop(on: &budget, weight: 0) && elements.drop(on: &budget, weight: 0)
  }

  private mutating func put(_ element: Element) {
    if mergedCount < merged.count {
      merged[mergedCount] = element
    } else {
      merged.append(element)
    }
    mergedCount += 1
  }

  /// Begins with the next two runs, or the next pass.
  private mutating func begin(at start: Int) {
    if start == elements.count {
      swap(&elements, &merged)
      mergedCount = 0
      width *= 2
      left = 0
    } else {
      left = start
    }
    right = Swift.min(left + width, elements.count)
  }
}
