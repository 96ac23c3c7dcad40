import Core
import Worker

/// What any record log has to answer, call by call: the one in memory, on which simulations run,
/// counts only as far as Kafka answers the same.
package enum LogTranscript: String, CaseIterable, Sendable {
  /// What is committed is seen, what is open is not.
  case visibility
  /// What is aborted is never seen, and reading goes on where it was.
  case abort
  /// Nothing is given out from the first open transaction on, whoever commits behind it.
  case stableEnd
  /// An end without anything in it leaves nothing.
  case emptyEnds
  /// Keys and values may be absent.
  case tombstone
  /// A new assignment begins at its offsets, and what is not assigned is not read.
  case assignment
  /// Positions and the note beside them come back; absent ones stay absent.
  case positions
  /// Nobody is told positions on which a transaction is pending.
  case pending
  /// A member that takes a transactional id fences its holder, and ends what that left open.
  case fencing
  /// A transaction that is open for too long is aborted, and its producer fenced.
  case expiry
  /// All is given up before it is given anew, and may be committed until it is given up.
  case rebalance
  /// A member that is given up cannot commit, and is told so.
  case lostMember
  /// One that is given up because it does not answer a rebalance is told of the rebalance.
  case deafMember
  /// A member that closes gives its partitions up, and leaves its transaction open.
  case closing

  /// Plays it.
  package func run<Stage: LogStage>(on stage: Stage) throws(LogMismatch) {
    let transcript = LogTranscripts(stage: stage)
    switch self {
    case .visibility: try transcript.visibility()
    case .abort: try transcript.abort()
    case .stableEnd: try transcript.stableEnd()
    case .emptyEnds: try transcript.emptyEnds()
    case .tombstone: try transcript.tombstone()
    case .assignment: try transcript.assignment()
    case .positions: try transcript.positions()
    case .pending: try transcript.pending()
    case .fencing: try transcript.fencing()
    case .expiry: try transcript.expiry()
    case .rebalance: try transcript.rebalance()
    case .lostMember: try transcript.lostMember()
    case .deafMember: try transcript.deafMember()
    case .closing: try transcript.closing()
    }
  }
}

private struct LogTranscripts<Stage: LogStage> {
  let stage: Stage

  private var lane: Lane { Lane(.events, 0) }
  private var other: Lane { Lane(.events, 1) }

  /// A member that has all partitions.
  private func member(_ name: String) throws(LogMismatch) -> LogMember<Stage> {
    let member = try LogMember(name, on: stage)
    try member.hears("assigned [0, 1]")
    try member.assign()
    return member
  }

  private func position(
    _ partition: Int32, _ offsets: PerInput<Int64?>, _ note: String
  ) -> CommittedPosition {
    CommittedPosition(partition: partition, offsets: offsets, metadata: note)
  }

  func visibility() throws(LogMismatch) {
    let a = try member("a")
    try a.bounds(lane, are: 0..<0)
    try a.assign((lane, 0))
    try a.produce("x", to: lane)
    try a.bounds(lane, are: 0..<1)
    try a.reads([], of: lane, end: 0)
    try a.commit()
    // The mark at the end of the transaction has an offset, too.
    try a.reads(["0 x"], of: lane, end: 2)
    try a.bounds(lane, are: 0..<2)
    try a.produce("y", to: lane)
    try a.produce("z", to: lane)
    try a.commit()
    try a.reads(["2 y", "3 z"], of: lane, end: 5)
    a.log.close()
  }

  func abort() throws(LogMismatch) {
    let a = try member("a")
    try a.produce("x", to: lane)
    try a.commit()
    try a.assign((lane, 0))
    try a.reads(["0 x"], of: lane, end: 2)
    try a.produce("y", to: lane)
    try a.bounds(lane, are: 0..<3)
    try a.abort()
    try a.reads([], of: lane, end: 4)
    try a.produce("z", to: lane)
    try a.commit()
    try a.reads(["4 z"], of: lane, end: 6)
    try a.assign((lane, 0))
    try a.reads(["0 x", "4 z"], of: lane, end: 6)
    a.log.close()
  }

  func stableEnd() throws(LogMismatch) {
    let a = try member("a")
    let b = try LogMember("b", on: stage)
    try a.produce("x", to: lane)
    try a.bounds(lane, are: 0..<1)
    try b.produce("y", to: lane)
    try b.produce("y", to: other)
    try b.commit()
    try b.bounds(lane, are: 0..<3)
    try b.assign((lane, 0), (other, 0))
    try b.reads(["0 y"], of: other, end: 2)
    try b.reads([], of: lane, end: 0)
    try a.commit()
    try b.reads(["0 x", "1 y"], of: lane, end: 4)
    a.log.close()
    b.log.close()
  }

