import Core
import Oracle
import Worker

/// What the oracle says, which knows nothing of the engine.
extension SimulationCheck {
  /// What the oracle is told of a seed.
  private struct Case {
    var partition: Int32
    var order: OracleOrder
    /// Records, and moves of stream time, in the order in which they are applied.
    var entries: [SimulationReplay.Entry]
  }

  /// Has the oracle decide about everything in a partition's output topics: once knowing the order
  /// in which the inputs were applied, and once as somebody who sees the topics only.
  mutating func askOracle(_ partition: Int32) {
    ask(Case(partition: partition, order: .merged, entries: journal[partition].entries))
    askStranger(partition)
  }

  /// Has the oracle decide, where that makes sense, as somebody who sees the topics only.
  mutating func askStranger(_ partition: Int32) {
    // Where things are given up while others come, the order is more than the topics tell.
    guard !plan.isShort, !plan.rules.isTight else { return }
    let replay = journal[partition]
    // What falls due in the end does so in two steps, of grace and of the window.
    let ticks = replay.entries.reversed().prefix { $0.isTick }.reversed()
    // A partition's state says where its stream time is.
    let last = replay.machine.streamTime.map { [SimulationReplay.Entry.tick($0)] } ?? []
    let entries = merged(partition) + ticks + last
    verdict += ask(Case(partition: partition, order: .any, entries: entries))
  }

  @discardableResult
  private mutating func ask(_ question: Case) -> OracleVerdict {
    var oracle: Oracle
    do throws(OracleError) {
      oracle = try Oracle(
        options: plan.rules.texts, partition: question.partition, order: question.order,
        latestClock: question.order == .any ? latestClock.milliseconds : nil)
    } catch {
      fail("the oracle: \(error)")
      return OracleVerdict()
    }
    for entry in question.entries { tell(entry, question, &oracle) }
    for topic in Topic.judged {
      for record in broker.committedRecords(topic, partition: question.partition)
      where !isLeftOut(record) {
        oracle.check(OracleRecord(record, topic, question.partition))
      }
    }
    let verdict = oracle.finish()
    if !verdict.isRight {
      let known = question.order == .any ? "" : ", knowing the order"
      fail("the oracle, of partition \(question.partition)\(known):")
      for example in verdict.examples { fail("  \(example)") }
    }
    return verdict
  }

  private func tell(
    _ entry: SimulationReplay.Entry, _ question: Case, _ oracle: inout Oracle
  ) {
    let partition = question.partition
    switch entry {
    case .tick(let instant): oracle.tick(to: instant.milliseconds)
    case .record(let topic, let record, let clock):
      let limit = question.order == .merged ? clock.milliseconds : nil
      let told = OracleRecord(record, Topic(topic), partition)
      let place = WorkerConfiguration.Skip(
        topic: topic, partition: partition, offset: record.offset)
      if isLeftOut(record) {
        if let timestamp = record.timestamp { oracle.tick(to: timestamp.milliseconds) }
      } else if place == plan.skip {
        oracle.skip(told, clock: limit)
      } else {
        oracle.apply(told, clock: limit)
      }
    }
  }

  /// The contract does not say what stands for an output that is too large.
  private func isLeftOut(_ record: MemoryRecord) -> Bool {
    plan.isNarrow && record.key?.starts(with: SimulationOddities.key) ?? false
  }

  private func merged(_ partition: Int32) -> [SimulationReplay.Entry] {
    let topics = InputTopic.allCases.map { topic in
      broker.committedRecords(Topic(topic), partition: partition)[...]
    }
    return MemoryRecord.merged(topics, latestClock).map { topic, record in
      .record(InputTopic.allCases[topic], record, clock: latestClock)
    }
  }
}

extension MemoryRecord {
  /// Merges topics, each in its own order, by timestamp; of equal ones the first topic's is first.
  /// What has none, or one that is ahead of the clock, is as new as what lies before it.
  fileprivate static func merged(
    _ topics: [ArraySlice<MemoryRecord>], _ clock: Instant
  ) -> [(topic: Int, record: MemoryRecord)] {
    var topics = topics
    var times = topics.map { _ in Instant.distantPast }
    var merged: [(topic: Int, record: MemoryRecord)] = []
    while true {
      for index in topics.indices {
        if let time = topics[index].first?.timestamp, time <= clock { times[index] = time }
      }
      let heads = topics.indices.filter { !topics[$0].isEmpty }
      guard let next = heads.min(by: { times[$0] < times[$1] }) else { return merged }
      merged.append((next, topics[next].removeFirst()))
    }
  }
}

extension OracleRecord {
  fileprivate init(_ record: MemoryRecord, _ topic: Core.Topic, _ partition: Int32) {
    self.init(
      topic: topic.oracleTopic, partition: partition, offset: record.offset,
      timestamp: record.timestamp?.milliseconds, key: record.key, value: record.value,
      headers: record.headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
  }
}
