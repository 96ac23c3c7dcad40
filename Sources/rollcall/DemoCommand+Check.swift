import Kafka
import Lab
import Worker

extension DemoCommand {
  /// How long the workers may take to apply what is left, and reading the outputs.
  private static let patience = Duration.seconds(60)

  /// Waits until all inputs are applied, reads the outputs afresh, and compares.
  func check() throws(KafkaError) -> Int32 {
    guard try waitUntilApplied() else {
      return Console.complain("the workers did not apply all records in time", ExitCode.failed)
    }
    let traffic = traffic
    var tally = ExampleTraffic.Tally(expected: traffic.expected)
    let events = try read(.events) { value in
      for announcement in ExampleTraffic.announcements(inEvent: value) { tally.add(announcement) }
    }
    var rejected = 0
    let rejections = try read(.rejected) { _ in rejected += 1 }
    guard events, rejections else {
      return Console.complain("the outputs could not be read in time", ExitCode.failed)
    }
    let passed =
      tally.missing == 0 && tally.duplicates == 0 && tally.unexpected == 0
      && rejected == traffic.badRecordCount
    let code = Console.show(
      """
      announced   \(tally.found) of \(traffic.expected.count) expected, read_committed: \
      \(tally.found(.delivered)) messages delivered to all, \(tally.found(.read)) read by all
      missing     \(tally.missing)
      duplicates  \(tally.duplicates)
      unexpected  \(tally.unexpected)
      rejected    \(rejected) of \(traffic.badRecordCount) bad records
      \(passed ? "PASSED: every announcement came exactly once" : "FAILED")
      """)
    return passed ? code : ExitCode.failed
  }

  private func read(
    _ topic: LogTopic, _ body: (Span<UInt8>?) -> Void
  ) throws(KafkaError) -> Bool {
    let reader = try TopicReader(
      clients, try partitions(of: [topic]), notify: Console.notify)
    defer { reader.close() }
    return try reader.readToEnd(within: Self.patience) { _, _, value in body(value) }
  }

  private func waitUntilApplied() throws(KafkaError) -> Bool {
    let inputs = try partitions(of: LogTopic.inputs)
    let ends = try PartitionEnds(clients, notify: Console.notify)
    var targets: [TopicPartition: Int64] = [:]
    for partition in inputs {
      targets[partition] = try ends.bounds(partition, within: .seconds(10)).upperBound
    }
    let consumer = try Consumer(clients, notify: Console.notify)
    defer { consumer.close(within: .seconds(5)) }
    let limit = ContinuousClock.now + Self.patience
    while ContinuousClock.now < limit {
      let committed = try consumer.committed(inputs, within: .seconds(10))
      let isDone = committed.allSatisfy { ($0.offset ?? 0) >= targets[$0.partition] ?? 0 }
      if isDone { return true }
      _ = try consumer.wait(for: [], timeout: .milliseconds(200))
    }
    return false
  }
}
