/// Durations in whole milliseconds, counted in classes that are at most an eighth wide.
struct LatencyHistogram {
  private var counts = [Int](repeating: 0, count: 256)
  private(set) var count = 0
  private(set) var largest = 0

  mutating func add(_ milliseconds: Int) {
    counts[Self.place(of: milliseconds)] += 1
    count += 1
    largest = max(largest, milliseconds)
  }

  /// The milliseconds that this percentage does not exceed; nil when nothing was counted.
  func percentile(_ percent: Int) -> Int? {
    guard count > 0 else { return nil }
    // Rounded up: of one, each percentile is that one.
    var left = (count * percent + 99) / 100
    for (place, held) in counts.enumerated() {
      left -= held
      if left <= 0 { return min(Self.highest(in: place), largest) }
    }
    return largest
  }

  /// Up to 15 each number has a class, then each power of two has eight.
  private static func place(of milliseconds: Int) -> Int {
    let number = min(max(0, milliseconds), Int(Int32.max))
    guard number >= 16 else { return number }
    let power = Int.bitWidth - 1 - number.leadingZeroBitCount
    return power * 8 - 24 + (number >> (power - 3))
  }

  private static func highest(in place: Int) -> Int {
    guard place >= 16 else { return place }
    let power = place / 8 + 2
    let eighth = place % 8 + 8
    return (eighth + 1) << (power - 3) - 1
  }
}
