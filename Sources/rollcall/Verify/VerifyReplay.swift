import Core
import Kafka
import Wire

/// Applies a partition's inputs afresh, to be compared with what the workers made of them.
struct VerifyReplay: ~Copyable {
  private(set) var machine: Machine
  private var decoder: Decoder
  private var event = Event(
    coordinates: Coordinates(topic: .messages, partition: 0, offset: 0, timestamp: nil))
  private var outputs = Outputs()
  /// The workers' stream time in the end: no record has moved it further.
  private let streamTime: Instant?
  private let latestClock: Instant

  init(partition: Int32, rules: Rules, streamTime: Instant?, latestClock: Instant) {
    self.latestClock = latestClock
    machine = Machine(partition: partition, rules: rules, isJournaled: false)
    decoder = Decoder(rules: rules)
    self.streamTime = streamTime
  }

  /// Goes on from a state.
  init(from machine: Machine, streamTime: Instant?, latestClock: Instant) {
    self.latestClock = latestClock
    self.machine = machine
    decoder = Decoder(rules: machine.rules)
    self.streamTime = streamTime
  }

  /// Applies the next record.
  mutating func apply(_ topic: InputTopic, _ batch: Batch, _ index: Int, isSkipped: Bool) {
    let coordinates = Coordinates(
      topic: topic, partition: machine.partition, offset: batch.offset(index),
      timestamp: batch.timestamp(index))
    outputs.removeAll()
    batch.withRecord(index) { key, value in
      if isSkipped {
        event.skip(coordinates)
      } else {
        decoder.decode(coordinates, key: key, value: value, into: &event)
      }
      machine.apply(event, key: key, value: value, clock: clock(of: coordinates), into: &outputs)
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
    outputs.removeAll()
    _ = machine.tick(to: streamTime, limit: .max, into: &outputs)
  }
}
