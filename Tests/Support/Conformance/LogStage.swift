import Core
package import Worker

/// A record log under test, and what stands around it: one group, and topics of two partitions.
package protocol LogStage: AnyObject {
  /// The record log under test.
  associatedtype Log: RecordLog

  /// A member of the group. The group's partitions go to its members in the order of their names.
  func open(_ member: String, transactionalId: String) throws(LogMismatch) -> Log

  /// Lets a moment pass, between two looks.
  func pass()

  /// Leaves positions of the group in a transaction that stays open, of somebody who is no member.
  func leavePending(_ position: CommittedPosition) throws(LogMismatch)

  /// Commits what is pending.
  func commitPending() throws(LogMismatch)
}

/// Where a log answers otherwise than it has to.
package struct LogMismatch: Error, Equatable, CustomStringConvertible, Sendable {
  /// What was asked, what was expected, what came.
  package var description: String

  /// Names the difference.
  package init(_ description: String) { self.description = description }
}

/// A member of the stage's group, whose answers are checked.
final class LogMember<Stage: LogStage> {
  let name: String
  let log: Stage.Log
  private let stage: Stage
  private let batch: Stage.Log.Batch

  /// So many looks, each after a moment, are enough for whatever has to happen.
  private static var patience: Int { 600 }

  init(_ name: String, on stage: Stage, transactionalId: String? = nil) throws(LogMismatch) {
    self.name = name
    self.stage = stage
    log = try stage.open(name, transactionalId: transactionalId ?? name)
    batch = log.makeBatch()
  }

  /// Makes a call that has to succeed, again and again while it asks for that.
  @discardableResult
  func does<R>(
    _ what: String, _ call: (Stage.Log) throws(LogFailure) -> R
  ) throws(LogMismatch) -> R {
    var last: LogFailure?
    for _ in 0..<Self.patience {
      do throws(LogFailure) { return try call(log) } catch {
        guard error.disposition == .again else {
          throw LogMismatch("\(name), \(what): \(error.disposition) \(error.label) \(error.detail)")
        }
        last = error
        stage.pass()
      }
    }
    throw LogMismatch("\(name), \(what): again without end, \(last?.label ?? "")")
  }

  /// Makes a call that has to fail.
  ///
  /// - Parameter labels: one of these; nil: any.
  func fails(
    _ what: String, _ disposition: LogFailure.Disposition, _ labels: [String]? = nil,
    _ call: (Stage.Log) throws(LogFailure) -> Void
  ) throws(LogMismatch) {
    do throws(LogFailure) { try call(log) } catch {
      guard error.disposition == disposition, labels?.contains(error.label) ?? true else {
        throw LogMismatch(
          "\(name), \(what): \(error.disposition) \(error.label) instead of \(disposition) "
            + "\(labels ?? [])")
      }
      return
    }
    throw LogMismatch("\(name), \(what): succeeded instead of \(disposition)")
  }

  /// Serves the group once and carries nothing out.
  func turn() throws(LogMismatch) -> String? {
    let news = try does("poll") { log throws(LogFailure) in
      try log.poll(wanted: [], timeout: .milliseconds(50))
    }
    switch news {
    case nil: return nil
    case .revoked(let lost): return lost ? "lost" : "revoked"
    case .assigned(let partitions): return "assigned \(partitions.sorted())"
    }
  }

  /// Waits for the group's next news.
  func hears(_ expected: String) throws(LogMismatch) {
    for _ in 0..<Self.patience {
      if let news = try turn() { return try equal("news", news, expected) }
      stage.pass()
    }
    throw LogMismatch("\(name): nothing instead of \(expected)")
  }

  func assign(_ lanes: (lane: Lane, offset: Int64)...) throws(LogMismatch) {
    try does("assign") { log throws(LogFailure) in try log.assign(lanes) }
  }

  func produce(_ value: String?, to lane: Lane, key: String? = nil) throws(LogMismatch) {
    try does("produce") { log throws(LogFailure) in
      try log.add(value, to: lane, key: key)
    }
  }

  func commit(_ positions: CommittedPosition...) throws(LogMismatch) {
    try does("commit") { log throws(LogFailure) in try log.commit(positions) }
  }

  func abort() throws(LogMismatch) {
    try does("abort") { log throws(LogFailure) in try log.abort() }
  }

  /// Reads a lane until it is known to be read to its end.
  ///
  /// - Parameters:
  ///   - values: what has to come, each with its offset.
  ///   - end: where the lane then goes on.
  func reads(_ values: [String], of lane: Lane, end: Int64) throws(LogMismatch) {
    var found: [String] = []
    for _ in 0..<Self.patience {
      try does("poll") { log throws(LogFailure) in
        _ = try log.poll(wanted: [lane], timeout: .milliseconds(50))
      }
      let batch = batch
      try does("fetch") { log throws(LogFailure) in try log.fetch(lane, into: batch) }
      for index in 0..<batch.count {
        let value = batch.withRecord(index) { _, value in
          if let value { String(bytes: value) } else { "nil" }
        }
        found.append("\(batch.offset(index)) \(value)")
        if batch.timestamp(index) == nil { throw LogMismatch("\(name): no timestamp") }
      }
      if batch.reachedEnd, batch.nextOffset == end { return try equal("\(lane)", found, values) }
      stage.pass()
    }
    throw LogMismatch(
      "\(name), \(lane): \(found), going on at \(batch.nextOffset ?? -1), "
        + "at the end: \(batch.reachedEnd), instead of \(values) and \(end)")
  }

  /// Waits until a lane reaches to there, open transactions included.
  func bounds(_ lane: Lane, are expected: Range<Int64>) throws(LogMismatch) {
    var found: Range<Int64> = 0..<0
    for _ in 0..<Self.patience {
      found = try does("bounds") { log throws(LogFailure) in try log.bounds(lane) }
      if found == expected { return }
      stage.pass()
    }
    throw LogMismatch("\(name), bounds of \(lane): \(found) instead of \(expected)")
  }

  func committed(
    _ partition: Int32, is offsets: PerInput<Int64?>, _ note: String
  ) throws(LogMismatch) {
    let found = try does("committed") { log throws(LogFailure) in try log.committed([partition]) }
    let expected = CommittedPosition(partition: partition, offsets: offsets, metadata: note)
    try equal("committed", found, [expected])
  }

  func equal<V: Equatable>(_ what: String, _ found: V, _ expected: V) throws(LogMismatch) {
    if found != expected { throw LogMismatch("\(name), \(what): \(found) instead of \(expected)") }
  }
}

extension RecordLog {
  /// Adds a record of text to the open transaction.
  func add(_ value: String?, to lane: Lane, key: String? = nil) throws(LogFailure) {
    let key = key.map { Array($0.utf8) }
    let value = value.map { Array($0.utf8) }
    try produce(
      lane.topic, partition: lane.partition, key: key?.span, value: value?.span, headers: [])
  }
}

extension String {
  fileprivate init(bytes: Span<UInt8>) {
    self = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
  }
}
