import Core
import Lab
import Testing
import Wire
import Worker

@testable import rollcall

/// What a pool has left on the broker, held against what it had to.
struct Verdict {
  let stage: Stage
  private(set) var events = 0
  private(set) var announced = 0
  private(set) var rejected = 0

  init(_ stage: Stage) { self.stage = stage }

  /// Checks that what is announced is exactly this, each once and in order.
  mutating func checkAnnouncements(_ expected: Set<ExampleTraffic.Announcement>) throws {
    var tally = ExampleTraffic.Tally(expected: expected)
    var eventIds: Set<Substring> = []
    var repeated: [Substring] = []
    var early: [ExampleTraffic.Announcement] = []
    for records in try stage.read(.events) {
      var delivered: Set<ExampleTraffic.Announcement> = []
      for record in records {
        events += 1
        let text = record.text
        let id = try #require(text.eventId, "an event without an id: \(text.prefix(300))")
        if !eventIds.insert(id).inserted { repeated.append(id) }
        for announcement in ExampleTraffic.announcements(inEvent: text) {
          tally.add(announcement)
          announced += 1
          guard announcement.kind == .read else {
            delivered.insert(announcement)
            continue
          }
          var other = announcement
          other.kind = .delivered
          if !delivered.contains(other) { early.append(announcement) }
        }
      }
    }
    #expect(repeated.count == 0, "events that came twice: \(repeated.prefix(5))")
    #expect(early.count == 0, "announced as read before delivered: \(early.prefix(5))")
    #expect(tally.missing == 0)
    #expect(tally.duplicates == 0)
    #expect(tally.unexpected == 0)
  }

  /// Checks that the folded changelog says what a fresh replay of the inputs says, and that the
  /// same records were rejected with the same codes.
  ///
  /// - Parameter clock: the pool has done what was due at this time; nil: nothing was.
  mutating func checkState(clock: Instant? = nil, _ rules: Rules = Rules()) throws {
    let inputs = try zip(InputTopic.allCases, LogTopic.inputs).map { topic, name in
      try stage.read(name).enumerated().map { partition, records in
        records.map { InputReplay.Record($0, topic, Int32(partition)) }
      }
    }
    let changelog = try stage.read(.state)
    let rejections = try stage.read(.rejected, headers: Self.rejectionHeaders)
    for partition in 0..<Int(stage.partitionCount) {
      var replay = InputReplay(partition: Int32(partition), rules: rules)
      for record in InputReplay.merged(inputs.map { $0[partition] }) { replay.apply(record) }
      if let clock { replay.tick(to: clock) }
      var fold = StateFold()
      for record in changelog[partition] {
        try fold.take(key: record.key?.span, value: record.value?.span)
      }
      let (machine, note) = try fold.finish(rules: rules, partition: Int32(partition))
      let comparison = StateSummary(machine).differences(from: StateSummary(replay.machine))
      #expect(comparison.prefix(10) == [], "partition \(partition): folded / replayed")
      #expect(machine.violations() == [])
      #expect(replay.machine.violations() == [])
      #expect(note != nil || inputs.allSatisfy { $0[partition].isEmpty })

      let found = rejections[partition].map(\.headers)
      let wanted = replay.findings.rejections.map { source, code in
        [
          code.rawValue, stage.connection.names[LogTopic(source.topic)],
          "\(source.partition)", "\(source.offset)",
        ]
      }
      rejected += found.count
      #expect(Set(found) == Set(wanted))
      #expect(Set(found).count == found.count, "a record was rejected twice")
      for record in rejections[partition] { try checkIsUntouched(record, inputs, partition) }
    }
  }

  /// Key and value of a rejected record are those of the input.
  private func checkIsUntouched(
    _ record: StoredRecord, _ inputs: [[[InputReplay.Record]]], _ partition: Int
  ) throws {
    let topic = try #require(
      LogTopic.inputs.firstIndex { stage.connection.names[$0] == record.headers[1] })
    let offset = try #require(Int64(record.headers[3]))
    // Nothing is missing in an input topic, so an offset is an index.
    let records = inputs[topic][partition]
    try #require(records.indices.contains(Int(offset)))
    let input = records[Int(offset)]
    #expect(input.source.offset == offset)
    #expect(record.key == input.key)
    // A record of Kafka has no value or an empty one; to Rollcall both are empty. One that is too
    // large is left out.
    let isLeftOut = record.headers[0] == ErrorCode.recordTooLarge.rawValue
    #expect(record.value ?? [] == (isLeftOut ? [] : input.value ?? []))
  }

  static let rejectionHeaders = ["error.code", "source.topic", "source.partition", "source.offset"]
}

extension InputReplay.Record {
  init(_ record: StoredRecord, _ topic: InputTopic, _ partition: Int32) {
    self.init(
      source: Coordinates(
        topic: topic, partition: partition, offset: record.offset,
        timestamp: record.timestamp.map { Instant(milliseconds: $0) }),
      key: record.key, value: record.value)
  }
}

extension String {
  /// What stands under `eventId`.
  fileprivate var eventId: Substring? {
    let name = #""eventId":""#
    guard let start = firstRange(of: name)?.upperBound else { return nil }
    return self[start...].firstIndex(of: "\"").map { self[start..<$0] }
  }
}
