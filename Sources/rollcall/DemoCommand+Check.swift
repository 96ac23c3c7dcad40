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
    let expectations = traffic.expectations
    var comparison = ExampleTraffic.Comparison(expectations)
    let isRead = [
      try read(.events) { _, value in comparison.add(event: value) },
      try read(.actions) { _, _ in comparison.addAction() },
      try read(.status) { key, value in comparison.add(statusKey: key, value: value) },
      try read(.rejected) { _, _ in comparison.addRejection() },
    ]
    guard isRead.allSatisfy(\.self) else {
      return Console.complain("the outputs could not be read in time", ExitCode.failed)
    }
    let code = Console.show(Self.verdict(comparison, expectations))
    return comparison.isRight ? code : ExitCode.failed
  }

  private static func verdict(
    _ found: ExampleTraffic.Comparison, _ expected: ExampleTraffic.Expectations
  ) -> String {
    let announced = found.announcements
    let updates = expected.threads.values.reduce(0) { $0 + $1.updates }
    return """
      announced   \(announced.found) of \(expected.announcements.count) expected, read_committed: \
      \(announced.found(.delivered)) messages delivered to all, \
      \(announced.found(.read)) read by all
      deletes     \(found.deletes) of \(expected.deleted.count) told, \
      \(found.actions) action messages
      threads     \(found.threadUpdates) of \(updates) updates told
      unread      \(found.unreadCounts) of \(expected.unread.count) counts right
      direct      \(found.directStatuses) of \(expected.direct.count) statuses right of messages \
      between two
      missing     \(found.missing)
      duplicates  \(found.duplicates)
      unexpected  \(found.unexpected)
      rejected    \(found.rejections) of \(expected.rejections) bad records
      \(found.isRight ? "PASSED: every announcement came exactly once" : "FAILED")
      """
  }

  /// Reads a topic to its end: each record's key and value.
  private func read(
    _ topic: LogTopic, _ body: (String, String) -> Void
  ) throws(KafkaError) -> Bool {
    let reader = try TopicReader(
      clients, try partitions(of: [topic]), notify: Console.notify)
    defer { reader.close() }
    return try reader.readToEnd(within: Self.patience) { _, key, value in
      body(String(copying: key), String(copying: value))
    }
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
