import Core
import Kafka
import Lab
import Wire
import Worker

/// One partition at a moment at which its inputs, its state and its outputs belong together.
struct VerifyCut {
  let partition: Int32
  /// The rules that it was written under.
  let rules: Rules
  /// What the last transaction wrote beside its state; nil before the first.
  let record: PartitionRecord?
  /// What the group has committed of the inputs.
  let committed: [Int64?]
  /// What was applied of each input, and is to be judged.
  let inputs: [Range<Int64>]
  /// What was written to each output but the state, and is to be judged.
  let outputs: [Range<Int64>]
  /// How many records lie behind what was applied.
  let notApplied: Int64
  /// What does not hold within the state itself.
  let violations: [String]
  /// The gaps that were there at the moment with which it begins; nil: it begins with everything.
  var earlierGaps: PerInput<Int64>?
}

/// Finds such moments, beside workers that go on.
struct VerifyCutter {
  let consumer: Consumer
  let names: TopicNames
  let settings: VerifySettings
  let partitionCount: Int32
  private let ends: PartitionEnds
  private let decidedEnds: PartitionEnds

  /// How long it looks for a moment, once the state is read.
  private static let patience = Duration.seconds(30)
  /// How often it begins again, where what is due was not all done.
  private static let attempts = 10
  /// How long it looks for what follows the last transaction before it looks at the state again.
  private static let lookTime = Duration.seconds(2)
  private static let questionTimeout = Duration.seconds(10)
  /// How long the group may keep its offsets from us: it does as long as a transaction is open.
  private static let committedTimeout = Duration.seconds(2)

  init(
    _ clients: Settings, settings: VerifySettings, partitionCount: Int32
  ) throws(KafkaError) {
    names = settings.connection.names
    self.settings = settings
    self.partitionCount = partitionCount
    consumer = try Consumer(clients, notify: Console.notify)
    ends = try PartitionEnds(clients, notify: Console.notify)
    decidedEnds = try PartitionEnds(clients, committedOnly: true, notify: Console.notify)
  }

  /// How many records lie in a partition of a topic from an offset on, about.
  func size(
    _ topic: Topic, _ partition: Int32, since first: Int64 = 0
  ) throws(VerifyFailure) -> Int64 {
    let bounds = try bounds(topic, partition)
    return max(0, bounds.upperBound - max(first, bounds.lowerBound))
  }

  /// Cuts a partition.
  ///
  /// - Returns: the moment, and its state, folded.
  /// - Throws: `unsettled` when its workers write without a pause.
  func cut(
    _ partition: Int32, _ progress: VerifyProgress
  ) throws(VerifyFailure) -> (VerifyCut, Machine) {
    for _ in 0..<Self.attempts {
      guard let (cut, machine) = try attempt(partition, progress) else {
        throw .unsettled(
          "in partition \(partition) no moment was found within \(Self.patience) at which state "
            + "and outputs belong together: the workers write without a pause (stop the load, and "
            + "use --wait), or somebody has left a transaction open there")
      }
      // After ten thousand things that are due a tick ends, and perhaps its transaction.
      let isAllDone = machine.nextDue.map { $0 > machine.streamTime ?? .distantPast } ?? true
      if isAllDone { return (cut, machine) }
      try pause(.milliseconds(500), progress)
    }
    throw .unsettled(
      "in partition \(partition) not all is done that was due: the workers are at it, or have ended"
    )
  }

