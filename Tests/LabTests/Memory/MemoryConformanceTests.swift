import Conformance
import Core
import Testing
import Worker

@testable import Lab

/// The log in memory answers what any record log has to; Kafka's is asked the same where there is
/// one.
@Suite struct ConformanceTests {
  @Test(arguments: LogTranscript.allCases)
  func `The memory log answers`(transcript: LogTranscript) throws {
    try transcript.run(on: MemoryStage())
  }
}

private final class MemoryStage: LogStage {
  private let broker = MemoryBroker(partitionCount: 2)

  init() {
    broker.clock = Instant(milliseconds: 1_771_586_000_000)
    broker.transactionTimeout = 4000
    broker.sessionTimeout = 6000
  }

  func open(_ member: String, transactionalId: String) -> MemoryLog {
    MemoryLog(broker, name: member, transactionalId: transactionalId)
  }

  func pass() { broker.advance(to: broker.clock.advanced(byMilliseconds: 50)) }

  func leavePending(_ position: CommittedPosition) { broker.leavePending(position, of: "pending") }

  func commitPending() { broker.commit("pending") }
}
