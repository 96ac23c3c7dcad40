import Core
import Testing

@testable import Lab
@testable import Worker

@Suite struct RecoveryTests {
  let pool = Pool()

  private static let announced = ["delivered g1 2 A", "read g1 2 A"]

  private func failure(_ disposition: LogFailure.Disposition, _ label: String = "test")
    -> LogFailure
  {
    LogFailure(disposition, label: label, detail: "injected")
  }

  /// A worker that has applied a message, and now the receipt comes that completes it.
  private func workerWithReceipt() throws -> MemoryLog {
    let log = pool.start("w")
    pool.roster("AB")
    pool.message(2)
    try pool.settle()
    pool.read(upTo: 2, by: "B")
    return log
  }

  @Test(arguments: [
    (LogCall.produce, LogFailure.Disposition.abort), (.produce, .rebuild),
    (.commit, .abort), (.commit, .rebuild), (.commit, .again), (.produce, .again),
    (.fetch, .again), (.fetch, .abort), (.poll, .again),
  ])
  func `A failed call costs nothing and doubles nothing`(
    call: LogCall, disposition: LogFailure.Disposition
  ) throws {
    let log = try workerWithReceipt()
    log.failures[call] = [failure(disposition)]
    try pool.settle()
    #expect(log.failures[call] == [])
    #expect(try pool.announcements == Self.announced)
    #expect(pool.broker.committedPosition()?.offsets == [2, 1, 0])
    if disposition == .again { #expect(pool.failures == []) }
  }

  @Test(arguments: [LogFailure.Disposition.abort, .rebuild])
  func `A commit of unknown outcome is not done twice`(disposition: LogFailure.Disposition) throws {
    let log = try workerWithReceipt()
    log.failureAfterCommit = failure(disposition)
    try pool.settle()
    #expect(pool.failures.count == 1)
    #expect(try pool.announcements == Self.announced)
  }

  @Test func `Whatever fails on the way back is tried again`() throws {
    let log = try workerWithReceipt()
    log.failures = [
      .commit: [failure(.abort)], .abort: [failure(.again), failure(.abort)],
      .rebuild: [failure(.again), failure(.rebuild)], .committed: [failure(.again)],
      .bounds: [failure(.again)], .assign: [failure(.again), failure(.abort)],
    ]
    // Each wait between two attempts is silent.
    for _ in 0..<8 { try pool.settle() }
    for (call, left) in log.failures { #expect(left == [], "\(call)") }
    #expect(try pool.announcements == Self.announced)
  }

  @Test func `Only what a transaction touched is folded again`() throws {
    let pool = Pool(partitionCount: 2)
    let log = pool.start("w")
    pool.roster("AB")
    pool.roster("AB", in: "g2", partition: 1)
    try pool.settle()
    let before = pool.restoredRecords["w"]
    pool.message(2, in: "g2", partition: 1)
    log.failures[.commit] = [failure(.abort)]
    try pool.settle()
    #expect(pool.restoredRecords["w"] != before)
    #expect(pool.occurrences.contains { $0.1 == .taken([0, 1], kept: [0]) })
  }

  @Test func `What could not be produced is not produced later`() throws {
    let pool = Pool(partitionCount: 2)
    let log = pool.start("z")
    pool.roster("AB")
    pool.message(2)
    try pool.settle()
    pool.read(upTo: 2, by: "B")
    log.failures[.produce] = [failure(.abort)]
    try pool.step("z")
    #expect(pool.failures == [failure(.abort)])
    // The other partition goes to b; what is left to z has to be committed before it applies
    // anything again.
    pool.broker.setCommitted(nil, partition: 1)
    pool.start("b")
    try pool.settle()
    #expect(try pool.announcements == Self.announced)
    #expect(pool.broker.committedRecords(.events, partition: 1) == [])
  }

  @Test func `A failure that nothing helps ends the worker`() throws {
    let log = pool.start("w")
    try pool.settle()
    log.failures[.poll] = [failure(.exit, "authorization")]
    #expect(throws: WorkerFailure(label: "authorization", detail: "injected")) {
      try pool.settle()
    }
  }

  @Test func `The third fencing within a minute ends the worker`() throws {
    let log = pool.start("w")
    try pool.settle()
    for id in 2...3 {
      log.failures[.commit] = [failure(.rebuild, LogFailure.fenced)]
      pool.message(Int64(id))
      try pool.settle()
    }
    log.failures[.commit] = [failure(.rebuild, LogFailure.fenced)]
    pool.message(4)
    let end = #expect(throws: WorkerFailure.self) { try pool.settle() }
    #expect(end?.detail.contains("--instance-id") == true)
  }

  @Test func `Rebuilds without end end the worker`() throws {
    let log = pool.start("w")
    try pool.settle()
    log.failures[.rebuild] = (0..<100).map { _ in failure(.rebuild, "state") }
    log.failures[.poll] = [failure(.rebuild, "state")]
    #expect(throws: WorkerFailure.self) { for _ in 0..<20 { try pool.settle() } }
    #expect(pool.failures.count == 11)
  }

  @Test func `Fencings far apart do not end the worker`() throws {
    let log = pool.start("w")
    for id in 2...6 {
      log.failures[.commit] = [failure(.rebuild, LogFailure.fenced)]
      pool.message(Int64(id))
      try pool.settle()
      pool.now = pool.now.advanced(byMilliseconds: 30_000)
    }
    #expect(pool.failures.count == 5)
    #expect(pool.broker.committedPosition()?.offsets == [5, 0, 0])
  }

  @Test(arguments: [
    (TransactionLimits(interval: 100).with(\.inputRecords, 50), 998, 50),
    // Each message causes one status and changes one piece of state.
    (TransactionLimits(interval: 100).with(\.outputRecords, 20), 998, 10),
    (TransactionLimits(interval: 100).with(\.outputBytes, 1000), 98, 9),
  ])
  func `Bounds of inputs, outputs and bytes end a transaction, also inside a batch`(
    _ limits: TransactionLimits, count: Int, most: Int
  ) throws {
    pool.limits = limits
    pool.start("w")
    for id in 2..<(count + 2) { pool.message(Int64(id)) }
    try pool.settle()
    #expect(pool.committedInputs.reduce(0, +) == count)
    #expect(pool.committedInputs.allSatisfy { $0 <= most })
  }

  @Test func `Transactions that fail become smaller down to one input`() throws {
    let log = pool.start("w")
    try pool.settle()
    for id in 2..<34 { pool.message(Int64(id)) }
    log.failures[.commit] = (0..<7).map { _ in failure(.abort, "timed_out") }
    try pool.settle()
    // Nothing, for taking the partition; then 32 inputs failed, 16, 8, 4, 2, 1 and 1 again.
    #expect(pool.committedInputs.dropFirst().first == 1)
    #expect(pool.committedInputs == [0, 1, 2, 4, 8, 16, 1])
  }
}

extension TransactionLimits {
  fileprivate func with(_ bound: WritableKeyPath<Self, Int>, _ value: Int) -> Self {
    var limits = self
    limits[keyPath: bound] = value
    return limits
  }
}
