/// What a simulation is made of, besides its seed.
package struct SimulationOptions: Equatable, Sendable {
  /// The most workers at a time.
  package var workers = 3
  /// Partitions of each topic.
  package var partitions: Int32 = 3
  /// About how many input records a seed has.
  package var records = 400
  /// How often each fault happens on the average over seeds: so many times in 10,000 calls, rounds
  /// or records. Each seed draws its own, and does without some.
  package var ratios: [SimulationFault: Int]
  /// The places in the traffic whose records are written; nil: all. The others pass as if they were
  /// written, so that time and faults stay much as they were.
  package var keptPlaces: Set<Int>?

  /// A planted fault, which the checks have to find: a topic whose stable end is reached counts as
  /// read to its end.
  var takesStableEndForEnd = false
  /// Another one: what is kept from all workers.
  var blindness: SimulationBlindness?

  /// The usual simulation.
  package init() {
    ratios = Dictionary(
      uniqueKeysWithValues: SimulationFault.allCases.map { ($0, $0.usualRatio) })
  }

  /// No faults at all.
  package static var calm: SimulationOptions {
    var options = SimulationOptions()
    for fault in SimulationFault.allCases { options.ratios[fault] = 0 }
    return options
  }
}
