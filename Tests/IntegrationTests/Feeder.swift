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
    /// So many records may be written so far.
    var limit: Int
    var failure: String?
    var isDone = false
  }

  let total: Int
  private let state: Mutex<State>

  /// Begins to write.
  ///
  /// - Parameter limit: so many records are written before `allow` or `finish` is called.
  init(_ stage: Stage, _ records: [ExampleTraffic.Record], rate: Int?, limit: Int = .max) {
    total = records.count
    state = Mutex(State(rate: rate, limit: limit))
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

  /// Lets it go on to this many records.
  func allow(upTo limit: Int) { state.withLock { $0.limit = limit } }

  /// Writes what is left as fast as it goes, and waits until all of it is there.
  func finish(within limit: Duration) throws {
    state.withLock { state in
      state.rate = nil
      state.limit = .max
    }
    try eventually("the feed ends", within: limit) { state.withLock(\.isDone) }
    if let failure = state.withLock(\.failure) { throw Missed(description: failure) }
  }

  private func write(_ records: [ExampleTraffic.Record], _ stage: Stage) throws {
    let producer = try PlainProducer(stage.clients("feed"), notify: { _ in })
    let topics = try LogTopic.inputs.map {
      try producer.topic(stage.connection.names[$0], within: .seconds(30))
    }
    var due = ContinuousClock.now
    for (index, record) in records.enumerated() {
      while state.withLock({ index >= $0.limit }) { rest(.milliseconds(10)) }
      let partition = Partitioner.murmur2.partition(
        of: record.key.span, count: stage.partitionCount)
      try producer.produce(
        topics[Int(record.topic.rawValue)], partition: partition, key: record.key.span,
        value: record.value.span, within: .seconds(120))
      let rate = state.withLock { state in
        state.fed = index + 1
        return state.rate
      }
      guard let rate else { continue }
      due += .seconds(1) / rate
      let early = ContinuousClock.now.duration(to: due)
      if early > .milliseconds(20) { rest(early) }
      // What was held up is not made good in one burst.
      if early < .milliseconds(-200) { due = ContinuousClock.now }
    }
    try producer.flush(within: .seconds(120))
  }
}

extension Stage {
  /// Writes records of one lane after the other and waits until they are there.
  func write(_ records: [TimedRecord]) throws {
    let producer = try PlainProducer(clients("writer"), notify: { _ in })
    let topics = try LogTopic.inputs.map {
      try producer.topic(connection.names[$0], within: .seconds(30))
    }
    for record in records {
      try producer.produce(
        topics[Int(record.topic.rawValue)], partition: record.partition, key: record.key?.span,
        value: record.value?.span, timestamp: record.timestamp, within: .seconds(60))
    }
    try producer.flush(within: .seconds(60))
  }
}

/// A record with all that decides where and when it lies.
struct TimedRecord {
  var topic: InputTopic
  var partition: Int32
  var key: [UInt8]?
  var value: [UInt8]?
  /// In milliseconds of Unix time.
  var timestamp: Int64
}