  func emptyEnds() throws(LogMismatch) {
    let a = try LogMember("a", on: stage)
    // Not even as a member, and not even with an id that somebody else has taken.
    try a.commit()
    try a.abort()
    let thief = try LogMember("b", on: stage, transactionalId: "a")
    try a.commit()
    try a.abort()
    try a.bounds(lane, are: 0..<0)
    thief.log.close()
    a.log.close()
  }

  func tombstone() throws(LogMismatch) {
    let a = try member("a")
    try a.produce(nil, to: lane, key: "k")
    try a.produce("", to: lane)
    try a.commit()
    try a.assign((lane, 0))
    try a.reads(["0 nil", "1 "], of: lane, end: 3)
    a.log.close()
  }

  func assignment() throws(LogMismatch) {
    let a = try member("a")
    for value in ["x", "y", "z"] { try a.produce(value, to: lane) }
    try a.commit()
    let fetch = { (log: Stage.Log) throws(LogFailure) in
      try log.fetch(Lane(.events, 0), into: log.makeBatch())
    }
    try a.fails("fetch of what was never assigned", .rebuild, ["not_assigned"], fetch)
    try a.assign((lane, 1))
    try a.reads(["1 y", "2 z"], of: lane, end: 4)
    try a.assign((lane, 2), (other, 0))
    try a.reads(["2 z"], of: lane, end: 4)
    try a.reads([], of: other, end: 0)
    try a.assign((other, 0))
    try a.fails("fetch of what is not assigned any more", .rebuild, ["not_assigned"], fetch)
    // Behind the last record, where only a mark lies.
    try a.assign((lane, 3))
    try a.reads([], of: lane, end: 4)
    try a.assign((lane, 4))
    try a.reads([], of: lane, end: 4)
    a.log.close()
  }

  func positions() throws(LogMismatch) {
    let a = try member("a")
    try a.committed(0, is: [nil, nil, nil], "")
    try a.produce("x", to: lane)
    try a.commit(position(0, [3, 1, nil], "1 ä"))
    try a.committed(0, is: [3, 1, nil], "1 ä")
    try a.committed(1, is: [nil, nil, nil], "")
    // Without a record, and beside another partition's.
    try a.commit(position(0, [4, nil, 0], "2 b"), position(1, [7, 8, 9], "1 b"))
    try a.committed(0, is: [4, 1, 0], "2 b")
    try a.committed(1, is: [7, 8, 9], "1 b")
    try a.produce("y", to: lane)
    try a.abort()
    try a.committed(0, is: [4, 1, 0], "2 b")
    a.log.close()
  }
}

extension LogTranscripts {
  func pending() throws(LogMismatch) {
    let a = try member("a")
    try a.commit(position(0, [1, 1, 1], "1 a"), position(1, [1, 1, 1], "1 a"))
    try stage.leavePending(position(0, [2, 2, 2], "2 b"))
    let ask = { (log: Stage.Log) throws(LogFailure) in _ = try log.committed([0]) }
    try a.fails("committed", .again, ["deadline_committed"], ask)
    try a.fails("committed of both", .again, ["deadline_committed"]) { log throws(LogFailure) in
      _ = try log.committed([0, 1])
    }
    try a.committed(1, is: [1, 1, 1], "1 a")
    try stage.commitPending()
    try a.committed(0, is: [2, 2, 2], "2 b")
    a.log.close()
  }

  func fencing() throws(LogMismatch) {
    let a = try member("a")
    try a.produce("x", to: lane)
    try a.bounds(lane, are: 0..<1)
    let b = try LogMember("b", on: stage, transactionalId: "a")
    // What the former holder left open is over.
    try b.bounds(lane, are: 0..<2)
    try a.fails("commit", .rebuild, ["fenced"]) { log throws(LogFailure) in try log.commit([]) }
    try a.does("rebuild") { log throws(LogFailure) in try log.rebuild() }
    try a.produce("y", to: lane)
    try a.commit()
    try b.fails("commit", .rebuild, ["fenced"]) { log throws(LogFailure) in
      try log.add("z", to: Lane(.events, 0))
      try log.commit([])
    }
    try a.assign((lane, 0))
    try a.reads(["2 y"], of: lane, end: 4)
    a.log.close()
    b.log.close()
  }

