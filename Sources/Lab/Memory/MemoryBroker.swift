import Core
import Worker

/// A broker in memory: eight topics, one consumer group, transactions. One thread uses it and all
/// logs that are opened on it.
final class MemoryBroker {
  /// How many partitions each topic has.
  let partitionCount: Int32
  /// The time that it writes into the records of transactions.
  var clock = Instant(milliseconds: 0)
  /// The most records that one fetch gives.
  var fetchLimit = 500
  /// The same for the changelog.
  var restoreLimit = Int.max
  /// How long a transaction may be open, in milliseconds; `advance` gives up older ones.
  var transactionTimeout = Int64.max
  /// How long a member may be silent, in milliseconds; `advance` throws others out.
  var sessionTimeout = Int64.max

  /// How many partitions an operator has given to a topic since; nil: it is gone.
  var changedCounts: [Topic: Int32?] = [:]

  /// The pool's group.
  var group = MemoryGroup()
  /// Groups that have no business here.
  private var strangers: [String: MemoryGroup] = [:]
  private var lanes: [[MemoryLane]]
  private var abortedTransactions: Set<Int> = []
  private var nextTransaction = 0
  /// The epoch of each transactional id, and its open transaction.
  private var epochs: [String: Int] = [:]
  private var ongoing: [String: (transaction: Int, begunAt: Instant)] = [:]
  /// The lanes that each open transaction has written to.
  private var written: [Int: Set<Lane>] = [:]
  /// The open transactions of chat backends, by their names. Nobody gives them up.
  private var upstream: [String: Int] = [:]

  /// A broker with empty topics.
  init(partitionCount: Int32) {
    self.partitionCount = partitionCount
    let topic = [MemoryLane](repeating: MemoryLane(), count: Int(partitionCount))
    lanes = Topic.allCases.map { _ in topic }
  }

  /// Writes a record without a transaction, as a chat backend does.
  func append(
    _ topic: Topic, partition: Int32 = 0, key: [UInt8]?, value: [UInt8]?, timestamp: Instant?
  ) {
    let record = MemoryRecord(
      offset: 0, timestamp: timestamp, key: key, value: value, headers: [:])
    self[Lane(topic, partition)].append(record, transaction: nil)
  }

  /// Writes records in a transaction of its own, which leaves a mark behind them.
  func appendInTransaction(
    _ topic: Topic, partition: Int32 = 0, key: [UInt8]?, value: [UInt8]?, timestamp: Instant?
  ) {
    append(topic, partition: partition, key: key, value: value, timestamp: timestamp)
    self[Lane(topic, partition)].appendMark(transaction: -1)
  }

  /// Writes a record in the open transaction of a chat backend, which begins with the first one.
  func appendUpstream(
    _ name: String, _ topic: Topic, partition: Int32 = 0, key: [UInt8]?, value: [UInt8]?,
    timestamp: Instant?
  ) {
    let transaction = upstream[name] ?? beginTransaction()
    upstream[name] = transaction
    let record = MemoryRecord(
      offset: 0, timestamp: timestamp, key: key, value: value, headers: [:])
    let lane = Lane(topic, partition)
    self[lane].append(record, transaction: transaction)
    written[transaction, default: []].insert(lane)
  }

  /// Ends the transaction of a chat backend; nothing happens where none is open.
  func endUpstream(_ name: String, well: Bool) {
    guard let transaction = upstream.removeValue(forKey: name) else { return }
    close(transaction, well: well)
  }

  /// What a `read_committed` reader sees of a lane, from its beginning to its stable end.
  func committedRecords(_ topic: Topic, partition: Int32 = 0) -> [MemoryRecord] {
    read(Lane(topic, partition), from: 0, limit: .max).records
  }

  /// What would be left of a lane if all that is open were aborted now.
  func survivingRecords(_ topic: Topic, partition: Int32 = 0) -> [MemoryRecord] {
    let lost = abortedTransactions.union(ongoing.values.map(\.transaction))
    return self[Lane(topic, partition)].read(from: 0, limit: .max, aborted: lost, stableEnd: nil)
      .records
  }

  /// Compacts a partition's changelog.
  ///
  /// - Parameter keepsTombstones: as long as somebody might be reading them, Kafka does.
  func compactState(partition: Int32, keepsTombstones: Bool = false) {
    self[Lane(.state, partition)].compact(
      aborted: abortedTransactions, keepsTombstones: keepsTombstones)
  }

  /// Deletes what lies below an offset, as retention does.
  func truncate(_ topic: Topic, partition: Int32 = 0, before offset: Int64) {
    self[Lane(topic, partition)].truncate(before: offset)
  }

  /// Empties a lane, as when its topic is made anew.
  func recreate(_ topic: Topic, partition: Int32 = 0) {
    self[Lane(topic, partition)] = MemoryLane()
  }

  /// What the group has committed for a partition.
  func committedPosition(_ partition: Int32 = 0) -> CommittedPosition? {
    group.committed[partition]
  }

