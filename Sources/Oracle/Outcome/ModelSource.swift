/// A record that is applied, and how many events it has caused so far.
final class ModelSource {
  let input: ModelInput
  /// The timestamp that counts for it.
  private(set) var timestamp: Int64
  private var events: Int

  init(_ input: ModelInput, at timestamp: Int64, events: Int = 0) {
    self.input = input
    self.timestamp = timestamp
    self.events = events
  }

  /// There is a time now, where there was none when it came.
  func begin(at time: Int64) { timestamp = input.timestamp ?? time }

  /// A time that a device gives: it counts as far as Kafka's. Without one Kafka's alone counts.
  func time(ofDevice time: Int64?) -> Int64 {
    guard let time else { return timestamp }
    return min(time, input.timestamp ?? time)
  }

  /// Where its next event comes from.
  func nextOrigin() -> ModelEvent.Origin {
    defer { events += 1 }
    return ModelEvent.Origin(input: input, number: events)
  }
}