  func expiry() throws(LogMismatch) {
    let a = try member("a")
    try a.produce("x", to: lane)
    try a.bounds(lane, are: 0..<1)
    try a.bounds(lane, are: 0..<2)
    try a.fails("commit", .rebuild, ["fenced"]) { log throws(LogFailure) in try log.commit([]) }
    try a.does("rebuild") { log throws(LogFailure) in try log.rebuild() }
    try a.produce("y", to: lane)
    try a.commit()
    try a.assign((lane, 0))
    try a.reads(["2 y"], of: lane, end: 4)
    a.log.close()
  }

  func rebalance() throws(LogMismatch) {
    let a = try member("a")
    try a.assign((Lane(.messages, 0), 0), (Lane(.messages, 1), 0))
    try a.produce("x", to: lane)
    let b = try LogMember("b", on: stage)
    try both(a, b) { member, news throws(LogMismatch) in
      guard news == "revoked" else { return }
      try member.equal("who has to give up", member.name, "a")
      // It is still a member, so that what it has done need not be done again.
      try member.commit(CommittedPosition(partition: 0, offsets: [1, 1, 1], metadata: "1 a"))
    }
    try a.committed(0, is: [1, 1, 1], "1 a")
    a.log.close()
    b.log.close()
  }

  func lostMember() throws(LogMismatch) {
    let a = try member("a")
    let b = try LogMember("b", on: stage)
    try both(a, b) { _, _ in }
    try a.commit(position(0, [1, 1, 1], "1 a"))
    // Nobody serves a.
    try b.hears("revoked")
    try overtake(a, b)
    try a.hears("lost")
    try comeBack(a, b)
  }

  func deafMember() throws(LogMismatch) {
    let a = try member("a")
    try a.commit(position(0, [1, 1, 1], "1 a"))
    let b = try LogMember("b", on: stage)
    try overtake(a, b)
    try a.hears("revoked")
    try comeBack(a, b)
  }

  /// Has b take everything and go on, and a try to go on where it was.
  private func overtake(_ a: LogMember<Stage>, _ b: LogMember<Stage>) throws(LogMismatch) {
    try b.assign()
    try b.hears("assigned [0, 1]")
    try b.assign()
    try b.committed(0, is: [1, 1, 1], "1 a")
    try b.commit(position(0, [2, 2, 2], "1 b"))
    let gone = ["illegal_generation", "unknown_member_id"]
    try a.fails("commit", .abort, gone) { log throws(LogFailure) in
      try log.add("x", to: Lane(.events, 0))
      try log.commit([CommittedPosition(partition: 0, offsets: [9, 9, 9], metadata: "2 a")])
    }
    try a.abort()
  }

  private func comeBack(_ a: LogMember<Stage>, _ b: LogMember<Stage>) throws(LogMismatch) {
    try a.assign()
    try b.committed(0, is: [2, 2, 2], "1 b")
    try both(a, b) { _, _ in }
    try a.commit(position(0, [3, 3, 3], "2 a"))
    try a.committed(0, is: [3, 3, 3], "2 a")
    a.log.close()
    b.log.close()
  }

  func closing() throws(LogMismatch) {
    let a = try member("a")
    let b = try LogMember("b", on: stage)
    try both(a, b) { _, _ in }
    try b.produce("x", to: lane)
    try b.bounds(lane, are: 0..<1)
    b.log.close()
    try a.hears("revoked")
    try a.assign()
    try a.hears("assigned [0, 1]")
    try a.assign((lane, 0))
    try a.reads([], of: lane, end: 0)
    let heir = try LogMember("c", on: stage, transactionalId: "b")
    try a.reads([], of: lane, end: 2)
    heir.log.close()
    a.log.close()
  }

  /// Serves two members until each has its share, answering what they are told.
  private func both(
    _ a: LogMember<Stage>, _ b: LogMember<Stage>,
    on news: (LogMember<Stage>, String) throws(LogMismatch) -> Void
  ) throws(LogMismatch) {
    var last: [String: String] = [:]
    for _ in 0..<600 {
      for member in [a, b] {
        guard let heard = try member.turn() else { continue }
        try news(member, heard)
        try member.assign()
        last[member.name] = heard
      }
      if last == ["a": "assigned [0]", "b": "assigned [1]"] { return }
      stage.pass()
    }
    throw LogMismatch("the members have \(last)")
  }
}
