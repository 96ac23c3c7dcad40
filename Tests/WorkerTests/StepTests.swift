import Core
import Lab
import Testing

@testable import Worker

/// No step is longer than it may be, by the work that it reports, whatever there is to do.
@Suite struct StepTests {
  private static let stepWork = 100_000
  /// A roster of 600 is the largest single record here.
  private static let recordWork = 35_000

  private let pool: Pool

  init() {
    pool = Pool(partitionCount: 2)
    pool.limits.stateRecords = 1000
  }

  private func start(_ name: String) {
    pool.start(name) { $0.stepWork = Self.stepWork }
  }

  /// Lets a worker go on until it has nothing to do, and checks each step.
  ///
  /// - Returns: how many steps had work to do, and the work of all.
  @discardableResult
  private func run(
    _ name: String, until isDone: (Worker<MemoryLog>) -> Bool = { _ in false }
  ) throws -> (steps: Int, work: Int) {
    var (steps, work, quiet) = (0, 0, 0)
    while quiet < 10 {
      let worker = try #require(pool.workers[name])
      if isDone(worker) { break }
      pool.now = pool.now.advanced(byMilliseconds: 20)
      pool.broker.clock = pool.now
      let report = try worker.step(now: pool.now)
      pool.note(report, of: name)
      #expect(report.work <= Self.stepWork + Self.recordWork)
      work += report.work
      quiet = report.work > 0 ? 0 : quiet + 1
      if report.work > 0 { steps += 1 }
    }
    return (steps, work)
  }

  private func isCounting(_ worker: Worker<MemoryLog>) -> Bool {
    worker.partitions.contains(where: \.isCounting)
  }

  private func letters(_ count: Int) -> String {
    String((0..<count).map { Character(Unicode.Scalar(0x4E00 + UInt32($0)) ?? "x") })
  }

  /// One group of 600 in which 1500 messages are open.
  private func largeGroup() {
    let members = letters(600)
    pool.roster(members)
    let sender = String(members.prefix(1))
    for id in 2..<1502 { pool.message(Int64(id), from: sender) }
  }

  private func smallGroups(_ count: Int, partition: Int32) {
    for group in 0..<count { pool.roster("AB", in: "small\(group)", partition: partition) }
  }

  @Test("a restore of many groups and of a large one is many steps")
  func restore() throws {
    start("w")
    largeGroup()
    smallGroups(1000, partition: 1)
    try run("w")
    pool.stop("w")
    start("v")
    // Both share each step.
    let restored = try run("v")
    #expect(restored.work > 900_000)
    #expect(restored.steps > 9)
    let running = pool.workers["v"]?.partitions.filter(\.isRunning)
    #expect(running?.count == 2)
    #expect(pool.faults == [])
  }

  @Test("other partitions go on while one is counted, and an end waits for no restore")
  func meanwhile() throws {
    start("w")
    largeGroup()
    smallGroups(20, partition: 1)
    try run("w")
    pool.stop("w")
    start("v")
    try run("v") { worker in
      worker.partitions.contains(where: \.isRunning) && isCounting(worker)
    }
    let worker = try #require(pool.workers["v"])
    pool.message(9, in: "small0", partition: 1)
    for _ in 0..<10 where pool.broker.committedRecords(.status, partition: 1).isEmpty {
      pool.now = pool.now.advanced(byMilliseconds: 200)
      pool.broker.clock = pool.now
      pool.note(try worker.step(now: pool.now), of: "v")
    }
    #expect(pool.broker.committedRecords(.status, partition: 1).count == 1)
    #expect(isCounting(worker))
    #expect(worker.drain(now: pool.now).work < Self.stepWork)
  }

  @Test("what a long pause makes due, and a backlog behind it, is many steps")
  func pause() throws {
    start("w")
    for id in 2..<5002 { pool.message(Int64(id), in: "small\(id % 500)") }
    try run("w")
    pool.now = pool.now.advanced(byMilliseconds: 2 * pool.rules.trackingWindow)
    pool.broker.clock = pool.now
    for id in 6000..<8000 { pool.message(Int64(id), in: "small\(id % 500)") }
    let late = try run("w")
    #expect(late.work > 700_000)
    pool.now = pool.now.advanced(byMilliseconds: 2 * pool.rules.trackingWindow)
    pool.broker.clock = pool.now
    let early = try run("w")
    #expect(early.work > 200_000)
    #expect(pool.committedInputs.reduce(0, +) == 7000)
    #expect(pool.failures == [])
  }

  @Test("a roster that ends all memberships of a large group looks at each message once")
  func leavers() throws {
    start("w")
    largeGroup()
    let members = letters(600)
    pool.read(upTo: 1501, by: String(members.suffix(1)))
    try run("w")
    pool.roster(String(members.prefix(1)) + String(members.suffix(1)), id: 1502)
    let ended = try run("w")
    #expect(ended.work < 2 * (Self.stepWork + Self.recordWork))
    let announcements = try pool.announcements
    #expect(announcements.count == 2 * 1500)
  }

  @Test("the memory of what is lost is given back in steps")
  func discarded() throws {
    start("w")
    smallGroups(3000, partition: 0)
    try run("w")
    // It takes the partition over.
    pool.start("a")
    try run("w") { !$0.discarded.isEmpty }
    let worker = try #require(pool.workers["w"])
    #expect(worker.assignment == [1])
    let rest = try run("w")
    #expect(rest.steps > 2)
    #expect(worker.discarded.isEmpty)
  }
}
