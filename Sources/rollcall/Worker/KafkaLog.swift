import Core
import Kafka
import Synchronization
import Wire
import Worker

/// The worker's log on Kafka: a member of a consumer group and a transactional producer.
///
/// It subscribes to the messages topic alone and leaves it to the worker to take the other inputs'
/// partitions of the same numbers, so that a conversation's records always come together.
final class KafkaLog: RecordLog {
  typealias Batch = Kafka.Batch

  private let settings: Settings
  private let names: TopicNames
  private let notify: Notify
  private let consumer: Consumer
  private let signs = Signs()
  private let ends: PartitionEnds
  /// Nil when its making failed; only `rebuild` helps then.
  private var producer: Producer?
  private var outputs: [Topic: TopicHandle] = [:]
  private var queues: [Lane: PartitionQueue] = [:]
  /// Nobody starts this worker again: as a static member, too, it gives its place in the group up
  /// when it is closed.
  var endsForGood = false

  /// How long the calls may take that wait for brokers. All are far below `max.poll.interval.ms`
  /// together, for the group is not served meanwhile.
  private enum Limit {
    static let committed = Duration.seconds(5)
    static let bounds = Duration.seconds(10)
    /// Records wait for it.
    static let counts = Duration.milliseconds(250)
    static let metadata = Duration.seconds(5)
    static let transactionalId = Duration.seconds(20)
    static let close = Duration.seconds(5)
    static let question = Duration.milliseconds(100)
  }

  /// Makes the clients, has the broker give out the transactional id, and joins the group.
  ///
  /// - Parameter mayJoin: asked right before it joins; where it must not, nothing is left behind.
  init(
    _ settings: Settings, names: TopicNames, notify: @escaping Notify,
    mayJoin: () -> Bool = { true }
  ) throws(LogFailure) {
    self.settings = settings
    self.names = names
    self.notify = notify
    do throws(KafkaError) {
      let signs = signs
      consumer = try Consumer(settings) { notice in
        signs.note(notice)
        notify(notice)
      }
      ends = try PartitionEnds(settings, notify: notify)
    } catch { throw LogFailure(error) }
    try rebuild()
    guard mayJoin() else {
      throw LogFailure(.again, label: "ending", detail: "The start was given up.")
    }
    let consumer = consumer
    try calling { () throws(KafkaError) in try consumer.subscribe([names[.messages]]) }
  }

  func poll(wanted: [Lane], timeout: Duration) throws(LogFailure) -> GroupNews? {
    producer?.serve()
    let read = wanted.compactMap { queues[$0] }
    let change: GroupChange?
    do throws(KafkaError) { change = try consumer.wait(for: read, timeout: timeout) } catch {
      var failure = LogFailure(error)
      if failure.label == LogFailure.fencedInstance, signs.hasLostSession {
        failure.label = LogFailure.lostSession
      }
      throw failure
    }
    switch change {
    case nil: return nil
    case .assigned(let partitions): return .assigned(partitions.map(\.partition).sorted())
    case .revoked(let lost): return .revoked(lost: lost)
    }
  }

  /// Whether a broker answers, asked for a moment only.
  var isAnswered: Bool { consumer.isAnswered(within: Limit.question) }

  /// How many records lie between positions and the ends of their lanes. A lane that an open
  /// transaction holds is applied to its stable offset.
  ///
  /// The ends of lanes that are read are known without asking. Of the others they are asked for a
  /// moment only; else they are where they were when the partition was taken.
  func lag(_ positions: [WorkerStatus.Position], pinned: [PinnedLane]) -> Int64 {
    let deadline = ContinuousClock.now + Limit.counts
    return positions.reduce(0) { lag, position in
      if pinned.contains(where: { $0.lane == position.lane }) { return lag }
      let end =
        position.end.map { askedEnd(of: position.lane, atLeast: $0, before: deadline) }
        ?? consumer.fetchedEnd(of: name(of: position.lane)) ?? position.offset
      return lag + max(0, end - position.offset)
    }
  }

