import Core
import Testing
import Worker

@testable import Lab

/// The check of a simulation finds what is planted in topics that were right.
@Suite struct SimulationCheckTests {
  private let simulation: Simulation
  /// A partition in which something was announced.
  private let partition: Int32

  init() throws {
    simulation = Simulation(seed: 3, options: .calm)
    #expect(simulation.run().problems == [])
    let broker = simulation.broker
    let found = (0..<broker.partitionCount).first { partition in
      broker.committedRecords(.events, partition: partition).contains { $0.isReadByAll }
    }
    partition = try #require(found)
  }

  /// What the check says once a lane holds other records.
  private func problems(
    _ topic: LogTopic, _ change: (inout [MemoryRecord]) throws -> Void
  ) throws -> [String] {
    let broker = simulation.broker
    var records = broker.committedRecords(topic, partition: partition)
    let former = records.count
    try change(&records)
    broker.recreate(topic, partition: partition)
    for record in records { broker[Lane(topic, partition)].append(record, transaction: nil) }
    #expect(former > 0)
    simulation.check.run(until: nil)
    return simulation.check.problems
  }

  @Test func untouchedTopicsAreStillRight() throws {
    #expect(try problems(.events) { _ in } == [])
  }

  @Test func aLostAnnouncementIsMissing() throws {
    let found = try problems(.events) { records in
      let index = records.lastIndex { $0.isReadByAll }
      records.remove(at: try #require(index))
    }
    #expect(found.contains { $0.contains("announced in partition") && $0.hasSuffix("missing") })
    #expect(found.contains { $0.hasPrefix("announced: ") && $0.hasSuffix("missing") })
  }

  @Test func aDoubledEventComesAgain() throws {
    let found = try problems(.events) { $0.append($0[0]) }
    #expect(found.contains { $0.hasSuffix("came again") })
  }

  @Test func aReadingBeforeTheDeliveryIsOutOfOrder() throws {
    let found = try problems(.events) { $0.reverse() }
    #expect(found.contains { $0.hasSuffix("comes after it was read") })
  }

  @Test func aLostRejectionIsMissing() throws {
    let found = try problems(.rejected) { $0.removeLast() }
    #expect(found.contains { $0.hasPrefix("rejected in partition") && $0.hasSuffix("missing") })
  }

  @Test func aDoubledRejectionComesTooOften() throws {
    let found = try problems(.rejected) { $0.append($0[0]) }
    #expect(found.contains { $0.hasPrefix("rejected in partition") && $0.hasSuffix("too often") })
  }

  @Test func aChangelogThatLacksItsLastTransactionsIsFound() throws {
    let found = try problems(.state) { $0.removeLast($0.count / 2) }
    #expect(found.contains { $0.hasPrefix("state of \(partition)") })
  }

  @Test func aCommittedOffsetThatIsNotTheChangelogsIsFound() throws {
    var position = try #require(simulation.broker.committedPosition(partition))
    position.offsets[0] = 0
    simulation.broker.setCommitted(position, partition: partition)
    simulation.check.run(until: nil)
    #expect(simulation.check.problems.contains { $0.hasSuffix("in the changelog, 0 committed") })
  }
}

extension MemoryRecord {
  fileprivate var isReadByAll: Bool {
    String(decoding: value ?? [], as: UTF8.self).hasPrefix(#"{"event":"messagesReadByAll""#)
  }
}
