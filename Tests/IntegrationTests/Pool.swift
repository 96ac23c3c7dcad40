import Kafka
import Lab

@testable import rollcall

/// What tests of a healthy pool do again and again.
extension Stage {
  /// Plays some of a traffic's records to workers that run, and waits until they are applied.
  func play(_ records: [ExampleTraffic.Record], within limit: Duration = .seconds(120)) throws {
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

/// A traffic that takes seconds, in small groups.
extension ExampleTraffic {
  static func small(seed: UInt64 = 7, rounds: Int = 6) -> ExampleTraffic {
    ExampleTraffic(seed: seed, groupSizes: [2, 3, 4, 6, 10, 20, 40]) { _ in rounds }
  }
}