  /// Folds the state to its end until nothing is added to it while all else is asked for.
  ///
  /// A transaction's records become visible together, but not in one moment; and a worker writes
  /// the state last, before it commits. So: the changelog is read to its end, that is, to the end
  /// of a transaction; then the outputs' ends are taken, once that transaction is over in them
  /// all; then the changelog still has the same end, so that the next one has not begun to commit.
  /// What is below the ends is then all of what the changelog speaks of, and nothing else.
  private func attempt(
    _ partition: Int32, _ progress: VerifyProgress
  ) throws(VerifyFailure) -> (VerifyCut, Machine)? {
    let start = try bounds(.state, partition).lowerBound
    let stream = try VerifyFailure.calling { () throws(KafkaError) in
      try VerifyStream(consumer, [(name(.state, partition), start..<start)], progress)
    }
    var fold = StateFold()
    var limit: ContinuousClock.Instant?
    repeat {
      let end = try stateEnd(partition)
      stream.extend(to: end)
      while let record = try stream.next() { try take(record, into: &fold, partition) }
      if limit == nil { limit = .now + Self.patience }
      if let outputs = try outputEnds(of: partition, whileStateEndsAt: end),
        let committed = try committed(partition), try stateEnd(partition) == end
      {
        let starts = try eachBounds(Topic.judged, partition).map(\.lowerBound)
        let inputs = try eachBounds(Topic.inputs, partition)
        let ends = Ends(
          committed: committed, inputs: inputs,
          outputs: zip(starts, outputs).map { $0..<max($0, $1) })
        return try finish(&fold, partition, ends)
      }
      // At once: the next transaction is on its way.
      progress.tellIfDue()
    } while limit.map { ContinuousClock.now < $0 } ?? true
    return nil
  }

  private func pause(_ duration: Duration, _ progress: VerifyProgress) throws(VerifyFailure) {
    progress.tellIfDue()
    _ = try VerifyFailure.calling { () throws(KafkaError) in
      try consumer.wait(for: [], timeout: duration)
    }
  }

  private struct Ends {
    var committed: [Int64?]
    var inputs: [Range<Int64>]
    var outputs: [Range<Int64>]
  }

  /// The outputs' ends behind the transaction that the state ends with; nil when the state goes on
  /// before they can be told.
  ///
  /// What was written when the state was read is of that transaction, or of the next one. It is
  /// over in all of them where nothing of this is open any more; or where more has come since than
  /// the mark that ends it: a producer writes nothing more before its last transaction is over
  /// everywhere. What is open then is the next one's, and the decided end lies before it.
  private func outputEnds(
    of partition: Int32, whileStateEndsAt end: Int64
  ) throws(VerifyFailure) -> [Int64]? {
    let outputs = Topic.judged.map { name($0, partition) }
    let written = try ask(ends, outputs)
    let limit = ContinuousClock.now + Self.lookTime
    repeat {
      let decided = try ask(decidedEnds, outputs)
      if zip(decided, written).allSatisfy({ $0 >= $1 }) { return decided }
      let isFollowed = try zip(ask(ends, outputs), written).contains { $0 > $1 + 1 }
      if isFollowed { return try ask(decidedEnds, outputs) }
      guard try stateEnd(partition) == end else { return nil }
    } while ContinuousClock.now < limit
    return nil
  }

  private func stateEnd(_ partition: Int32) throws(VerifyFailure) -> Int64 {
    try ask(ends, [name(.state, partition)])[0]
  }

  private func ask(
    _ ends: PartitionEnds, _ partitions: [TopicPartition]
  ) throws(VerifyFailure) -> [Int64] {
    try VerifyFailure.calling { () throws(KafkaError) in
      try ends.ends(of: partitions, within: Self.questionTimeout)
    }
  }

  private func eachBounds(
    _ topics: [Topic], _ partition: Int32
  ) throws(VerifyFailure) -> [Range<Int64>] {
    var found: [Range<Int64>] = []
    for topic in topics { found.append(try bounds(topic, partition)) }
    return found
  }

  /// The group's offsets; nil while a transaction is pending on them.
  private func committed(_ partition: Int32) throws(VerifyFailure) -> [Int64?]? {
    do throws(KafkaError) {
      let lanes = Topic.inputs.map { name($0, partition) }
      let found = try consumer.committed(lanes, within: Self.committedTimeout)
      return lanes.map { lane in found.first { $0.partition == lane }?.offset }
    } catch {
      if case .timedOut = error { return nil }
      throw .kafka(error)
    }
  }

