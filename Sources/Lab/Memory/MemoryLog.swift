import Core
import Wire
import Worker

/// The calls of a log that can fail.
package enum LogCall: String, CaseIterable, Sendable {
  case poll, fetch, assign, committed, bounds, produce, commit, abort, rebuild
  /// The assignment of nothing, which gives partitions back.
  case revoke
}

/// A member and producer on a broker in memory: the record log without Kafka.
///
/// Nothing waits and nothing fails unless it is told to.
final class MemoryLog: RecordLog {
  /// What a fetch has given.
  final class Batch: RecordBatch {
    fileprivate var reading = MemoryLane.Reading(
      records: [], nextOffset: 0, reachedEnd: false, end: 0)
    fileprivate var isFilled = false

    /// Gives the records back; nothing is known of what follows.
    func removeAll() {
      reading.records.removeAll()
      isFilled = false
    }

    var count: Int { reading.records.count }
    var reachedEnd: Bool { isFilled && reading.reachedEnd }
    var endOffset: Int64? { reachedEnd ? reading.end : nil }
    var nextOffset: Int64? { isFilled ? reading.nextOffset : nil }
    func offset(_ index: Int) -> Int64 { reading.records[index].offset }
    func timestamp(_ index: Int) -> Instant? { reading.records[index].timestamp }

    /// A record as it lies there.
    func record(_ index: Int) -> MemoryRecord { reading.records[index] }

    func withRecord<R>(_ index: Int, _ body: (Span<UInt8>?, Span<UInt8>?) -> R) -> R {
      let record = reading.records[index]
      return body(record.key?.span, record.value?.span)
    }
  }

  /// The failures that the next calls of each kind meet, in order, instead of being carried out.
  var failures: [LogCall: [LogFailure]] = [:]
  /// The failure that the next commit reports although it was carried out.
  var failureAfterCommit: LogFailure?
  /// The lanes that were fetched, in order.
  private(set) var fetched: [Lane] = []

  /// How often the whole assignment was replaced.
  private(set) var assignments = 0

  private let broker: MemoryBroker
  private let name: String
  private let group: String?
  private let transactionalId: String
  private var epoch: Int
  private var positions: [Lane: Int64] = [:]
  private var isMember = true
  /// Something is in the transaction.
  private(set) var isOpen = false

  /// Joins the group of a broker.
  ///
  /// - Parameters:
  ///   - transactionalId: the producer's; the member's name where it is nil.
  ///   - group: nil: the pool's.
  init(
    _ broker: MemoryBroker, name: String, transactionalId: String? = nil, group: String? = nil
  ) {
    self.broker = broker
    self.name = name
    self.group = group
    self.transactionalId = transactionalId ?? name
    epoch = broker.beginEpoch(self.transactionalId)
    broker[group: group].join(name, broker.clock)
  }

  /// Gives the news of the group that is due; never waits.
  func poll(wanted: [Lane], timeout: Duration) throws(LogFailure) -> GroupNews? {
    try meet(.poll)
    if !broker[group: group].members.contains(where: { $0.name == name }) {
      // Thrown out: everything is lost, and the member comes back as a new one.
      if isMember {
        isMember = false
        return .revoked(lost: broker[group: group].forget(name))
      }
      isMember = true
      broker[group: group].join(name, broker.clock)
    }
    broker[group: group].hear(name, broker.clock)
    return broker[group: group].news(for: name, partitionCount: broker.partitionCount)
  }

  func makeBatch() -> Batch { Batch() }

  func fetch(_ lane: Lane, into batch: Batch) throws(LogFailure) {
    try meet(.fetch)
    guard let position = positions[lane] else {
      throw LogFailure(.rebuild, label: "not_assigned", detail: "\(lane) is not assigned")
    }
    fetched.append(lane)
    batch.reading = broker.read(lane, from: position, limit: broker.fetchLimit(lane))
    batch.isFilled = true
    positions[lane] = batch.reading.nextOffset
  }

