import Core
import Lab
import Testing

@Suite struct StateSummaryTests {
  private let traffic = ExampleTraffic(seed: 3, groupSizes: [2, 5, 9, 30]) { _ in 5 }

  /// The traffic as it lies in the topics of one partition, in this order of time.
  private func replayed(_ records: [ExampleTraffic.Record]) -> (StateSummary, InputReplay.Findings)
  {
    var replay = InputReplay(partition: 0, rules: Rules())
    var offsets: [Int64] = [0, 0, 0]
    for record in records {
      let topic = Int(record.topic.rawValue)
      let source = Coordinates(
        topic: record.topic, partition: 0, offset: offsets[topic],
        timestamp: Instant(milliseconds: 1_790_000_000_000))
      offsets[topic] += 1
      replay.apply(.init(source: source, key: record.key, value: record.value))
    }
    #expect(replay.machine.violations() == [])
    return (StateSummary(replay.machine), replay.findings)
  }

  @Test func theOrderBetweenTopicsChangesNothing() {
    let (state, findings) = replayed(traffic.records)
    #expect(Set(findings.announcements) == traffic.expected)
    #expect(findings.announcements.count == traffic.expected.count)
    #expect(findings.rejections.count == traffic.badRecordCount)
    #expect(state.count > 100)
    for order in [[InputTopic.messages, .receipts, .deletes], [.receipts, .deletes, .messages]] {
      let records = order.flatMap { topic in traffic.records.filter { $0.topic == topic } }
      let (other, otherFindings) = replayed(records)
      #expect(other.differences(from: state) == [])
      #expect(Set(otherFindings.announcements) == traffic.expected)
    }
  }

  @Test func aLostReceiptIsADifference() throws {
    let (state, _) = replayed(traffic.records)
    let last = try #require(traffic.records.lastIndex { $0.topic == .receipts })
    var records = traffic.records
    records.removeAll { $0.value == traffic.records[last].value }
    let differences = replayed(records).0.differences(from: state)
    #expect(!differences.isEmpty)
    #expect(differences.allSatisfy { $0.contains(" / ") })
  }

  @Test func topicsAreMergedByTimestampAndTiesInTheirOrder() {
    let record = { (topic: InputTopic, offset: Int64, time: Int64?) in
      InputReplay.Record(
        source: Coordinates(
          topic: topic, partition: 0, offset: offset,
          timestamp: time.map { Instant(milliseconds: $0) }), key: nil, value: nil)
    }
    let merged = InputReplay.merged([
      [record(.messages, 0, 5), record(.messages, 1, 3), record(.messages, 2, 9)],
      [record(.receipts, 0, 3), record(.receipts, 1, 9)],
      [record(.deletes, 0, nil), record(.deletes, 1, 9)],
    ])
    let order = merged.map { "\($0.source.topic) \($0.source.offset)" }
    #expect(
      order == [
        "deletes 0", "receipts 0", "messages 0", "messages 1", "messages 2", "receipts 1",
        "deletes 1",
      ])
  }
}