  /// Changes what the group has committed, as an operator or the retention of offsets does.
  func setCommitted(_ position: CommittedPosition?, partition: Int32 = 0) {
    group.committed[partition] = position
  }

  /// Gives up the open transaction of a producer after its timeout, and fences the producer.
  func expireTransaction(of transactionalId: String) {
    guard ongoing[transactionalId] != nil else { return }
    _ = beginEpoch(transactionalId)
  }

  /// Moves the clock on: what has been open or silent for too long is given up.
  func advance(to now: Instant) {
    clock = now
    let expired = ongoing.filter { now.millisecondsSince($0.value.begunAt) >= transactionTimeout }
    for id in expired.keys.sorted() { expireTransaction(of: id) }
    group.expire(silentFor: sessionTimeout, now)
  }

  /// A sign of life of a member, as its client's own thread gives it.
  func hear(_ member: String) { group.hear(member, clock) }

  /// Has somebody else take a transactional id.
  func fence(_ transactionalId: String) { _ = beginEpoch(transactionalId) }

  /// Leaves positions in a transaction that stays open, as of a process that stands still.
  func leavePending(_ position: CommittedPosition, of transactionalId: String) {
    addOffsets([position], of: transactionalId)
  }

  /// Commits the transaction of an id.
  func commit(_ transactionalId: String) { endTransaction(of: transactionalId, well: true) }

  /// How many transactions are open.
  var openTransactionCount: Int { ongoing.count }

  /// Throws a member out that has not been heard of, and shares its partitions out.
  func expireMember(_ name: String, group: String? = nil) {
    self[group: group].expire(name)
  }

  func fetchLimit(_ lane: Lane) -> Int {
    lane.topic == .state ? min(fetchLimit, restoreLimit) : fetchLimit
  }

  func bounds(_ lane: Lane) -> Range<Int64> { self[lane].start..<self[lane].end }

  func firstOffset(of lane: Lane, after time: Instant) -> Int64? {
    self[lane].firstOffset(after: time)
  }

  func read(_ lane: Lane, from offset: Int64, limit: Int) -> MemoryLane.Reading {
    self[lane].read(
      from: offset, limit: limit, aborted: abortedTransactions, stableEnd: self[lane].stableEnd)
  }

  /// Begins a new epoch: what the former holder of the id left open is aborted, and it is fenced.
  func beginEpoch(_ transactionalId: String) -> Int {
    endTransaction(of: transactionalId, well: false)
    epochs[transactionalId, default: 0] += 1
    return epochs[transactionalId, default: 0]
  }

  func isCurrent(_ epoch: Int, of transactionalId: String) -> Bool {
    epochs[transactionalId] == epoch
  }

  func write(_ lane: Lane, _ record: MemoryRecord, of transactionalId: String) {
    var record = record
    record.timestamp = clock
    let transaction = transaction(of: transactionalId)
    self[lane].append(record, transaction: transaction)
    written[transaction, default: []].insert(lane)
  }

  /// Adds positions to the open transaction; nobody is told them before it ends.
  func addOffsets(
    _ positions: [CommittedPosition], of transactionalId: String, group name: String? = nil
  ) {
    self[group: name].pending[transaction(of: transactionalId)] = positions
  }

  /// A group by its name; nil: the pool's.
  subscript(group name: String?) -> MemoryGroup {
    get { name.map { strangers[$0, default: MemoryGroup()] } ?? group }
    _modify {
      if let name {
        yield &strangers[name, default: MemoryGroup()]
      } else {
        yield &group
      }
    }
  }

  func endTransaction(of transactionalId: String, well: Bool) {
    guard let transaction = ongoing[transactionalId]?.transaction else { return }
    end(transaction, of: transactionalId, well: well)
  }

  private func transaction(of transactionalId: String) -> Int {
    if let open = ongoing[transactionalId] { return open.transaction }
    let transaction = beginTransaction()
    ongoing[transactionalId] = (transaction, clock)
    return transaction
  }

  private func beginTransaction() -> Int {
    defer { nextTransaction += 1 }
    return nextTransaction
  }

  private func close(_ transaction: Int, well: Bool) {
    if !well { abortedTransactions.insert(transaction) }
    for lane in written.removeValue(forKey: transaction) ?? [] {
      self[lane].appendMark(transaction: transaction)
    }
  }

  private func end(_ transaction: Int, of transactionalId: String, well: Bool) {
    ongoing[transactionalId] = nil
    close(transaction, well: well)
    for name in [nil] + strangers.keys.map(Optional.some) {
      for position in self[group: name].pending.removeValue(forKey: transaction) ?? [] where well {
        self[group: name].commit(position)
      }
    }
  }

  /// A topic-partition as it lies there.
  subscript(lane: Lane) -> MemoryLane {
    get { lanes[Int(lane.topic.rawValue)][Int(lane.partition)] }
    _modify { yield &lanes[Int(lane.topic.rawValue)][Int(lane.partition)] }
  }
}
