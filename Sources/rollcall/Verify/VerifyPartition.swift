import Core
import Kafka
import Lab
import Ops
import Oracle
import Wire
import Worker

/// The verification of one partition.
struct VerifyPartition {
  let settings: VerifySettings
  let cutter: VerifyCutter
  let progress: VerifyProgress
  /// No worker had a later clock when it applied what is judged: to be asked when that is settled.
  private var latestClock: Int64 { WallClock.milliseconds }

  /// The headers that a rejected record has.
  private static let headerNames = [
    "error.code", "error.message", "error.field", "source.topic", "source.partition",
    "source.offset", "source.timestamp", "source.bytes", "source.keyBytes",
  ]

  /// Verifies it and adds what it finds.
  ///
  /// - Parameter start: what is judged begins there; nil: with the first records.
  func run(
    _ partition: Int32, from start: VerifyStart?, _ report: inout VerifyReport
  ) throws(VerifyFailure) {
    var (cut, state) = try examineState(partition, from: start)
    report.add(cut)
    let records = cut.inputs.reduce(0) { $0 + Int64($1.count) }
    let shares = settings.shares(of: records + Int64(start == nil ? 0 : state.pieces))
    for share in 0..<shares {
      progress.stage = "partition \(partition)"
      if shares > 1 { progress.stage += ", share \(share + 1) of \(shares)" }
      report.verdict += try ask(cut, from: start, share, of: shares, &state)
    }
    report.add(state)
  }

  /// Compares the state with a replay. Both are in memory for no longer than that.
  private func examineState(
    _ partition: Int32, from start: VerifyStart?
  ) throws(VerifyFailure) -> (VerifyCut, VerifyState) {
    progress.stage = "state of partition \(partition)"
    var (cut, machine) = try cutter.cut(partition, progress)
    if let start {
      cut = try cut.since(start.cut, cutter)
    } else {
      try cutter.requireWhole(partition)
    }
    var replay = VerifyReplay(
      from: start?.machine
        ?? Machine(partition: partition, rules: cut.rules, isJournaled: false),
      streamTime: cut.record?.streamTime, latestClock: Instant(milliseconds: latestClock))
    // From the last record applied on, which the moment to begin with may lie behind.
    let seen = try InputTopic.allCases.map { topic throws(VerifyFailure) in
      let range = cut.inputs[Int(topic.rawValue)]
      guard let applied = cut.record?.lastApplied[topic]?.offset, applied < range.lowerBound
      else { return range }
      // Retention may have taken it.
      let first = try cutter.bounds(Topic(topic), partition).lowerBound
      return max(applied, min(first, range.lowerBound))..<range.upperBound
    }
    let inputs = try stream(of: Topic.inputs, cut, seen)
    var strangers: [String] = []
    while let record = try inputs.next() {
      let topic = InputTopic.allCases[record.stretch]
      if let stranger = stranger(record, topic, cut) { strangers.append(stranger) }
      guard record.batch.offset(record.index) >= cut.inputs[record.stretch].lowerBound else {
        continue
      }
      replay.apply(
        topic, record.batch, record.index, isSkipped: isSkipped(record, topic, partition))
    }
    replay.finish()
    return (cut, VerifyState(cut, machine, replay.machine, strangers))
  }

  /// What is wrong with a record that lies where another one was applied.
  private func stranger(
    _ record: VerifyStream.Record, _ topic: InputTopic, _ cut: VerifyCut
  ) -> String? {
    let offset = record.batch.offset(record.index)
    guard let applied = cut.record?.lastApplied[topic], applied.offset == offset,
      let timestamp = applied.timestamp?.milliseconds,
      record.batch.timestampMilliseconds(record.index) != timestamp
    else { return nil }
    return "partition \(cut.partition): the record \(offset) of "
      + "\(settings.connection.names[Topic(topic)]) is not the one of \(timestamp) that was "
      + "applied: the topic was made anew"
  }

  /// Has the oracle decide about some of the conversations.
  private func ask(
    _ cut: VerifyCut, from start: VerifyStart?, _ share: Int, of shares: Int,
    _ state: inout VerifyState
  ) throws(VerifyFailure) -> OracleVerdict {
    var oracle: Oracle
    do throws(OracleError) {
      oracle = try Oracle(
        options: cut.rules.texts, partition: cut.partition, share: share, of: shares,
        topicNames: topicNames, latestClock: latestClock)
    } catch {
      switch error {
      case .badOption(let option): throw .mismatch("the oracle does not know the rule \(option)")
      }
    }
    if let start { oracle.begin(with: start.machine) }
    let inputs = try stream(of: Topic.inputs, cut, cut.inputs)
    while let record = try inputs.next() {
      let topic = InputTopic.allCases[record.stretch]
      let told = self.record(record, Topic(topic), cut.partition)
      if isSkipped(record, topic, cut.partition) {
        oracle.skip(told)
      } else {
        oracle.apply(told)
      }
    }
    if let streamTime = cut.record?.streamTime { oracle.tick(to: streamTime.milliseconds) }
    let outputs = try stream(of: Topic.judged, cut, cut.outputs)
    while let record = try outputs.next() {
      oracle.check(self.record(record, Topic.judged[record.stretch], cut.partition))
    }
    state.grant(oracle)
    return oracle.finish()
  }

  /// The inputs' names, as they stand in headers.
  private var topicNames: [OracleRecord.Topic: String] {
    Dictionary(
      uniqueKeysWithValues: Topic.inputs.map { topic in
        (topic.oracleTopic, settings.connection.names[topic])
      })
  }

  private func stream(
    of topics: [Topic], _ cut: VerifyCut, _ ranges: [Range<Int64>]
  ) throws(VerifyFailure) -> VerifyStream {
    let lanes = topics.map { cutter.name($0, cut.partition) }
    return try VerifyFailure.calling { () throws(KafkaError) in
      try VerifyStream(
        cutter.consumer, Array(zip(lanes, ranges)), progress, latestClock: latestClock)
    }
  }

  private func isSkipped(
    _ record: VerifyStream.Record, _ topic: InputTopic, _ partition: Int32
  ) -> Bool {
    !settings.skips.isEmpty
      && settings.skips.contains(
        .init(topic: topic, partition: partition, offset: record.batch.offset(record.index)))
  }

  /// A record as the oracle knows it.
  private func record(
    _ record: VerifyStream.Record, _ topic: Topic, _ partition: Int32
  ) -> OracleRecord {
    let (key, value) = record.batch.bytes(of: record.index)
    return OracleRecord(
      topic: topic.oracleTopic, partition: partition, offset: record.batch.offset(record.index),
      timestamp: record.batch.timestampMilliseconds(record.index), key: key, value: value,
      headers: topic == .rejected ? headers(of: record) : [])
  }

  private func headers(of record: VerifyStream.Record) -> [(name: String, value: String)] {
    Self.headerNames.compactMap { name in
      guard let bytes = record.batch.header(name, of: record.index) else { return nil }
      return (name, String(decoding: bytes, as: UTF8.self))
    }
  }
}

extension VerifySettings {
  /// The number of shares in which a partition with these input records is looked at.
  func shares(of records: Int64) -> Int {
    max(1, Int(clamping: (records + Int64(shareRecords) - 1) / Int64(shareRecords)))
  }
}
