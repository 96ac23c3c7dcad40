/// A set of ids, as ranges that do not touch.
struct OracleRanges {
  /// Rising.
  private var ranges: [ClosedRange<Int64>] = []

  var isEmpty: Bool { ranges.isEmpty }

  func contains(_ id: Int64) -> Bool {
    let place = firstRange(endingAtOrAbove: id)
    return place < ranges.count && ranges[place].lowerBound <= id
  }

  func overlaps(_ range: ClosedRange<Int64>) -> Bool {
    let place = firstRange(endingAtOrAbove: range.lowerBound)
    return place < ranges.count && ranges[place].lowerBound <= range.upperBound
  }

  mutating func insert(_ range: ClosedRange<Int64>) {
    let first = firstRange(endingAtOrAbove: range.lowerBound)
    var end = first
    var (low, high) = (range.lowerBound, range.upperBound)
    while end < ranges.count, ranges[end].lowerBound <= high {
      low = min(low, ranges[end].lowerBound)
      high = max(high, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: [low...high])
  }

  private func firstRange(endingAtOrAbove id: Int64) -> Int {
    ranges.firstIndex(behindAll: { $0.upperBound < id })
  }
}
