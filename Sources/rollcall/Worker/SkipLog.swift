import Core
import Ops
import Synchronization
import Worker

/// What became of the records that an operator has skipped: a skip that does nothing is told, for
/// it may be a slip of the pen. The shards share it.
final class SkipLog: Sendable {
  typealias Skip = WorkerConfiguration.Skip

  private struct State {
    /// Of which nothing is known yet.
    var open: Set<Skip>
    var used: Set<Skip> = []
    /// The partitions that this process has had.
    var owned: Set<Int32> = []
  }

  private let logger: Logger
  private let names: TopicNames
  private let state: Mutex<State>

  init(_ skips: Set<Skip>, _ names: TopicNames, partitionCount: Int32, _ logger: Logger) {
    self.logger = logger
    self.names = names
    state = Mutex(State(open: skips.filter { $0.partition < partitionCount }))
    for skip in Self.sorted(skips) where skip.partition >= partitionCount {
      tell(.warning, skip, "there is no such partition")
    }
  }

  /// Takes the report of a step.
  func note(_ report: StepReport) {
    for skip in report.skipped {
      let isNew = state.withLock { state in
        state.open.remove(skip)
        return state.used.insert(skip).inserted
      }
      if isNew {
        logger.log(.info, "a record is rejected unread, as --skip says", fields(of: skip))
      }
    }
    for case .taken(let partitions, _) in report.occurrences {
      state.withLock { $0.owned.formUnion(partitions) }
    }
    for skip in report.skipsPassed where state.withLock({ $0.open.remove(skip) }) != nil {
      tell(.warning, skip, "the pool has passed it")
    }
  }

  /// Tells, in the end, of those that were never met.
  func tellUnused() {
    let state = state.withLock { $0 }
    for skip in Self.sorted(state.open) {
      if state.owned.contains(skip.partition) {
        tell(.warning, skip, "it has not come")
      } else {
        tell(.info, skip, "this worker never had the partition")
      }
    }
  }

  private func tell(_ level: Logger.Level, _ skip: Skip, _ reason: String) {
    logger.log(level, "a --skip says nothing", fields(of: skip) + [("reason", .text(reason))])
  }

  private func fields(of skip: Skip) -> [(String, Logger.Value)] {
    [
      ("topic", .text(names[Topic(skip.topic)])),
      ("partition", .number(Int64(skip.partition))), ("offset", .number(skip.offset)),
    ]
  }

  private static func sorted(_ skips: Set<Skip>) -> [Skip] {
    skips.sorted {
      ($0.topic.rawValue, $0.partition, $0.offset) < ($1.topic.rawValue, $1.partition, $1.offset)
    }
  }
}
