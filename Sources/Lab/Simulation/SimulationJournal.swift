import Core
import Wire
import Worker

/// What has been committed in a simulation, done again partition by partition.
///
/// Only what is part of the log gets in here: a transaction that fails, or dies with its worker,
/// leaves no trace, whatever its worker was told of it.
final class SimulationJournal {
  private struct Timing: Equatable {
    var streamTime: Instant?
    var nextTicket: Int64
  }

  private(set) var replays: [SimulationReplay]
  /// What was committed and cannot have been meant.
  private(set) var problems: [String] = []
  /// How far each lane was ever applied, committed or not.
  private var heights: [Lane: Int64] = [:]

  init(_ plan: SimulationPlan, partitions: Int32) {
    replays = (0..<partitions).map { SimulationReplay(plan, partition: $0) }
  }

  subscript(partition: Int32) -> SimulationReplay { replays[Int(partition)] }

  /// Notes that a record is applied, committed or not.
  ///
  /// - Returns: whether it was applied before.
  func noteRecord(_ lane: Lane, offset: Int64) -> Bool {
    let isRepeated = heights[lane].map { offset <= $0 } ?? false
    heights[lane] = max(heights[lane] ?? offset, offset)
    return isRepeated
  }

  /// A transaction is part of the log.
  ///
  /// - Parameter records: what it has written last into the changelogs of its partitions.
  func commit(_ steps: [SimulationSteps.Step], _ records: [Int32: PartitionRecord]) {
    for (partition, record) in records.sorted(by: { $0.key < $1.key }) {
      let replay = self[partition]
      checkOrder(steps, partition, from: replay.positions)
      for problem in replay.apply(steps, record) { fail(problem) }
      let found = Timing(streamTime: record.streamTime, nextTicket: record.nextTicket)
      let expected = Timing(
        streamTime: replay.machine.streamTime, nextTicket: replay.machine.nextTicket)
      if found != expected {
        fail("\(partition): version \(record.version) has \(found) instead of \(expected)")
      }
      if zip(replay.positions, record.nextOffsets).contains(where: { $0 > $1 }) {
        fail("\(partition): version \(record.version) goes on at \(record.nextOffsets)")
      }
    }
  }

  /// In each topic the records come in their order, each once.
  private func checkOrder(
    _ steps: [SimulationSteps.Step], _ partition: Int32, from positions: PerInput<Int64>
  ) {
    var positions = positions
    for case .record(let lane, let record, _) in steps.flatMap(\.entries)
    where lane.partition == partition {
      guard let input = lane.topic.input else { continue }
      if record.offset < positions[input] {
        fail("\(partition): \(lane.topic) \(record.offset) is committed twice")
      }
      positions[input] = record.offset + 1
    }
  }

  private func fail(_ problem: String) {
    if problems.count < 20 { problems.append(problem) }
  }
}
