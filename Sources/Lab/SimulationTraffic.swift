import Core

/// What the chat backend of a simulation writes.
struct SimulationTraffic {
  /// The records that are still to be written, the next one last.
  private var left: [ExampleTraffic.Record]
  /// What must be announced, each once, and nothing else.
  let expected: Set<ExampleTraffic.Announcement>
  /// How many records there were.
  let count: Int

  /// About `records` records of a seed, and the oddities among them.
  init(seed: UInt64, records: Int, isNarrow: Bool, using random: inout SplitMix64) {
    // Three rounds of a group cost some 20 records, and each member some 5.
    var sizes: [Int] = []
    var planned = 0
    while planned < records {
      let size = Int.random(in: 2...Int.random(in: 2...24, using: &random), using: &random)
      sizes.append(size)
      planned += 20 + 5 * size
    }
    let traffic = ExampleTraffic(seed: seed, groupSizes: sizes) { _ in 3 }
    expected = traffic.expected
    let oddities = SimulationOddities.records(isNarrow: isNarrow)
    var places = Array(repeating: true, count: oddities.count)
    places += Array(repeating: false, count: traffic.records.count)
    places.shuffle(using: &random)
    var (odd, even) = (oddities[...], traffic.records[...])
    left = places.map { $0 ? odd.removeFirst() : even.removeFirst() }.reversed()
    count = left.count
  }

  /// How many are still to be written.
  var leftCount: Int { left.count }

  /// The next one.
  mutating func next() -> ExampleTraffic.Record? { left.popLast() }
}
