import Core

/// What the chat backends of a simulation write: a workload, and the oddities among it.
struct SimulationTraffic {
  /// How many are still to be written.
  private(set) var leftCount: Int
  /// How many there are in all.
  let count: Int
  private var workload: Workload
  /// The oddities that are still to be written, the next one last.
  private var oddities: [SimulationRecord]
  /// How many records pass before the next oddity, the soonest last.
  private var places: [Int]

  /// About `records` records of a workload, and the oddities at random places among them.
  init(_ workload: Workload, records: Int, isNarrow: Bool, using random: inout SplitMix64) {
    self.workload = workload
    oddities = SimulationOddities.records(isNarrow: isNarrow).reversed()
    count = records + oddities.count
    leftCount = count
    places = (0..<leftCount).shuffled(using: &random).prefix(oddities.count).sorted()
  }

  /// The next one.
  mutating func next() -> SimulationRecord? {
    guard leftCount > 0 else { return nil }
    leftCount -= 1
    // Counted from the last, as `leftCount` is.
    let place = count - 1 - leftCount
    if places.last == leftCount {
      places.removeLast()
      var oddity = oddities.popLast()
      oddity?.place = place
      return oddity
    }
    guard let record = workload.next() else { return nil }
    return SimulationRecord(
      topic: record.topic, key: record.key.isEmpty ? nil : record.key, value: record.value,
      place: place)
  }
}
