/// A small generator of random numbers that gives the same ones for the same seed everywhere
/// (SplitMix64).
struct HistoryRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

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
