import Core
import Foundation
import Kafka
import Lab
import Synchronization
import Worker

@testable import rollcall

/// Writes a traffic's records in their order, on a thread of its own, at a steady rate.
final class Feeder: Sendable {
  private struct State {
    var fed = 0
    /// nil: as fast as it goes.
    var rate: Int?
    var failure: String?
    var isDone = false
  }

  let total: Int
  private let state: Mutex<State>

  /// Begins to write.
  init(_ stage: Stage, _ records: [ExampleTraffic.Record], rate: Int?) {
    total = records.count
    state = Mutex(State(rate: rate))
    Thread.detachNewThread {
      do {
        try self.write(records, stage)
      } catch {
        self.state.withLock { $0.failure = "\(error)" }
      }
      self.state.withLock { $0.isDone = true }
    }
  }

  /// How many records were handed over so far.
  var fed: Int { state.withLock(\.fed) }

  /// Writes what is left as fast as it goes, and waits until all of it is there.
  func finish(within limit: Duration) throws {
    state.withLock { $0.rate = nil }
    try eventually("the feed ends", within: limit) { state.withLock(\.isDone) }
    if let failure = state.withLock(\.failure) { throw Missed(description: failure) }
  }

  private func write(_ records: [ExampleTraffic.Record], _ stage: Stage) throws {
    let producer = try PlainProducer(stage.clients("feed"), notify: { _ in })
    let topics = try LogTopic.inputs.map {
      try producer.topic(stage.connection.names[$0], within: .seconds(30))
    }
    let start = ContinuousClock.now
    for (index, record) in records.enumerated() {
      let partition = Partitioner.murmur2.partition(
        of: record.key.span, count: stage.partitionCount)
      try producer.produce(
        topics[Int(record.topic.rawValue)], partition: partition, key: record.key.span,
        value: record.value.span, within: .seconds(120))
      let rate = state.withLock { state in
        state.fed = index + 1
        return state.rate
      }
      guard let rate, index.isMultiple(of: 10) else { continue }
      rest(max(.zero, ContinuousClock.now.duration(to: start + .seconds(1) * index / rate)))
    }
    try producer.flush(within: .seconds(120))
  }
}
