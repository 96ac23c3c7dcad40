import Lab

@testable import Oracle

/// Random choices that a seed repeats.
struct HistoryRandom: RandomNumberGenerator {
  private var source: SplitMix64

  init(seed: UInt64) { source = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { source.next() }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &self) }

  mutating func count(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

  /// True in `percent` of a hundred cases.
  mutating func chance(_ percent: Int) -> Bool { count(0...99) < percent }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[count(0...(elements.count - 1))]
  }

  /// One of the elements, each as often as its weight says.
  mutating func pick<Element>(weighted elements: [(Int, Element)]) -> Element {
    var left = count(0...(elements.reduce(0) { $0 + $1.0 } - 1))
    for (weight, element) in elements {
      if left < weight { return element }
      left -= weight
    }
    return elements[0].1
  }
}
