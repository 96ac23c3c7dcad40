package import Core
package import Wire

/// What the worker needs of a log with partitions, consumer groups and transactions.
///
/// Kafka is one (the executable makes it of a consumer and a transactional producer), memory is
/// another (`Lab`). One thread calls it. Calls that take long are bounded by the implementation's
/// own deadlines; what failed says by its disposition what the worker has to do.
package protocol RecordLog: AnyObject {
  /// Holds the records of one fetch of one lane.
  associatedtype Batch: RecordBatch

  /// Serves the group, and waits until it has news, a wanted lane has something to fetch, or
  /// `timeout` has passed. With nothing wanted it waits for news only.
  func poll(wanted: [Lane], timeout: Duration) throws(LogFailure) -> GroupNews?

  /// Whether somebody has said since the last call that a topic is not there: one that is there
  /// again may be another one.
  func takeDoubt() -> Bool

  /// An empty batch, to be filled by `fetch` again and again.
  func makeBatch() -> Batch

  /// Takes what the lane has ready, without waiting; the batch's former records are given back.
  func fetch(_ lane: Lane, into batch: Batch) throws(LogFailure)

  /// Replaces the whole assignment: exactly these lanes, each from its offset on.
  func assign(_ positions: [(lane: Lane, offset: Int64)]) throws(LogFailure)

  /// What the group has committed for these partitions, once no transaction is pending on it.
  func committed(_ partitions: [Int32]) throws(LogFailure) -> [CommittedPosition]

  /// The first offset and the one after the last, open transactions included, of a lane.
  func bounds(_ lane: Lane) throws(LogFailure) -> Range<Int64>

  /// Where the first record of each lane lies that is later than a time, open transactions
  /// included; nil: there is none.
  ///
  /// Takes a moment at most; who gets no answer in it asks again later.
  func firstOffsets(after times: [(lane: Lane, time: Instant)]) throws(LogFailure) -> [Int64?]

  /// How many partitions each of the eight topics has, in the order of `Topic.allCases`.
  ///
  /// Takes a moment at most; who gets no answer in it asks again later.
  func topicCounts() throws(LogFailure) -> [TopicCount]

  /// Adds a record to the transaction, which begins with the first one.
  func produce(
    _ topic: Topic, partition: Int32, key: Span<UInt8>?, value: Span<UInt8>?,
    headers: [RecordHeader]
  ) throws(LogFailure)

  /// Commits the records and these positions as one.
  func commit(_ positions: [CommittedPosition]) throws(LogFailure)

  /// Ends the transaction without its records.
  func abort() throws(LogFailure)

  /// Begins again with a new producer under the same transactional id.
  func rebuild() throws(LogFailure)

  /// Leaves the group and gives everything back; no other call may follow.
  func close()
}

/// The records of one fetch.
package protocol RecordBatch: AnyObject {
  /// The number of records.
  var count: Int { get }
  /// Whether all that the lane gives out is read after these records: nothing is given out from the
  /// first open transaction on, whose offset is then `nextOffset`.
  var reachedEnd: Bool { get }
  /// Where the lane really ends, open transactions included, as far as the log was told; nil where
  /// it was not, and as long as `reachedEnd` is not true.
  var endOffset: Int64? { get }
  /// Where the lane goes on after these records; passes what is not given out (control records).
  /// nil while it is not known.
  var nextOffset: Int64? { get }
  /// The offset of a record.
  func offset(_ index: Int) -> Int64
  /// The timestamp of a record; nil where it has none.
  func timestamp(_ index: Int) -> Instant?
  /// Lends key and value of a record.
  func withRecord<R>(_ index: Int, _ body: (Span<UInt8>?, Span<UInt8>?) -> R) -> R
}

/// A change of what the group gives this worker. Kafka takes all partitions and gives them anew.
package enum GroupNews: Sendable {
  /// These partitions are ours now, and no others.
  case assigned([Int32])
  /// All partitions go; `lost`: they are somebody else's already.
  case revoked(lost: Bool)
}

extension RecordLog {
  /// In a log whose topics never change nobody says so.
  package func takeDoubt() -> Bool { false }
}