  func assign(_ positions: [(lane: Lane, offset: Int64)]) throws(LogFailure) {
    try meet(positions.isEmpty ? .revoke : .assign)
    assignments += 1
    self.positions = Dictionary(uniqueKeysWithValues: positions.map { ($0.lane, $0.offset) })
    if positions.isEmpty { broker[group: group].answer(name) }
  }

  func committed(_ partitions: [Int32]) throws(LogFailure) -> [CommittedPosition] {
    try meet(.committed)
    if partitions.contains(where: { broker[group: group].isUnstable($0) }) {
      throw LogFailure(.again, label: "deadline_committed", detail: "a transaction is pending")
    }
    return partitions.map { partition in
      broker[group: group].committed[partition]
        ?? CommittedPosition(partition: partition, offsets: [nil, nil, nil], metadata: "")
    }
  }

  func bounds(_ lane: Lane) throws(LogFailure) -> Range<Int64> {
    try meet(.bounds)
    return broker.bounds(lane)
  }

  func firstOffsets(
    after times: [(lane: Lane, time: Instant)]
  ) throws(LogFailure) -> [Int64?] {
    try meet(.bounds)
    return times.map { broker.firstOffset(of: $0.lane, after: $0.time) }
  }

  func topicCounts() throws(LogFailure) -> [TopicCount] {
    Topic.allCases.map { topic in
      TopicCount(
        topic, name: "\(topic)",
        partitions: broker.changedCounts[topic] ?? broker.partitionCount)
    }
  }

  func produce(
    _ topic: Topic, partition: Int32, key: Span<UInt8>?, value: Span<UInt8>?,
    headers: [RecordHeader]
  ) throws(LogFailure) {
    try meet(.produce)
    try checkEpoch()
    let record = MemoryRecord(
      offset: 0, timestamp: nil, key: [UInt8](copying: key), value: [UInt8](copying: value),
      headers: Dictionary(
        uniqueKeysWithValues: headers.map {
          ($0.name.description, String(decoding: $0.value, as: UTF8.self))
        }))
    broker.write(Lane(topic, partition), record, of: transactionalId)
    isOpen = true
  }

  func commit(_ positions: [CommittedPosition]) throws(LogFailure) {
    try meet(.commit)
    try addOffsets(positions)
    try finishCommit()
    if let failure = failureAfterCommit {
      failureAfterCommit = nil
      throw failure
    }
  }

  /// The second half of a commit.
  func finishCommit() throws(LogFailure) {
    guard isOpen else { return }
    try checkEpoch()
    broker.endTransaction(of: transactionalId, well: true)
    isOpen = false
  }

  /// The first half of a commit: what a process leaves behind that dies in the middle of it.
  func addOffsets(_ positions: [CommittedPosition]) throws(LogFailure) {
    guard !positions.isEmpty else { return }
    try checkEpoch()
    guard broker[group: group].isCurrent(name) else {
      throw LogFailure(
        .abort, label: "illegal_generation", detail: "the group has moved on without this member")
    }
    broker.addOffsets(positions, of: transactionalId, group: group)
    isOpen = true
  }

  /// Ends the transaction; its records stay, unseen by readers of committed ones.
  func abort() throws(LogFailure) {
    try meet(.abort)
    guard isOpen else { return }
    try checkEpoch()
    broker.endTransaction(of: transactionalId, well: false)
    isOpen = false
  }

  func rebuild() throws(LogFailure) {
    try meet(.rebuild)
    epoch = broker.beginEpoch(transactionalId)
    isOpen = false
  }

  /// Leaves the group. A transaction that is open stays so until its time is over.
  func close() { broker[group: group].leave(name) }

  private func checkEpoch() throws(LogFailure) {
    guard broker.isCurrent(epoch, of: transactionalId) else {
      throw LogFailure(
        .rebuild, label: LogFailure.fenced, detail: "another producer has this transactional id")
    }
  }

  private func meet(_ call: LogCall) throws(LogFailure) {
    guard var waiting = failures[call], !waiting.isEmpty else { return }
    let failure = waiting.removeFirst()
    failures[call] = waiting
    throw failure
  }
}

extension [UInt8] {
  init?(copying span: Span<UInt8>?) {
    guard let span else { return nil }
    self.init(copying: span)
  }
}
