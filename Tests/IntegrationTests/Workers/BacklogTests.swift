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
      let traffic = stage.traffic(seed: 5, records: 5000) { options in
        options.groups = 4
        options.smallestGroup = 40
        options.largestGroup = 60
        options.lateRecords = 10
      }
      let now = Int64(Date().timeIntervalSince1970 * 1000)
      let span: Int64 = 4 * 60 * 60 * 1000
      let records = traffic.enumerated().map { index, record in
        var record = record
        record.timestamp = now - span + span * Int64(index) / Int64(traffic.count)
        return record
      }
      // The topic of the receipts first: whoever reads as it comes is hours ahead in it.
      for topic in [InputTopic.receipts, .deletes, .messages] {
        try stage.write(records.filter { $0.topic == topic })
      }
      let worker = try WorkerProcess(stage, instance: "1")
      try Progress(stage).finish(within: .seconds(120))
      try stage.end([worker])
      try Verdict(stage).expectRight(announced: 100)
      try stage.strike()
    }
  }
}
