import Core
import Lab
import Testing
import Wire

/// The example traffic through the engine: what it expects must come, once, and nothing else.
@Suite("Example traffic")
struct ExampleTrafficTests {
  @Test("it is a small chat service's")
  func size() {
    let traffic = ExampleTraffic(seed: 1)
    #expect(traffic.groupSizes.count { (2...3000).contains($0) } >= 20)
    #expect(traffic.groupSizes.contains(3000) && traffic.groupSizes.contains(2))
    #expect(traffic.records.count { $0.topic == .receipts } >= 20_000)
    #expect(traffic.expected.count { $0.kind == .delivered } >= 200)
    #expect(traffic.expected.count { $0.kind == .read } >= 100)
    // Not everything is complete: some receipts never come.
    #expect(traffic.expected.count { $0.kind == .read } < traffic.messageCount)
  }

  @Test("the engine announces what is expected, each once", arguments: [1, 2] as [UInt64])
  func announcements(seed: UInt64) {
    let traffic = ExampleTraffic(seed: seed)
    check(traffic, order: traffic.records)
  }

  @Test("the topics may lie apart", arguments: [[1, 0, 2], [0, 2, 1]])
  func topicsApart(order: [UInt8]) {
    let traffic = ExampleTraffic(seed: 4)
    let topics = order.compactMap { InputTopic(rawValue: $0) }
    check(traffic, order: topics.flatMap { topic in traffic.records.filter { $0.topic == topic } })
  }

  /// Applies the records in this order and compares what is announced and rejected.
  private func check(_ traffic: ExampleTraffic, order: [ExampleTraffic.Record]) {
    var rules = Rules()
    // All receipts of the largest group may wait.
    rules.maxWaitingPerConversation = 100_000
    var decoder = Decoder(rules: rules)
    var machine = Machine(partition: 0, rules: rules)
    var outputs = Outputs()
    var counts: [ExampleTraffic.Announcement: Int] = [:]
    var rejected = 0
    for (index, record) in order.enumerated() {
      let coordinates = Coordinates(
        topic: record.topic, partition: 0, offset: Int64(index),
        timestamp: Instant(milliseconds: 1_800_000_000_000 + Int64(index)))
      var event = Event(coordinates: coordinates)
      decoder.decode(coordinates, key: record.key.span, value: record.value.span, into: &event)
      outputs.removeAll()
      machine.apply(
        event, key: record.key.span, value: record.value.span, clock: .distantFuture,
        into: &outputs)
      for announcement in outputs.deliveredToAll + outputs.readByAll {
        let conversation = String(
          decoding: outputs.text[announcement.conversation.range], as: UTF8.self)
        for id in outputs.ids[announcement.ids] {
          let kind = announcement.kind == .read ? "read" : "delivered"
          guard let kind = ExampleTraffic.Announcement.Kind(rawValue: kind) else { continue }
          counts[.init(kind: kind, conversation: conversation, messageId: id), default: 0] += 1
        }
      }
      rejected += outputs.rejected.count
    }
    #expect(Set(counts.keys) == traffic.expected)
    #expect(counts.filter { $0.value > 1 } == [:])
    #expect(rejected == traffic.badRecordCount)
  }
}
