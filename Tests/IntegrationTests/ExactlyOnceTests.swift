import BrokerSupport
import Foundation
import Lab
import Testing

extension Integration {
  /// Three workers under load, while workers and brokers are killed, ended and stopped.
  ///
  /// `ROLLCALL_CHAOS=long` is the long form, `ROLLCALL_CHAOS_NODES=3` has three brokers, and
  /// `ROLLCALL_CHAOS_SEED` repeats a run's traffic and faults.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct ExactlyOnceTests {
    private static let isLong = Wish.text("ROLLCALL_CHAOS") == "long"
    private static let nodes = Wish.number("ROLLCALL_CHAOS_NODES") ?? 1
    private static let seed =
      Wish.number("ROLLCALL_CHAOS_SEED") ?? UInt64.random(in: 1...999_999)

    private static let wanted: [Fault: Int] =
      isLong
      ? [.kill: 20, .terminate: 5, .freeze: 3, .killBroker: 3]
      : [.kill: 3, .terminate: 1, .freeze: 1, .killBroker: 1]

    /// Records a second, and so many rounds of talk that it need not slow down much.
    private static let rate = 400
    private static let rounds = isLong ? 320 : 75
    private static let sizes = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60]

    private static var command: String {
      """
      ROLLCALL_CHAOS_SEED=\(seed) ROLLCALL_CHAOS_NODES=\(nodes) \
      \(isLong ? "ROLLCALL_CHAOS=long " : "")KAFKA_HOME=… \
      swift test --disable-xctest --filter ExactlyOnceTests
      """
    }

    @Test("Every message is announced exactly once, whatever is killed")
    func chaos() throws {
      tell("exactly once: \(Self.command)")
      let stage = try Stage(Broker(nodes: Self.nodes), partitions: 6)
      do {
        try play(stage)
      } catch {
        Issue.record("\(error)\nrepeat it with: \(Self.command)\nlogs: \(stage.folder.path)")
      }
    }

    private func play(_ stage: Stage) throws {
      let traffic = ExampleTraffic(seed: Self.seed, groupSizes: Self.sizes) { _ in Self.rounds }
      let workers = try ["1", "2", "3"].map { instance in
        // In the long form one takes its partitions back by its name, without a rebalance.
        let isStatic = Self.isLong && instance == "3"
        return try WorkerProcess(
          stage, instance: instance,
          FaultPlan.timeouts + ["--commit-interval", "100ms"]
            + (isStatic ? ["--static-membership"] : []))
      }
      let start = ContinuousClock.now
      let feeder = Feeder(stage, traffic.records, rate: Self.rate)
      let saboteur = try Saboteur(
        stage, workers, feeder, nodes: Self.nodes, FaultPlan(Self.wanted, seed: Self.seed))
      try saboteur.run { if Self.isLong { tell($0) } }
      let underFaults = feeder.fed
      try feeder.finish(within: .seconds(180))
      try Progress(stage).finish(within: .seconds(180))
      try saboteur.reviveTheDead()
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      for worker in workers { #expect(try worker.terminate() == 0) }

      #expect(saboteur.done == Self.wanted)
      #expect(saboteur.complaints == [])
      var verdict = Verdict(stage)
      try verdict.checkAnnouncements(traffic.expected)
      try verdict.checkState()
      #expect(verdict.rejected >= traffic.badRecordCount)
      let faults = Fault.allCases.map { "\($0) \(saboteur.done[$0] ?? 0)" }
      tell(
        """
        exactly once: \(traffic.messageCount) messages, \(feeder.total) records \
        (\(underFaults) under faults), \(verdict.announced) announcements in \(verdict.events) \
        events, \(verdict.rejected) rejected; \(faults.joined(separator: ", ")); \
        \(Int(seconds)) s, longest gap of a partition \(verdict.longestGap) ms
        """)
      if saboteur.complaints.isEmpty { try stage.strike() }
    }
  }
}
