import Core
import Testing
import Wire

@testable import Lab
@testable import Worker

/// Faults planted in what workers are told, which a simulation has to find.
@Suite struct SimulationPlantTests {
  @Test func `A worker that takes the stable end of a topic for its end is found`() {
    var options = SimulationOptions.calm
    options.ratios[.pin] = 1000
    // Each seed draws how often it happens; one in four does without.
    let seeds: Range<UInt64> = 0..<8
    let right = seeds.flatMap { Simulation(seed: $0, options: options).run().problems }
    #expect(right == [])
    options.blindness = .stableEnd
    let found = seeds.flatMap { Simulation(seed: $0, options: options).run().problems }
    #expect(found.contains { $0.contains(" applies ") && $0.hasSuffix("is held back") })
    #expect(found.contains { $0.contains("moves stream time of") })
  }

  @Test(arguments: SimulationBlindness.allCases.filter { $0 != .stableEnd })
  func `A worker that does not look at what it should is found`(_ blindness: SimulationBlindness)
    throws
  {
    var options = SimulationOptions.calm
    options.ratios[.mistake] = 500
    options.blindness = blindness
    let mistake: SimulationMistake =
      switch blindness {
      case .tally: .changelogCut
      case .landmarks: .inputRefilled
      case .rules, .distance, .silence, .stableEnd: .otherRules
      case .counts: .partitionsAdded
      }
    // Mistakes are made in turn, each seed beginning with its own: this one is soon made.
    let kinds = SimulationMistake.allCases
    let place = try #require(kinds.firstIndex(of: mistake)) + kinds.count
    let found = (0..<6).flatMap { before in
      Simulation(seed: UInt64(place - before), options: options).run().problems
    }
    switch blindness {
    case .distance:
      #expect(found.contains { $0.hasSuffix("ms ahead of the time that has passed") })
    case .silence:
      #expect(found.contains { $0.hasSuffix("ms behind the time that has passed") })
    case .tally, .landmarks, .rules, .counts, .stableEnd:
      #expect(found.contains("nobody notices \(mistake.rawValue)"))
    }
  }

  /// In the first the worker applies a record without a timestamp before it stands still, in the
  /// second it commits what has fallen due before it notices.
  @Test(arguments: [104, 42])
  func `Mistakes under a worker that stands still are told, and taken back`(seed: UInt64) {
    var options = SimulationOptions.calm
    options.ratios[.mistake] = 500
    #expect(Simulation(seed: seed, options: options).run().problems == [])
  }

  @Test func `Stream time that is moved on to the clock is found`() throws {
    var random = SplitMix64(seed: 1)
    let plan = SimulationPlan(.calm, using: &random)
    let journal = SimulationJournal(plan, partitions: 1)
    let start = Instant(milliseconds: 1_790_000_000_000)
    let old = start.advanced(byMilliseconds: -600_000)
    let record = MemoryRecord(
      offset: 0, timestamp: old, key: Array("group_g".utf8), value: nil, headers: [:])
    var step = SimulationSteps.Step(clock: start)
    step.entries = [.record(Lane(.messages, 0), record, idle: 0)]
    func save(_ streamTime: Instant, distance: Int64, position: Int64) -> PartitionRecord {
      var record = PartitionRecord(
        version: position, writer: "w", nextOffsets: [position, 0, 0], streamTime: streamTime,
        nextTicket: journal[0].machine.nextTicket, threads: plan.rules.threads, partitionCount: 1)
      record.clockDistance = distance
      return record
    }
    journal.commit([step], [0: save(old, distance: 600_000, position: 1)])
    #expect(journal.problems == [])

    let later = start.advanced(byMilliseconds: 1000)
    let right = old.advanced(byMilliseconds: 1000)
    var tick = SimulationSteps.Step(clock: later)
    tick.entries = [.tick(Tick(partition: 0, to: right))]
    journal.commit([tick], [0: save(right, distance: 600_000, position: 1)])
    #expect(journal.problems == [])

    // Without the distance, and with it forgotten.
    journal.commit([], [0: save(right, distance: 0, position: 1)])
    #expect(journal.problems.count == 1)
    tick.entries = [.tick(Tick(partition: 0, to: later))]
    journal.commit([tick], [0: save(later, distance: 600_000, position: 1)])
    #expect(journal.problems.last?.hasSuffix("ms ahead of the time that has passed") == true)
  }
}
