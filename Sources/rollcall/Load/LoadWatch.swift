import Kafka
import Wire
import Worker

/// The thread of `rollcall load` that reads the announcements.
struct LoadWatch {
  private let reader: TopicReader
  private let stop: StopRequest

  /// How long it may read what is there already.
  private static let patience = Duration.seconds(2)

  init(
    _ clients: Settings, _ events: [TopicPartition], stop: StopRequest
  ) throws(KafkaError) {
    reader = try TopicReader(clients, events, from: .end, notify: Console.notify)
    self.stop = stop
  }

  /// Reads until it is asked to end.
  func run(_ meter: LoadMeter) throws(KafkaError) {
    defer { reader.close() }
    // In the end what is there already is still read.
    var limit: ContinuousClock.Instant?
    while ContinuousClock.now < limit ?? .now + .seconds(1) {
      if stop.isRequested, limit == nil { limit = .now + Self.patience }
      var events = 0
      try reader.poll(.milliseconds(100)) { _, _, value in
        events += 1
        guard let value, let announcement = EventGlance(value),
          announcement.isAnnouncement
        else { return }
        meter.noteAnnounced(announcement.ids.count, completedAt: announcement.time)
      }
      if limit != nil, events == 0 { return }
    }
  }
}