  private func askedEnd(
    of lane: Lane, atLeast known: Int64, before deadline: ContinuousClock.Instant
  ) -> Int64 {
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return known }
    do throws(KafkaError) {
      return try ends.bounds(name(of: lane), within: left).upperBound
    } catch {
      return known
    }
  }

  func takeDoubt() -> Bool { signs.takeDoubt() }

  func makeBatch() -> Batch { Batch() }

  func fetch(_ lane: Lane, into batch: Batch) throws(LogFailure) {
    guard let queue = queues[lane] else {
      throw LogFailure(
        .rebuild, label: "not_assigned", detail: "\(name(of: lane)) is read without being assigned")
    }
    do throws(KafkaError) {
      try queue.read(into: batch)
    } catch {
      var failure = LogFailure(error)
      if error.isGap { failure.disposition = .retake }
      throw failure
    }
    if queue.isUnknown {
      throw LogFailure(
        .retake, label: "unknown_topic_or_part", detail: "\(name(of: lane)) is not there")
    }
  }

  func assign(_ positions: [(lane: Lane, offset: Int64)]) throws(LogFailure) {
    queues.removeAll(keepingCapacity: true)
    let assigned = try calling { () throws(KafkaError) in
      try consumer.assign(positions.map { (name(of: $0.lane), $0.offset) })
    }
    for (position, queue) in zip(positions, assigned) { queues[position.lane] = queue }
  }

  func committed(_ partitions: [Int32]) throws(LogFailure) -> [CommittedPosition] {
    let lanes = partitions.flatMap { partition in
      Topic.inputs.map { name(of: Lane($0, partition)) }
    }
    let found = try calling { () throws(KafkaError) in
      try consumer.committed(lanes, within: Limit.committed)
    }
    let positions = Dictionary(
      found.map { ($0.partition, $0) }, uniquingKeysWith: { first, _ in first })
    return partitions.map { partition in
      let inputs = PerInput<Position?> { positions[name(of: Lane(Topic($0), partition))] }
      return CommittedPosition(
        partition: partition, offsets: inputs.map { $0?.offset },
        metadata: inputs[.messages]?.metadata ?? "")
    }
  }

  func bounds(_ lane: Lane) throws(LogFailure) -> Range<Int64> {
    try calling { () throws(KafkaError) in
      try ends.bounds(name(of: lane), within: Limit.bounds)
    }
  }

  func firstOffsets(after times: [(lane: Lane, time: Instant)]) throws(LogFailure) -> [Int64?] {
    try calling { () throws(KafkaError) in
      try ends.firstOffsets(
        since: times.map { (name(of: $0.lane), $0.time.advanced(byMilliseconds: 1).milliseconds) },
        within: Limit.counts)
    }
  }

  func topicCounts() throws(LogFailure) -> [TopicCount] {
    let topics = Topic.allCases
    let counts = try calling { () throws(KafkaError) in
      try ends.counts(of: topics.map { names[$0] }, within: Limit.counts)
    }
    return zip(topics, counts).map { TopicCount($0, name: names[$0], partitions: $1) }
  }

  func produce(
    _ topic: Topic, partition: Int32, key: Span<UInt8>?, value: Span<UInt8>?,
    headers: [RecordHeader]
  ) throws(LogFailure) {
    guard let producer else { throw Self.noProducer }
    guard let output = outputs[topic] else {
      throw LogFailure(
        .exit, label: "not_an_output", detail: "\(names[topic]) is not written by the worker")
    }
    do throws(KafkaError) {
      try producer.produce(
        output, partition: partition, key: key, value: value,
        headers: headers.map { ($0.name.description, $0.value) })
    } catch { throw LogFailure(error) }
  }

  func commit(_ positions: [CommittedPosition]) throws(LogFailure) {
    guard let producer else { throw Self.noProducer }
    var sent: [Position] = []
    for position in positions {
      for (topic, offset) in zip(Topic.inputs, position.offsets) where offset != nil {
        // The worker's note lies beside the topic that the group subscribes to: Kafka keeps that
        // topic's offsets as long as the group lives.
        sent.append(
          Position(
            name(of: Lane(topic, position.partition)), offset: offset,
            metadata: topic == .messages ? position.metadata : ""))
      }
    }
    try calling { () throws(KafkaError) in try producer.commit(sent, of: consumer) }
  }

  func abort() throws(LogFailure) {
    guard let producer else { throw Self.noProducer }
    try calling { () throws(KafkaError) in try producer.abort() }
  }

  func rebuild() throws(LogFailure) {
    // The old one goes first: two with one transactional id would fence each other.
    outputs.removeAll()
    producer = nil
    do throws(KafkaError) {
      let new = try Producer(settings, within: Limit.transactionalId, notify: notify)
      for topic in Topic.outputs {
        outputs[topic] = try new.topic(names[topic], within: Limit.metadata)
      }
      producer = new
    } catch { throw LogFailure(error) }
  }

  func close() {
    outputs.removeAll()
    producer = nil
    queues.removeAll()
    if endsForGood { consumer.leave(within: Limit.close) }
    consumer.close(within: Limit.close)
  }

  private func name(of lane: Lane) -> TopicPartition {
    TopicPartition(names[lane.topic], lane.partition)
  }

  private func calling<R>(_ body: () throws(KafkaError) -> R) throws(LogFailure) -> R {
    do throws(KafkaError) { return try body() } catch { throw LogFailure(error) }
  }

  private static let noProducer = LogFailure(
    .rebuild, label: "no_producer", detail: "The last attempt to make a producer failed.")
}

extension LogFailure {
  /// What the worker has to do about an error of Kafka's.
  init(_ error: KafkaError) {
    let disposition: Disposition =
      switch error.disposition {
      case .again: .again
      case .abort: .abort
      case .rebuild: .rebuild
      case .exit: .exit
      }
    self.init(disposition, label: error.label, detail: error.text)
  }
}

extension Kafka.Batch: RecordBatch {
  func timestamp(_ index: Int) -> Instant? {
    timestampMilliseconds(index).map { Instant(milliseconds: $0) }
  }
}

/// What the consumer has been told besides its records.
private final class Signs: Sendable {
  private let isTopicMissing = Atomic(false)
  private let isSessionLost = Atomic(false)

  func note(_ notice: Notice) {
    if notice.label == "SESSTMOUT" { isSessionLost.store(true, ordering: .releasing) }
    guard case .failed(let failure)? = notice.error, failure.isOfMissingTopic else { return }
    isTopicMissing.store(true, ordering: .releasing)
  }

  /// Whether the group's coordinator was silent for a whole session.
  var hasLostSession: Bool { isSessionLost.load(ordering: .acquiring) }

  /// Whether somebody has said since the last call that a topic or partition is not there.
  func takeDoubt() -> Bool { isTopicMissing.exchange(false, ordering: .acquiringAndReleasing) }
}

extension LogFailure {
  /// The label of a static member under whose instance id somebody else has joined.
  static var fencedInstance: String { "fenced_instance_id" }
  /// The label of the same where it is the member's own second request to join that has fenced it:
  /// the first was answered while the broker could not be reached.
  static var lostSession: String { "lost_session" }
}

extension KafkaError.Failure {
  fileprivate var isOfMissingTopic: Bool {
    ["UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC", "_UNKNOWN_PARTITION"].contains(name)
  }
}
