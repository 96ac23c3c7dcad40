import Core
import Testing
import Worker

@testable import Lab

/// The check of a simulation finds what is planted in topics that were right.
@Suite struct SimulationCheckTests {
  private let simulation: Simulation
  /// A partition in which something was announced and something rejected.
  private let partition: Int32

  init() throws {
    // Which seeds have both changes with what is drawn of a seed.
    let found = (UInt64(0)..<20).lazy.compactMap { seed in
      let simulation = Simulation(seed: seed, options: .calm)
      #expect(simulation.run().problems == [])
      return simulation.eventfulPartition.map { (simulation, $0) }
    }.first
    (simulation, partition) = try #require(found)
  }

  /// What the check says once a lane holds other records.
  private func problems(
    _ topic: Topic, _ change: (inout [MemoryRecord]) throws -> Void
  ) throws -> [String] {
    let broker = simulation.broker
    var records = broker.committedRecords(topic, partition: partition)
    let former = records.count
    try change(&records)
    broker.recreate(topic, partition: partition)
    for record in records { broker[Lane(topic, partition)].append(record, transaction: nil) }
    #expect(former > 0)
    return check()
  }

  private func check() -> [String] {
    var check = SimulationCheck(simulation)
    check.run()
    return check.problems
  }

  @Test func `Untouched topics are still right`() throws {
    #expect(try problems(.events) { _ in } == [])
  }

  @Test func `A lost announcement is missing`() throws {
    let found = try problems(.events) { records in
      let index = records.lastIndex { $0.isReadByAll }
      records.remove(at: try #require(index))
    }
    #expect(found.contains { $0.hasPrefix("chat.events of \(partition)") })
    #expect(found.contains("the oracle, of partition \(partition), knowing the order:"))
    #expect(found.contains { $0.hasPrefix("  missing: ") })
  }

  @Test func `A doubled event is found`() throws {
    let found = try problems(.events) { $0.append($0[0]) }
    #expect(found.contains { $0.contains("expected  nothing") })
    #expect(found.contains { $0.hasPrefix("  doubled: ") })
  }

  @Test func `Another order is found`() throws {
    let found = try problems(.events) { $0.reverse() }
    #expect(found.contains { $0.contains("the first difference at 0:") })
  }

  @Test func `A lost rejection is missing`() throws {
    let found = try problems(.rejected) { $0.removeLast() }
    #expect(found.contains { $0.contains("found     nothing") })
    #expect(found.contains { $0.hasPrefix("  badRejections: ") })
  }

  @Test func `A changed header is found`() throws {
    let found = try problems(.rejected) { $0[0].headers["source.offset"] = "77" }
    #expect(found.contains { $0.contains("source.offset=77") })
  }

  @Test func `A changelog that lacks its last transactions is found`() throws {
    let found = try problems(.state) { $0.removeLast($0.count / 2) }
    #expect(found.contains { $0.hasPrefix("\(partition) goes on at") })
  }

  @Test func `A changelog that lacks a piece is found`() throws {
    let found = try problems(.state) { records in
      let last = records.last { record in
        record.value != nil && record.key?.count ?? 0 > 1
          && !records.contains { $0.key == record.key && $0.offset > record.offset }
      }
      let key = try #require(last).key
      records.removeAll { $0.key == key }
    }
    #expect(found.contains { $0.hasPrefix("state of \(partition): 1 pieces differ") })
  }

  @Test func `A record that nobody has applied is found`() throws {
    let found = try problems(.receipts) { $0.append($0[0]) }
    #expect(found.contains { $0.contains("records of chat.receipts") })
  }

  @Test func `A pool of another group that ignores whose the state is doubles`() {
    let simulation = Simulation(seed: 1, options: .calm)
    let stranger = SimulationWorker(name: "stranger", group: "other")
    // It is told the name of the pool's group, as if nobody looked at it.
    simulation.places.append(stranger)
    stranger.beginsAt = simulation.now
    let result = simulation.run()
    #expect(result.problems.contains { $0.hasPrefix("  doubled: ") })
  }

  @Test func `A committed offset that is not the changelog's is found`() throws {
    var position = try #require(simulation.broker.committedPosition(partition))
    position.offsets[.messages] = 0
    simulation.broker.setCommitted(position, partition: partition)
    #expect(check().contains { $0.hasSuffix("in the changelog, 0 committed") })
  }
}

extension Simulation {
  fileprivate var eventfulPartition: Int32? {
    (0..<broker.partitionCount).first { partition in
      broker.committedRecords(.events, partition: partition).contains { $0.isReadByAll }
        && !broker.committedRecords(.rejected, partition: partition).isEmpty
    }
  }
}

extension MemoryRecord {
  fileprivate var isReadByAll: Bool {
    String(decoding: value ?? [], as: UTF8.self).hasPrefix(#"{"event":"messagesReadByAll""#)
  }
}
