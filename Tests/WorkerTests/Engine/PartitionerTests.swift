import Core
import Testing

@testable import Worker

@Suite struct PartitionerTests {
  /// The vectors of Kafka's own test of its clients' hash.
  @Test(arguments: [
    ("21", -973_932_308), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536),
    ("a-little-bit-longer-string", -1_486_304_829),
    ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971), ("abc", 479_470_107),
  ])
  func `Murmur2 is that of Kafka`(text: String, hash: Int32) {
    #expect(Partitioner.murmur2(Array(text.utf8).span) == UInt32(bitPattern: hash))
  }

  @Test(arguments: [("123456789", UInt32(0xCBF4_3926)), ("", 0), ("a", 0xE8B7_BE43)])
  func `Crc32 is that of zlib`(text: String, crc: UInt32) {
    #expect(Partitioner.crc32(Array(text.utf8).span) == crc)
  }

  @Test func `Partitions lie in their range`() {
    for number in 0..<1000 {
      let key = Array("group_\(number)".utf8)
      for way in Partitioner.allCases {
        #expect(0..<7 ~= way.partition(of: key.span, count: 7))
      }
    }
  }

  private func feed(
    _ probe: inout PartitionerProbe, topic: InputTopic, by way: Partitioner
  ) -> [PartitionerProbe.Doubt] {
    (0..<300).compactMap { number in
      let key = Array("group_\(number)".utf8)
      let partition = way.partition(of: key.span, count: 12)
      guard probe.isOpen(topic) else { return nil }
      return probe.observe(key.span, topic: topic, partition: partition, count: 12)
    }
  }

  @Test(arguments: Partitioner.allCases)
  func `Topics that agree are not doubted`(way: Partitioner) {
    var probe = PartitionerProbe()
    for topic in InputTopic.allCases {
      #expect(feed(&probe, topic: topic, by: way) == [])
      #expect(!probe.isOpen(topic), "enough was seen")
    }
  }

  @Test func `Topics of different clients are doubted once`() {
    var probe = PartitionerProbe()
    #expect(feed(&probe, topic: .messages, by: .murmur2) == [])
    #expect(feed(&probe, topic: .receipts, by: .crc32) == [.init(topic: .receipts, likely: .crc32)])
    #expect(feed(&probe, topic: .deletes, by: .murmur2) == [])
  }
}
