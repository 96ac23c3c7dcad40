import Core
import Kafka
import Lab
import Ops
import Worker

extension DemoCommand {
  /// So many transactions a second: seldom enough to cost little, often enough to look steady.
  private static let stepsPerSecond = 10

  /// Writes half of the traffic at the rate asked for.
  func feed() throws(KafkaError) -> Int32 {
    let traffic = traffic
    let middle = traffic.records.count / 2
    let records = settings.half == .first ? traffic.records[..<middle] : traffic.records[middle...]
    let producer = try Producer(clients, within: .seconds(30), notify: Console.notify)
    var topics: [Topic] = []
    for topic in LogTopic.inputs {
      topics.append(try producer.topic(name(of: topic), within: .seconds(10)))
    }
    let partitionCount = Int32(clamping: try partitions(of: [.messages]).count)
    guard partitionCount > 0 else {
      return Console.complain("\(name(of: .messages)) is missing", ExitCode.failed)
    }
    let clock = ContinuousClock()
    let start = clock.now
    var step = 0
    for index in records.indices {
      let record = records[index]
      let partition = Partitioner.murmur2.partition(of: record.key.span, count: partitionCount)
      try producer.produce(
        topics[Int(record.topic.rawValue)], partition: partition, key: record.key.span,
        value: record.value.span)
      let isLast = index == records.index(before: records.endIndex)
      let written = index - records.startIndex + 1
      guard isLast || written >= (step + 1) * settings.rate / Self.stepsPerSecond else { continue }
      try producer.commit()
      step += 1
      Pause.until(start + .seconds(1) * step / Self.stepsPerSecond)
      if isLast || step.isMultiple(of: 2 * Self.stepsPerSecond) {
        let rate = Double(written) / ((clock.now - start) / .seconds(1))
        let code = Console.show(
          "\(index + 1) of \(traffic.records.count) records fed, \(Int(rate)) a second")
        guard code == ExitCode.done else { return code }
      }
    }
    return ExitCode.done
  }
}
