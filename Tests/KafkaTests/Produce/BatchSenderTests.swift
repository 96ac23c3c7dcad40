import BrokerSupport
import Testing

@testable import Kafka

extension BrokerTests {
  @Suite struct BatchSenderTests {
    private func clients(
      _ bench: Workbench, _ topics: [String], partitionCount: Int32
    ) throws -> (PlainProducer, BatchSender) {
      let producer = try PlainProducer(bench.settings(), notify: { _ in })
      let topics = try topics.map { try producer.topic($0, within: .seconds(10)) }
      return (producer, BatchSender(producer, topics: topics, partitionCount: partitionCount))
    }

    @Test(arguments: [false, true])
    func `Records come in their order and whole, however little room the library has`(
      isCopying: Bool
    ) throws {
      let bench = try Workbench(
        partitions: 2, properties: [Property("queue.buffering.max.messages", "100")])
      let topics = [bench.input, bench.output]
      let (producer, sender) = try clients(bench, topics, partitionCount: 2)
      let records = OutgoingRecords()
      let key = Array("k".utf8)
      var expected = [[String]](repeating: [], count: 4)
      for number in 0..<1000 {
        // Some are empty.
        let value = number % 7 == 0 ? "" : String(repeating: "\(number),", count: number % 50 + 1)
        let bytes = Array(value.utf8)
        records.append(
          topic: number % 2, partition: Int32(number / 2 % 2), key: key.span, value: bytes.span)
        expected[number % 4].append(value)
      }
      for range in [0..<1, 1..<1, 1..<1000] {
        sender.take(records, range, copying: isCopying)
        try wait(for: "room") { try sender.send(within: .milliseconds(200)) }
      }
      try producer.flush(within: .seconds(30))
      for (index, topic) in topics.enumerated() {
        for partition in 0..<2 {
          let read = try bench.read(topic, partition: Int32(partition)).values
          #expect(read == expected[index + 2 * partition])
        }
      }
      #expect(producer.undelivered == 0)
    }

    @Test func `Records that are lent live until they are sent, and no longer`() throws {
      let bench = try Workbench()
      let (producer, sender) = try clients(bench, [bench.input], partitionCount: 1)
      weak var lent: OutgoingRecords?
      do {
        let records = OutgoingRecords()
        let bytes: [UInt8] = [1]
        records.append(topic: 0, partition: 0, key: bytes.span, value: bytes.span)
        lent = records
        sender.take(records, 0..<1, copying: false)
      }
      #expect(lent != nil)
      try wait(for: "room") { try sender.send(within: .milliseconds(200)) }
      try producer.flush(within: .seconds(30))
      #expect(lent == nil)
      #expect(try bench.read(bench.input).values == ["\u{1}"])
    }

    @Test func `A partition that is not there is an error, not a silence`() throws {
      let bench = try Workbench()
      let (_, sender) = try clients(bench, [bench.input], partitionCount: 1)
      let records = OutgoingRecords()
      let bytes: [UInt8] = []
      records.append(topic: 0, partition: 7, key: bytes.span, value: bytes.span)
      sender.take(records, 0..<1, copying: true)
      #expect(throws: KafkaError.self) { try sender.send(within: .seconds(1)) }
    }
  }
}
