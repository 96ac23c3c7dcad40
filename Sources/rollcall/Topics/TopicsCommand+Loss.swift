import Core
import Kafka
import Ops
import Wire
import Worker

extension TopicsCommand {
  private static let boundsTimeout = Duration.seconds(10)

  /// Has one partition of a stopped pool go on behind the gaps of its inputs, with its state.
  func acceptLoss() throws(KafkaError) -> Int32 {
    let partition = Int32(clamping: settings.partition)
    if let obstacle = try obstacle(to: partition) {
      return Console.complain(obstacle, ExitCode.failed)
    }
    guard let state = try state(of: partition) else {
      return Console.complain("reading takes too long", ExitCode.failed)
    }
    if let refusal = try refusal(state, partition) {
      return Console.complain(refusal, ExitCode.configuration)
    }
    guard var record = state.record else {
      return Console.complain(
        "\(name(of: .state)) has no state of partition \(partition)", ExitCode.failed)
    }
    let gaps = try gaps(of: partition, record)
    guard !gaps.isEmpty else {
      return Console.show("partition \(partition) has no gap: nothing is changed")
    }
    let lines = gaps.map { gap in
      "  \(name(of: gap.topic)) goes on at \(gap.resumed) instead of \(gap.position): "
        + (gap.lostRecords > 0
          ? "\(gap.lostRecords) records were deleted unread"
          : "it was truncated or made anew, and nobody knows what was lost")
    }
    let code = Console.show(
      "Partition \(partition) of group \(settings.group) keeps its state, and\n"
        + lines.joined(separator: "\n"))
    guard code == ExitCode.done, settings.yes || isConfirmed() else {
      return Console.complain("nothing is changed", ExitCode.failed)
    }
    // The pool may have been started before the answer was typed.
    if let obstacle = try obstacle(to: partition) {
      return Console.complain(obstacle + "; nothing is changed", ExitCode.failed)
    }
    for gap in gaps { record.pass(gap) }
    record.version += 1
    record.writer = "accept-loss/\(WallClock.milliseconds)"
    try write(record, of: partition)
    return Console.show("done: partition \(partition) goes on behind the gaps")
  }

  /// Which topic does not have a partition; nil: all have it.
  func absence(of partition: Int32) throws(KafkaError) -> String? {
    for topic in Topic.allCases {
      guard let layout = try admin.layout(of: name(of: topic)), layout.partitions > partition
      else { return "\(name(of: topic)) is missing or has no partition \(partition)" }
    }
    return nil
  }

  /// The inputs whose records are not there where a partition would go on.
  private func gaps(
    of partition: Int32, _ record: PartitionRecord
  ) throws(KafkaError) -> [Gap] {
    let ends = try PartitionEnds(clients, notify: Console.notify)
    var gaps: [Gap] = []
    for input in InputTopic.allCases {
      let topic = Topic(input)
      let lane = TopicPartition(name(of: topic), partition)
      let bounds = try ends.bounds(lane, within: Self.boundsTimeout)
      let position = record.nextOffsets[input]
      var isGap = !(bounds.lowerBound...bounds.upperBound).contains(position)
      if !isGap, let applied = record.lastApplied[input], let time = applied.timestamp,
        bounds.contains(applied.offset)
      {
        isGap = try self.time(of: lane, applied.offset) != time.milliseconds
      }
      if isGap { gaps.append(Gap(topic, at: position, bounds)) }
    }
    return gaps
  }

  /// The timestamp of the record at an offset; nil where it has none, or nothing is given out
  /// there.
  private func time(of lane: TopicPartition, _ offset: Int64) throws(KafkaError) -> Int64? {
    let reader = try TopicReader(clients, [lane], from: .offset(offset), notify: Console.notify)
    defer { reader.close() }
    let limit = ContinuousClock.now + Self.boundsTimeout
    var time: Int64?
    var isFound = false
    while !isFound, !reader.isAtEnd, ContinuousClock.now < limit {
      try reader.pollBatches(.milliseconds(100)) { _, batch in
        guard batch.count > 0, !isFound else { return }
        isFound = true
        if batch.offset(0) == offset { time = batch.timestampMilliseconds(0) }
      }
    }
    return time
  }

  /// Writes the partition's record and the group's offsets, as one.
  private func write(_ record: PartitionRecord, of partition: Int32) throws(KafkaError) {
    let producer = try Producer(clients, within: .seconds(60), notify: Console.notify)
    let topic = try producer.topic(name(of: .state), within: .seconds(10))
    var records = EncodedRecords()
    StateCodec.encode(record, into: &records)
    guard let key = records.records.first?.key, let value = records.records.first?.value else {
      return
    }
    let bytes = records.bytes
    try producer.produce(
      topic, partition: partition, key: bytes.span.extracting(key),
      value: bytes.span.extracting(value))
    let consumer = try Consumer(clients, notify: Console.notify)
    defer { consumer.close(within: .seconds(5)) }
    try producer.commit(
      zip(Topic.inputs, record.nextOffsets).map { topic, offset in
        Position(
          TopicPartition(name(of: topic), partition), offset: offset,
          metadata: topic == .messages ? record.metadata : "")
      }, of: consumer)
  }
}

extension PartitionRecord {
  /// Goes on behind a gap of an input.
  fileprivate mutating func pass(_ gap: Gap) {
    if let input = gap.topic.input {
      nextOffsets[input] = gap.resumed
      lastApplied[input] = nil
      lostRecords[input] += gap.lostRecords
      gaps[input] += 1
    }
    if gap.topic == .messages { sequenceBase &+= gap.sequenceStep }
  }
}
