import Core
import Oracle
import Wire
import Worker

/// Holds what workers wrote against what they have committed, done again without a log, and against
/// what the oracle says.
struct SimulationCheck {
  /// What is wrong, in words.
  private(set) var problems: [String] = []
  /// What the oracle says, where it sees no more than the topics.
  var verdict = OracleVerdict()

  let broker: MemoryBroker
  let plan: SimulationPlan
  let journal: SimulationJournal
  /// No worker's clock was further.
  let latestClock: Instant

  init(_ simulation: Simulation) {
    broker = simulation.broker
    plan = simulation.plan
    journal = simulation.journal
    latestClock = simulation.now
  }

  /// Checks all topics, all inputs being applied.
  mutating func run() {
    for partition in 0..<broker.partitionCount {
      checkInputs(partition)
      checkOutputs(partition)
      checkState(partition)
      askOracle(partition)
      for violation in journal[partition].machine.violations() {
        fail("state of \(partition): \(violation)")
      }
    }
  }

  /// Checks that a partition's changelog and its committed offsets belong together and say what was
  /// committed, in the middle of everything: what would be left if all workers died now.
  mutating func checkState(_ partition: Int32) {
    let survivors = broker.survivingRecords(.state, partition: partition)
    let replay = journal[partition]
    guard let nextOffsets = replay.nextOffsets else {
      if !survivors.isEmpty { fail("the changelog of \(partition) has more than was committed") }
      return
    }
    switch Self.fold(survivors, partition, plan.rules) {
    case .failure(let error): fail("the state of \(partition) cannot be read: \(error.label)")
    case .success((_, nil)): fail("the changelog of \(partition) has no record of its own")
    case .success((let machine, let record?)):
      if record.nextOffsets != nextOffsets {
        fail("\(partition) goes on at \(record.nextOffsets) instead of \(nextOffsets)")
      }
      checkOffsets(partition, record)
      for violation in machine.violations() { fail("state of \(partition): \(violation)") }
      compare(machine, replay.machine, partition)
    }
  }

  private mutating func compare(_ found: Machine, _ expected: Machine, _ partition: Int32) {
    let (state, other) = (found.encodedState, expected.encodedState)
    guard state.bytes != other.bytes else { return }
    let (pieces, others) = (state.pieces, other.pieces)
    let keys = Set(pieces.keys).union(others.keys).filter { pieces[$0] != others[$0] }
    let differences = StateSummary(found).differences(from: StateSummary(expected))
    fail(
      "state of \(partition): \(keys.count) pieces differ, found / expected:\n    "
        + differences.prefix(3).joined(separator: "\n    "))
  }

  mutating func fail(_ problem: String) {
    // One fault causes many; the first tell enough.
    if problems.count < 20 { problems.append(problem) }
  }

  private static func fold(
    _ records: [MemoryRecord], _ partition: Int32, _ rules: Rules
  ) -> Result<(Machine, PartitionRecord?), StateError> {
    do throws(StateError) {
      var fold = StateFold()
      for record in records {
        try fold.take(key: record.key?.span, value: record.value?.span)
      }
      let (machine, record) = try fold.finish(rules: rules, partition: partition)
      return .success((machine, record))
    } catch {
      return .failure(error)
    }
  }

  /// The group may have forgotten offsets, and knows no others than the changelog's.
  private mutating func checkOffsets(_ partition: Int32, _ record: PartitionRecord) {
    for (committed, kept) in zip(
      broker.committedPosition(partition)?.offsets ?? [nil, nil, nil], record.nextOffsets)
    where committed != nil && committed != kept {
      fail("\(partition): \(kept) in the changelog, \(committed ?? 0) committed")
    }
  }

  /// Every input record was applied. (That none was applied twice is the journal's to see.)
  private mutating func checkInputs(_ partition: Int32) {
    for topic in InputTopic.allCases {
      let count = broker.committedRecords(Topic(topic), partition: partition).count
      let applied = journal[partition].counts[topic]
      if applied != count {
        fail("\(partition): of \(count) records of chat.\(topic) \(applied) were committed")
      }
    }
  }

  /// Every output is there, once, byte for byte and in its order.
  private mutating func checkOutputs(_ partition: Int32) {
    let expected = journal[partition].expected
    for topic in Topic.judged {
      let found = broker.committedRecords(topic, partition: partition).map { record in
        SimulationReplay.Output(key: record.key, value: record.value, headers: record.headers)
      }
      compare(found, expected[topic] ?? [], "chat.\(topic) of \(partition)")
    }
  }

  private mutating func compare(
    _ found: [SimulationReplay.Output], _ expected: [SimulationReplay.Output], _ what: String
  ) {
    guard found != expected else { return }
    let index = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let place = index ?? min(found.count, expected.count)
    fail(
      """
      \(what): \(found.count) records, \(expected.count) expected; the first difference at \(place):
          found     \(place < found.count ? found[place].text : "nothing")
          expected  \(place < expected.count ? expected[place].text : "nothing")
      """)
  }
}

extension EncodedRecords {
  /// The values by their keys.
  fileprivate var pieces: [[UInt8]: [UInt8]] {
    var pieces: [[UInt8]: [UInt8]] = [:]
    for record in records {
      guard let key = record.key, let value = record.value else { continue }
      pieces[Array(bytes[key])] = Array(bytes[value])
    }
    return pieces
  }
}
