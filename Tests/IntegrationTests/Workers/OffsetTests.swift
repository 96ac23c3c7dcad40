import BrokerSupport
import Core
import Kafka
import Testing
import Worker

@testable import rollcall

extension Integration {
  /// What the group has committed is gone, as after a week in which nobody worked: the changelog
  /// knows where to go on. `ROLLCALL_LONG` has Kafka itself forget it, too, which takes minutes.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct OffsetTests {
    enum Loss: CaseIterable { case deleted, expired }

    @Test(arguments: Wish.isLong ? Loss.allCases : [.deleted])
    func `A pool whose committed offsets are gone goes on where it was`(loss: Loss) throws {
      switch loss {
      case .deleted:
        let stage = try Stage(Broker.shared(), partitions: 3)
        try check(stage) {
          try Admin(stage.clients("admin"), notify: { _ in }).deleteOffsets(
            of: stage.group, stage.partitions(of: Topic.inputs))
        }
      case .expired:
        let broker = try Broker(settings: [
          "offsets.retention.minutes=1", "offsets.retention.check.interval.ms=5000",
        ])
        defer { broker.end() }
        try check(Stage(broker, partitions: 3)) {}
      }
    }

    private func check(_ stage: Stage, _ forget: () throws -> Void) throws {
      let traffic = stage.traffic(records: 2000)
      let middle = traffic.count / 2
      let first = try WorkerProcess(stage, instance: "1")
      try stage.play(traffic[..<middle])
      try stage.end([first])

      try forget()
      let consumer = try Consumer(stage.clients("asker"), notify: { _ in })
      let inputs = stage.partitions(of: Topic.inputs)
      try eventually("the offsets are gone", within: .seconds(180), every: .seconds(1)) {
        try consumer.committed(inputs, within: .seconds(10)).allSatisfy { $0.offset == nil }
      }
      consumer.close(within: .seconds(5))

      let second = try WorkerProcess(stage, instance: "2")
      try stage.play(traffic[middle...])
      try stage.end([second])
      try Verdict(stage).expectRight(announced: 100)
      #expect(try second.lines("partition stopped").isEmpty)
      try stage.strike()
    }
  }
}
