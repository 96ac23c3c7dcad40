/// A sort in bounded pieces: a merge sort from the bottom up that can stop anywhere.
package struct GradualSort<Element> {
  /// The elements, in order when it is done.
  package private(set) var elements: [Element]

  private let areInOrder: (Element, Element) -> Bool
  /// Where a pass puts what it merges.
  private var merged: [Element] = []
  /// How long the sorted runs are.
  private var width = 1
  /// Where the two runs that are being merged go on.
  private var left = 0
  private var right = 0

  /// Begins to sort; elements of which neither is before the other keep their order.
  package init(_ elements: [Element], by areInOrder: @escaping (Element, Element) -> Bool) {
    self.elements = elements
    self.areInOrder = areInOrder
    right = min(1, elements.count)
  }

  /// Whether the elements are in order.
  package var isDone: Bool { width >= elements.count }

  /// Takes out the last element, when all are in order.
  package mutating func popLast() -> Element? { elements.popLast() }

  /// Goes on for as many elements as the budget has.
  package mutating func go(on budget: inout Int) {
    while !isDone, budget > 0 {
      budget -= 1
      let end = merged.count - merged.count % (2 * width) + 2 * width
      let middle = min(end - width, elements.count)
      let last = min(end, elements.count)
      if left < middle, right >= last || !areInOrder(elements[right], elements[left]) {
        merged.append(elements[left])
        left += 1
      } else {
        merged.append(elements[right])
        right += 1
      }
      if merged.count == last { begin(at: last) }
    }
  }

  /// Begins with the next two runs, or the next pass.
  private mutating func begin(at start: Int) {
    if start == elements.count {
      swap(&elements, &merged)
      merged.removeAll(keepingCapacity: true)
      width *= 2
      left = 0
      if isDone { merged = [] }
    } else {
      left = start
    }
    right = min(left + width, elements.count)
  }
}
