import Core
import Foundation
import Kafka
import Lab
import Synchronization
import Worker

@testable import rollcall

/// Writes a traffic's records in their order, on a thread of its own.
final class Feeder: Sendable {
  /// How fast it writes: the nearer the end of its portion the slower, so that it never falls
  /// silent before it is allowed the next.
  private struct Pace {
    /// Records a second at the beginning of a portion.
    var rate: Int
    var portion: Range<Int>

    /// How long to wait before a record.
    func pause(before index: Int) -> Duration {
      .seconds(1) / rate * portion.count / max(1, portion.upperBound - index)
    }
  }

  private struct State {
    var fed = 0
    /// nil: as fast as it goes.
    var pace: Pace?
    var failure: String?
    var isDone = false
  }

  let total: Int
  private let state: Mutex<State>

  /// Begins to write.
  ///
  /// - Parameter rate: records a second, a portion at a time as `allow` says; nil: as fast as it
  ///   goes.
  init(_ stage: Stage, _ records: [ExampleTraffic.Record], rate: Int?) {
    total = records.count
    state = Mutex(State(pace: rate.map { Pace(rate: $0, portion: 0..<0) }))
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
  func allow(upTo limit: Int) {
    state.withLock { state in state.pace?.portion = state.fed..<max(state.fed, limit) }
  }

  /// Writes what is left as fast as it goes, and waits until all of it is there.
  func finish(within limit: Duration) throws {
    state.withLock { $0.pace = nil }
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
      due = hold(index, until: due)
      let partition = Partitioner.murmur2.partition(
        of: record.key.span, count: stage.partitionCount)
      try producer.produce(
        topics[Int(record.topic.rawValue)], partition: partition, key: record.key.span,
        value: record.value.span, within: .seconds(120))
      state.withLock { $0.fed = index + 1 }
    }
    try producer.flush(within: .seconds(120))
  }

  /// Waits until a record is due.
  ///
  /// - Returns: from when on the next one's pause counts.
  private func hold(
    _ index: Int, until due: ContinuousClock.Instant
  ) -> ContinuousClock.Instant {
    // What was held up is not made good in one burst.
    let start = max(due, ContinuousClock.now - .milliseconds(200))
    while let pace = state.withLock(\.pace) {
      let due = start + pace.pause(before: index)
      let early = ContinuousClock.now.duration(to: due)
      if index < pace.portion.upperBound, early < .milliseconds(20) { return due }
      // Not for long: the pace may have changed.
      rest(min(.milliseconds(100), max(.milliseconds(1), early)))
    }
    return start
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
