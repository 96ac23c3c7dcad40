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
    let expectations = traffic.expectations
    #expect(expectations.deleted.count >= 50)
    #expect(expectations.threads.count >= 50)
    #expect(expectations.threads.values.contains { $0.updates > $0.replyCount })
    #expect(expectations.unread.count >= 40)
    #expect(expectations.unread.values.contains { $0.count > 1 })
    #expect(Set(expectations.direct.values) == [true, false])
    #expect(expectations.rejections >= 30)
  }

  @Test("the engine tells what is expected, each once", arguments: [1, 2] as [UInt64])
  func inOrder(seed: UInt64) throws {
    let traffic = ExampleTraffic(seed: seed)
    let comparison = try comparison(traffic, order: traffic.records)
    #expect(comparison.announcements.missing == 0)
    #expect(comparison.missing == 0)
    #expect(comparison.duplicates == 0)
    #expect(comparison.unexpected == 0)
    #expect(comparison.actions == traffic.expectations.deleted.count)
    #expect(comparison.rejections == traffic.expectations.rejections)
    #expect(comparison.isRight)
  }

  @Test("the topics may lie apart", arguments: [[1, 0, 2], [0, 2, 1]])
  func topicsApart(order: [UInt8]) throws {
    let traffic = ExampleTraffic(seed: 4)
    let topics = order.compactMap { InputTopic(rawValue: $0) }
    let comparison = try comparison(
      traffic, order: topics.flatMap { topic in traffic.records.filter { $0.topic == topic } })
    #expect(comparison.announcements.missing == 0)
    #expect(comparison.announcements.unexpected == 0)
    #expect(comparison.duplicates == 0)
    #expect(comparison.deletes == traffic.expectations.deleted.count)
    #expect(comparison.rejections == traffic.expectations.rejections)
  }

  @Test("what is lost or comes again is noticed")
  func faults() throws {
    let traffic = ExampleTraffic(seed: 5, groupSizes: [2, 5, 12], pairs: 2, isWhole: true) { _ in 5
    }
    let outputs = try outputs(of: traffic, order: traffic.records)
    for topic in [EncodedRecords.Topic.events, .actions, .status, .rejected] {
      let last = try #require(outputs.lastIndex { $0.topic == topic && $0.isExpected })
      var lacking = outputs
      lacking.remove(at: last)
      // Of a message's statuses the last one counts, so only all of them can be missed.
      if topic == .status { lacking.removeAll { $0.key == outputs[last].key } }
      #expect(!traffic.comparison(with: lacking).isRight)
      #expect(traffic.comparison(with: outputs + [outputs[last]]).isRight == (topic == .status))
    }
  }

  private func comparison(
    _ traffic: ExampleTraffic, order: [ExampleTraffic.Record]
  ) throws -> ExampleTraffic.Comparison {
    traffic.comparison(with: try outputs(of: traffic, order: order))
  }

  /// One record that the engine wrote.
  fileprivate struct Output {
    var topic: EncodedRecords.Topic
    var key: String
    var value: String

    /// Whether the traffic expects it, and not only allows it.
    var isExpected: Bool {
      switch topic {
      case .events: value.hasPrefix(#"{"event":"messageDeleted""#)
      case .status: key.contains("_user_")
      default: true
      }
    }
  }

  /// Applies the records in this order.
  private func outputs(
    of traffic: ExampleTraffic, order: [ExampleTraffic.Record]
  ) throws -> [Output] {
    var rules = Rules()
    // All receipts of the largest group may wait.
    rules.maxWaitingPerConversation = 100_000
    var decoder = Decoder(rules: rules)
    var machine = Machine(partition: 0, rules: rules)
    var event = Event(
      coordinates: Coordinates(topic: .messages, partition: 0, offset: 0, timestamp: nil))
    var outputs = Outputs()
    var records = EncodedRecords()
    for (index, record) in order.enumerated() {
      let coordinates = Coordinates(
        topic: record.topic, partition: 0, offset: Int64(index),
        timestamp: Instant(milliseconds: 1_800_000_000_000 + Int64(index)))
      decoder.decode(coordinates, key: record.key.span, value: record.value.span, into: &event)
      outputs.removeAll()
      machine.apply(
        event, key: record.key.span, value: record.value.span, clock: .distantFuture,
        into: &outputs)
      Encoder().encode(outputs, partition: 0, into: &records)
    }
    return records.records.map { record in
      let text = { (range: Range<Int>?) in
        String(decoding: range.map { records.bytes[$0] } ?? [], as: UTF8.self)
      }
      return Output(topic: record.topic, key: text(record.key), value: text(record.value))
    }
  }
}

extension ExampleTraffic {
  fileprivate func comparison(with outputs: [ExampleTrafficTests.Output]) -> Comparison {
    var comparison = Comparison(expectations)
    for output in outputs {
      switch output.topic {
      case .events: comparison.add(event: output.value)
      case .actions: comparison.addAction()
      case .status: comparison.add(statusKey: output.key, value: output.value)
      case .rejected: comparison.addRejection()
      case .state: break
      }
    }
    return comparison
  }
}
