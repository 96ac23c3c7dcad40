import BrokerSupport
import Core
import Foundation
import Lab
import Testing
import Worker

extension Integration {
  @Suite struct BacklogTests {
    @Test("Four hours of backlog are announced as live traffic is, and nothing good is rejected")
    func fourHours() throws {
      let stage = try Stage(Broker.shared(), partitions: 3, timestamps: "CreateTime")
      // Groups so busy that a receipt that is faster than its message is so by seconds.
      let traffic = ExampleTraffic(seed: 5, groupSizes: [40, 50, 60, 60]) { _ in 12 }
      let now = Int64(Date().timeIntervalSince1970 * 1000)
      let span: Int64 = 4 * 60 * 60 * 1000
      let records = traffic.records.enumerated().map { index, record in
        TimedRecord(
          topic: record.topic,
          partition: Partitioner.murmur2.partition(of: record.key.span, count: 3), key: record.key,
          value: record.value,
          timestamp: now - span + span * Int64(index) / Int64(traffic.records.count))
      }
      // The topic of the receipts first: whoever reads as it comes is hours ahead in it.
      for topic in [InputTopic.receipts, .deletes, .messages] {
        try stage.write(records.filter { $0.topic == topic })
      }
      let worker = try WorkerProcess(stage, instance: "1")
      try Progress(stage).finish(within: .seconds(120))
      try stage.end([worker])
      var verdict = Verdict(stage)
      try verdict.checkAnnouncements(traffic.expected)
      try verdict.checkState()
      #expect(verdict.rejected == traffic.badRecordCount)
      try stage.strike()
    }
  }
}