  private func finish(
    _ fold: inout StateFold, _ partition: Int32, _ ends: Ends
  ) throws(VerifyFailure) -> (VerifyCut, Machine) {
    let rules = settings.rules(of: fold.record)
    if let record = fold.record { try check(record, fold.claimant, rules, of: partition) }
    let tally = fold.tally
    let (machine, record): (Machine, PartitionRecord?)
    do throws(StateError) {
      (machine, record) = try fold.finish(rules: rules, partition: partition)
    } catch {
      throw .unreadableState(partition: partition, error)
    }
    let next = record.map { Array($0.nextOffsets) } ?? ends.inputs.map(\.lowerBound)
    let notApplied = zip(ends.inputs, next).reduce(0) { $0 + max(0, $1.0.upperBound - $1.1) }
    var violations: [String] = []
    if let written = record?.tally, written != tally {
      violations.append(
        "the state of partition \(partition) holds \(tally.text), and should hold "
          + "\(written.text): the changelog has lost records")
    }
    for (topic, (bounds, applied)) in zip(Topic.inputs, zip(ends.inputs, next))
    where applied > bounds.upperBound {
      violations.append(
        "\(names[topic])/\(partition) ends at \(bounds.upperBound), and was applied to \(applied): "
          + "it was truncated or made anew")
    }
    let cut = VerifyCut(
      partition: partition, rules: rules, record: record, committed: ends.committed,
      // Of one that was made anew there may be less than was applied.
      inputs: zip(ends.inputs, next).map {
        $0.lowerBound..<min($0.upperBound, max($0.lowerBound, $1))
      },
      outputs: ends.outputs, notApplied: notApplied, violations: violations)
    return (cut, machine)
  }

  private func check(
    _ record: PartitionRecord, _ claimant: String?, _ rules: Rules, of partition: Int32
  ) throws(VerifyFailure) {
    if let owner = claimant ?? record.group, owner != settings.group {
      throw .mismatch(
        "the state of partition \(partition) is that of group \(owner), not \(settings.group)")
    }
    if let found = record.rules, found != rules {
      throw .mismatch(
        "the workers go by other rules than the command line names: "
          + found.changes(since: rules, as: { "\($0) is \($2) there, not \($1)" }))
    }
    guard record.threads == rules.threads else {
      throw .mismatch(
        "the workers go by --threads \(record.threads.rawValue), not \(rules.threads.rawValue)")
    }
    guard record.partitionCount == partitionCount else {
      throw .mismatch(
        "the state is one of \(record.partitionCount) partitions, the topics have \(partitionCount)"
      )
    }
  }

  private func take(
    _ record: VerifyStream.Record, into fold: inout StateFold, _ partition: Int32
  ) throws(VerifyFailure) {
    var failure: StateError?
    record.batch.withRecord(record.index) { key, value in
      do throws(StateError) { try fold.take(key: key, value: value) } catch { failure = error }
    }
    if let failure { throw .unreadableState(partition: partition, failure) }
  }

  /// Makes sure that nothing is gone of what was ever written.
  func requireWhole(_ partition: Int32) throws(VerifyFailure) {
    for topic in Topic.inputs + Topic.judged {
      let first = try bounds(topic, partition).lowerBound
      guard first == 0 else { throw .gone(name(topic, partition), below: first) }
    }
  }

  /// The first offset and the one after the last of a partition of a topic.
  func bounds(_ topic: Topic, _ partition: Int32) throws(VerifyFailure) -> Range<Int64> {
    try VerifyFailure.calling { () throws(KafkaError) in
      try ends.bounds(name(topic, partition), within: Self.questionTimeout)
    }
  }

  /// What a partition of a topic is called.
  func name(_ topic: Topic, _ partition: Int32) -> TopicPartition {
    TopicPartition(names[topic], partition)
  }
}
