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

  /// What topics hold, each in its own order: one topic after the other in the first turns, then
  /// at random, in runs of various length.
  mutating func interleaved<Element>(_ topics: [[Element]], _ turn: Int) -> [Element] {
    if turn == 0 { return topics.flatMap(\.self) }
    if turn == 1 { return topics.reversed().flatMap(\.self) }
    var topics = topics.map { $0[...] }
    var mixed: [Element] = []
    while topics.contains(where: { !$0.isEmpty }) {
      let topic = pick(topics.indices.filter { !topics[$0].isEmpty })
      let run = topics[topic].prefix(count(1...(turn * turn)))
      mixed += run
      topics[topic] = topics[topic].dropFirst(run.count)
    }
    return mixed
  }
}
