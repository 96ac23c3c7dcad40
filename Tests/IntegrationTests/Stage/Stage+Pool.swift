import Core
import Kafka
import Lab
import Worker

@testable import rollcall

/// What tests of a healthy pool do again and again.
extension Stage {
  /// The traffic of small groups, with all that a chat service does, made from a seed.
  func traffic(
    seed: UInt64 = 7, records count: Int, _ adjust: (inout WorkloadOptions) -> Void = { _ in }
  ) -> [TimedRecord] {
    var options = WorkloadOptions(.small)
    options.groups = 12
    options.largestGroup = 40
    options.pairs = 4
    options.forged = Share(percent: 1)
    options.bad = Share(percent: 1)
    adjust(&options)
    var workload = Workload(seed: seed, options: options, partitionCount: partitionCount)
    var records: [TimedRecord] = []
    while let record = workload.next() {
      records.append(
        TimedRecord(
          topic: record.topic, partition: record.partition,
          key: record.key.isEmpty ? nil : record.key, value: record.value,
          timestamp: record.time.milliseconds))
      if records.count == count { workload.end() }
    }
    return records
  }

  /// Plays records to workers that run, and waits until they are applied.
  func play(_ records: some Sequence<TimedRecord>, within limit: Duration = .seconds(120)) throws {
    try write(records)
    try Progress(self).finish(within: limit)
  }

  /// Ends workers well, and waits until the group has no more than these members.
  func end(_ workers: [WorkerProcess], stillInGroup members: Int = 0) throws {
    for worker in workers {
      let code = try worker.terminate()
      guard code == 0 else { throw Missed(description: "\(worker.instance) ended with \(code)") }
    }
    let admin = try Admin(clients("admin"), notify: { _ in })
    try eventually("the group has \(members) members", within: .seconds(60)) {
      try admin.memberCount(of: group) <= members
    }
  }
}
