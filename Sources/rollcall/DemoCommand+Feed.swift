import Core
import Kafka
import Lab
import Ops
import Worker

extension DemoCommand {
  /// So many times a second the feed looks at the clock: often enough to look steady.
  private static let stepsPerSecond = 10

  /// Writes the traffic at the rate asked for.
  func feed() throws(KafkaError) -> Int32 {
    let records = traffic.records
    let producer = try PlainProducer(clients, notify: Console.notify)
    var topics: [Topic] = []
    for topic in LogTopic.inputs {
      topics.append(try producer.topic(name(of: topic), within: .seconds(10)))
    }
    let partitionCount = Int32(clamping: try partitions(of: [.messages]).count)
    guard partitionCount > 0 else {
      return Console.complain("\(name(of: .messages)) is missing", ExitCode.failed)
    }
    let start = ContinuousClock.now
    var step = 0
    for (index, record) in records.enumerated() {
      let partition = Partitioner.murmur2.partition(of: record.key.span, count: partitionCount)
      try producer.produce(
        topics[Int(record.topic.rawValue)], partition: partition, key: record.key.span,
        value: record.value.span, within: .seconds(10))
      let written = index + 1
      let isLast = written == records.count
      guard isLast || written >= (step + 1) * settings.rate / Self.stepsPerSecond else { continue }
      step += 1
      Pause.until(start + .seconds(1) * step / Self.stepsPerSecond)
      if isLast { try producer.flush(within: .seconds(30)) }
      guard isLast || step.isMultiple(of: 2 * Self.stepsPerSecond) else { continue }
      let rate = Double(written) / ((ContinuousClock.now - start) / .seconds(1))
      let code = Console.show("\(written) of \(records.count) records fed, \(Int(rate)) a second")
      guard code == ExitCode.done else { return code }
    }
    return ExitCode.done
  }
}
