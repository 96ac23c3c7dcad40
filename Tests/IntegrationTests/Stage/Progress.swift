import Core
import Kafka
import Worker

@testable import rollcall

/// What the pool has committed, asked for from outside of the group.
final class Progress {
  private let stage: Stage
  private let consumer: Consumer
  private let ends: PartitionEnds

  init(_ stage: Stage) throws {
    self.stage = stage
    consumer = try Consumer(stage.clients("progress"), notify: { _ in })
    ends = try PartitionEnds(stage.clients("progress"), notify: { _ in })
  }

  deinit { consumer.close(within: .seconds(5)) }

  /// The committed offsets of all inputs; nil while the broker does not say.
  private func committed() throws -> [TopicPartition: Int64]? {
    do throws(KafkaError) {
      let found = try consumer.committed(stage.partitions(of: Topic.inputs), within: .seconds(2))
      return Dictionary(uniqueKeysWithValues: found.map { ($0.partition, $0.offset ?? 0) })
    } catch {
      guard error.disposition == .again else { throw error }
      return nil
    }
  }

  /// Waits until all that was written is applied.
  func finish(within limit: Duration) throws {
    var last: [TopicPartition: Int64] = [:]
    do {
      try eventually("all inputs are committed", within: limit, every: .milliseconds(200)) {
        guard let now = try committed() else { return false }
        last = now
        return try now.allSatisfy { lane, offset in try offset >= end(of: lane) ?? .max }
      }
    } catch let missed as Missed {
      let open = try last.compactMap { lane, offset in
        let end = try end(of: lane) ?? -1
        return offset < end ? "\(lane.topic)/\(lane.partition) \(offset) of \(end)" : nil
      }
      throw Missed(description: "\(missed): \(open.sorted().joined(separator: ", "))")
    }
  }

  /// The end of a partition; nil while the broker does not say.
  private func end(of partition: TopicPartition) throws -> Int64? {
    do throws(KafkaError) {
      return try ends.bounds(partition, within: .seconds(2)).upperBound
    } catch {
      guard error.disposition == .again else { throw error }
      return nil
    }
  }
}
