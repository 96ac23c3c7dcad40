package import Core
import Wire

/// Applies a partition's input records afresh, to be compared with what a worker made of them.
package struct InputReplay: ~Copyable {
  /// A record of an input topic, as it lies there.
  package struct Record: Sendable {
    /// Where it lies.
    package var source: Coordinates
    /// The key, if it has one.
    package var key: [UInt8]?
    /// The value, if it has one.
    package var value: [UInt8]?

    /// A record that lies at a place.
    package init(source: Coordinates, key: [UInt8]?, value: [UInt8]?) {
      self.source = source
      self.key = key
      self.value = value
    }
  }

  /// What came of the records.
  package struct Findings: Sendable {
    /// What was announced, in order.
    package fileprivate(set) var announcements: [ExampleTraffic.Announcement] = []
    /// What was rejected, in order.
    package fileprivate(set) var rejections: [(source: Coordinates, code: ErrorCode)] = []
  }

  /// The state so far.
  package private(set) var machine: Machine
  /// What came of it so far.
  package private(set) var findings = Findings()

  private var decoder: Decoder
  private var event = Event(
    coordinates: Coordinates(topic: .messages, partition: 0, offset: 0, timestamp: nil))
  private var outputs = Outputs()

  /// A partition without any state.
  package init(partition: Int32, rules: Rules) {
    machine = Machine(partition: partition, rules: rules)
    decoder = Decoder(rules: rules)
  }

  /// Applies the next record.
  package mutating func apply(_ record: Record) {
    outputs.removeAll()
    decoder.decode(record.source, key: record.key?.span, value: record.value?.span, into: &event)
    machine.apply(
      event, key: record.key?.span, value: record.value?.span, clock: .distantFuture, into: &outputs
    )
    noteOutputs()
  }

  /// Moves stream time on and does all that is due.
  package mutating func tick(to time: Instant) {
    outputs.removeAll()
    _ = machine.tick(to: time, limit: .max, into: &outputs)
    noteOutputs()
  }

  private mutating func noteOutputs() {
    note(outputs.deliveredToAll, .delivered)
    note(outputs.readByAll, .read)
    findings.rejections += outputs.rejected.map { ($0.source, $0.rejection.code) }
  }

  private mutating func note(
    _ announced: [Announcement], _ kind: ExampleTraffic.Announcement.Kind
  ) {
    for announcement in announced {
      let conversation = String(
        decoding: outputs.text[announcement.conversation.range], as: UTF8.self)
      for id in outputs.ids[announcement.ids] {
        findings.announcements.append(.init(kind: kind, conversation: conversation, messageId: id))
      }
    }
  }

  /// Merges the topics of a partition, each in its own order, as the worker does: by timestamp, of
  /// equal ones messages before receipts before deletes.
  package static func merged(_ topics: [[Record]]) -> [Record] {
    var heads = topics.map { $0[...] }
    var merged: [Record] = []
    merged.reserveCapacity(topics.reduce(0) { $0 + $1.count })
    while true {
      var next: Int?
      var nextTime = Instant.distantFuture
      for index in heads.indices {
        guard let head = heads[index].first else { continue }
        let time = head.source.timestamp ?? .distantPast
        if next == nil || time < nextTime {
          next = index
          nextTime = time
        }
      }
      guard let next else { return merged }
      merged.append(heads[next].removeFirst())
    }
  }
}
