import Core
import Kafka
import Worker

/// Applies a partition's inputs afresh, to be compared with what the workers made of them.
struct VerifyReplay: ~Copyable {
  private(set) var machine: Machine
  private var engine: Engine
  /// The workers' stream time in the end: no record has moved it further.
  private let streamTime: Instant?
  private let latestClock: Instant

  /// Goes on from a state.
  init(from machine: consuming Machine, streamTime: Instant?, latestClock: Instant) {
    engine = Engine(rules: machine.rules, isEncoding: false)
    self.machine = machine
    self.streamTime = streamTime
    self.latestClock = latestClock
  }

  /// Applies the next record.
  mutating func apply(_ topic: InputTopic, _ batch: Batch, _ index: Int, isSkipped: Bool) {
    let coordinates = Coordinates(
      topic: topic, partition: machine.partition, offset: batch.offset(index),
      timestamp: batch.timestamp(index))
    let clock = clock(of: coordinates)
    batch.withRecord(index) { key, value in
      _ = engine.apply(
        coordinates, key: key, value: value, isSkipped: isSkipped, to: &machine, clock: clock)
    }
    // Nobody writes them down.
    machine.drainChanges { _, _ in }
  }

  /// A record that was ahead of every clock has moved stream time on to nobody knows where.
  private func clock(of coordinates: Coordinates) -> Instant {
    guard let timestamp = coordinates.timestamp, timestamp > latestClock else {
      return streamTime ?? .distantFuture
    }
    return machine.streamTime ?? latestClock
  }

  /// Does all that the workers had to do by their stream time.
  mutating func finish() {
    guard let streamTime else { return }
    _ = engine.tick(&machine, to: streamTime)
  }
}
