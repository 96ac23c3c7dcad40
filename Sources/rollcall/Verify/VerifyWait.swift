import Core
import Kafka
import Wire
import Worker

/// Waits until a pool has nothing to do: all inputs are applied, and none waits for another.
struct VerifyWait {
  let clients: Settings
  let inputs: [TopicPartition]
  let states: [TopicPartition]

  private static let questionTimeout = Duration.seconds(10)

  /// How long it waits at most.
  ///
  /// - Throws: `unsettled` when there is still something to do.
  func run(within timeout: Duration) throws(VerifyFailure) {
    let limit = ContinuousClock.now + timeout
    let lag = try awaitLag(until: limit)
    guard lag == 0 else {
      throw .unsettled("after \(timeout) the workers have not applied \(lag) records")
    }
    let waiting = try awaitWaiting(until: limit)
    guard waiting == 0 else {
      throw .unsettled(
        "after \(timeout) \(waiting) records still wait for a message or a member; what never "
          + "comes is given up after the workers' --grace")
    }
  }

  private func awaitLag(until limit: ContinuousClock.Instant) throws(VerifyFailure) -> Int64 {
    try VerifyFailure.calling { () throws(KafkaError) in
      var group = try GroupLag(clients, inputs)
      defer { group.close() }
      try group.holdEnds(within: Self.questionTimeout)
      var teller = Teller()
      while true {
        let isOver = ContinuousClock.now >= limit
        do throws(KafkaError) {
          let lag = try group.total(within: Self.questionTimeout)
          if lag == 0 || isOver { return lag }
          teller.tell("waiting until \(lag) records are applied")
        } catch {
          // The group keeps its offsets back as long as a transaction is open, which one that a
          // worker left behind may be for a minute.
          guard case .timedOut = error, !isOver else { throw error }
          teller.tell("waiting for the group's offsets")
        }
        try group.pause(.milliseconds(100))
      }
    }
  }

  /// Follows the changelog, and counts what waits there.
  private func awaitWaiting(until limit: ContinuousClock.Instant) throws(VerifyFailure) -> Int {
    let reader = try VerifyFailure.calling { () throws(KafkaError) in
      try TopicReader(clients, states, notify: Console.notify)
    }
    defer { reader.close() }
    var waiting: Set<Ticket> = []
    var teller = Teller()
    while !reader.isAtEnd || !waiting.isEmpty {
      guard ContinuousClock.now < limit else { return max(1, waiting.count) }
      var failure: VerifyFailure?
      try VerifyFailure.calling { () throws(KafkaError) in
        try reader.pollBatches(.milliseconds(100)) { lane, batch in
          for index in 0..<batch.count where failure == nil {
            do throws(StateError) {
              try note(batch.bytes(of: index), lane.partition, &waiting)
            } catch {
              failure = .unreadableState(partition: lane.partition, error)
            }
          }
        }
      }
      if let failure { throw failure }
      teller.tell(
        reader.isAtEnd
          ? "waiting for \(waiting.count) records that wait for a message or a member"
          : "waiting: reading the state")
    }
    return 0
  }

  /// A record that waits.
  private struct Ticket: Hashable {
    var partition: Int32
    var number: Int64
  }

  private func note(
    _ record: (key: [UInt8]?, value: [UInt8]?), _ partition: Int32, _ waiting: inout Set<Ticket>
  ) throws(StateError) {
    guard let key = record.key else { throw .malformed }
    guard let number = try StateCodec.waitingTicket(inKey: key) else { return }
    let ticket = Ticket(partition: partition, number: number)
    if record.value == nil { waiting.remove(ticket) } else { waiting.insert(ticket) }
  }

  /// Says something once a second.
  private struct Teller {
    private var due = ContinuousClock.now + .seconds(1)

    mutating func tell(_ text: @autoclosure () -> String) {
      guard ContinuousClock.now >= due else { return }
      due = .now + .seconds(1)
      Console.tell(text())
    }
  }
}
