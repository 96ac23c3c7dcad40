import Core
import Testing

@testable import Lab
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
    _ name: String, within stepWork: Int = Self.stepWork,
    until isDone: (Worker<MemoryLog>) -> Bool = { _ in false }
  ) throws -> (steps: Int, work: Int) {
    var (steps, work, quiet) = (0, 0, 0)
    while quiet < 10 {
      let worker = try #require(pool.workers[name])
      if isDone(worker) { break }
      pool.now = pool.now.advanced(byMilliseconds: 20)
      let report = try worker.step(now: pool.now)
      pool.note(report, of: name)
      #expect(report.work <= stepWork + Self.recordWork)
      // Nor does one fold more of a changelog than that.
      #expect(report.restoredRecords <= stepWork / Work.thing)
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

  /// A roster that ends memberships is about a step, and announces so many messages.
  private func end(by members: String, id: Int64, announced: Int) throws {
    pool.roster(members, id: id)
    let ended = try run("w")
    #expect(ended.work < 2 * (Self.stepWork + Self.recordWork))
    #expect(try pool.announcements.count == 2 * announced)
    #expect(pool.workers["w"]?.partitions[0].machine.violations() == [])
  }

  @Test func `a restore of many groups and of a large one is many steps`() throws {
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

  @Test
  func `other partitions go on while one is counted, and an end waits for no restore`() throws {
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
      pool.note(try worker.step(now: pool.now), of: "v")
    }
    #expect(pool.broker.committedRecords(.status, partition: 1).count == 1)
    #expect(isCounting(worker))
    #expect(worker.drain(now: pool.now).work < Self.stepWork)
  }

  @Test func `what a long pause makes due, and a backlog behind it, is many steps`() throws {
    start("w")
    for id in 2..<5002 { pool.message(Int64(id), in: "small\(id % 500)") }
    try run("w")
    pool.now = pool.now.advanced(byMilliseconds: 2 * pool.rules.trackingWindow)
    for id in 6000..<8000 { pool.message(Int64(id), in: "small\(id % 500)") }
    let late = try run("w")
    #expect(late.work > 700_000)
    pool.now = pool.now.advanced(byMilliseconds: 2 * pool.rules.trackingWindow)
    let early = try run("w")
    #expect(early.work > 200_000)
    #expect(pool.committedInputs.reduce(0, +) == 7000)
    #expect(pool.failures == [])
  }

  @Test
  func `a roster that ends all memberships of a large group looks at each message once`() throws {
    start("w")
    largeGroup()
    let members = letters(600)
    pool.read(upTo: 1501, by: String(members.suffix(1)))
    try run("w")
    try end(by: String(members.prefix(1)) + String(members.suffix(1)), id: 1502, announced: 1500)
  }

  @Test func `a changelog is read in steps, however much of it one fetch gives`() throws {
    start("w")
    smallGroups(1500, partition: 0)
    smallGroups(1500, partition: 1)
    try run("w")
    pool.stop("w")
    pool.broker.fetchLimit = 100_000
    start("v")
    let restored = try run("v")
    #expect(restored.steps > 9)
    #expect(pool.workers["v"]?.partitions.filter(\.isRunning).count == 2)
    #expect(pool.restoredRecords["v", default: 0] >= 2 * 1500 * 3)
    #expect(pool.faults == [])
  }

  @Test func `what a transaction has changed is written in steps, and committed as one`() throws {
    pool.limits.stateRecords = 6000
    start("w")
    smallGroups(3000, partition: 0)
    try run("w")
    // A group and two members each: several steps' worth.
    let transaction = pool.occurrences.lazy.compactMap { occurrence in
      if case .committed(_, let records, _) = occurrence.1 { records } else { nil }
    }.max()
    #expect(transaction ?? 0 >= 6000)
    #expect(6000 * Work.output > 2 * (Self.stepWork + Self.recordWork))
    pool.stop("w")
    start("v")
    try run("v")
    #expect(pool.workers["v"]?.partitions.first?.machine.conversationCount == 3000)
    #expect(pool.faults == [])
  }

  @Test
  func `a roster for which many receipts wait that cover by time does not multiply them`() throws {
    start("w")
    let members = letters(600)
    let sender = String(members.prefix(1))
    pool.roster(String(members.prefix(2)))
    for id in Int64(2)..<1502 { pool.message(id, from: sender) }
    for member in members.dropFirst(2) { pool.read(sentUpTo: pool.seconds, by: String(member)) }
    try run("w")
    #expect(pool.workers["w"]?.partitions[0].machine.waitingCount == 598)
    pool.roster(members, id: 1502)
    let applied = try run("w")
    #expect(applied.work < 2 * (Self.stepWork + Self.recordWork))
    #expect(pool.workers["w"]?.partitions[0].machine.waitingCount == 0)
  }

  @Test(arguments: [100_000, 10_000_000])
  func `a message for which hundreds of receipts wait is done over several steps, as if in one`(
    stepWork: Int
  ) throws {
    pool.start("w") { $0.stepWork = stepWork }
    largeGroup()
    let members = letters(600)
    for member in members.dropFirst() { pool.read(upTo: 1502, by: String(member)) }
    try run("w", within: stepWork)
    #expect(pool.workers["w"]?.partitions[0].machine.waitingCount == 599)
    pool.message(1502, from: String(members.prefix(1)))
    let worker = try #require(pool.workers["w"])
    let applied = try run("w", within: stepWork) { $0.unfinished != nil }
    if stepWork < 1_000_000 {
      #expect(worker.unfinished != nil)
      // An end does the rest, and writes it.
      #expect(worker.drain(now: pool.now).work > 0)
      pool.crash("w")
    } else {
      #expect(worker.unfinished == nil)
      #expect(applied.work > 800_000)
    }
    #expect(try pool.announcements.count == 2 * 1501)
    pool.start("v")
    try pool.settle()
    #expect(pool.workers["v"]?.partitions[0].machine.waitingCount == 0)
    #expect(pool.workers["v"]?.partitions[0].machine.violations() == [])
    #expect(try pool.announcements.count == 2 * 1501)
  }

  @Test func `a transaction that fails in the middle of a long record does it again`() throws {
    start("w")
    largeGroup()
    let members = letters(600)
    for member in members.dropFirst() { pool.read(upTo: 1502, by: String(member)) }
    try run("w")
    pool.message(1502, from: String(members.prefix(1)))
    try run("w") { $0.unfinished != nil }
    pool.broker.fence("w")
    try pool.settle()
    #expect(try pool.announcements.count == 2 * 1501)
    #expect(pool.workers["w"]?.partitions[0].machine.waitingCount == 0)
  }

  @Test
  func `what an end has to write at once is no more than a transaction may have changed`() throws {
    // The record that fills a transaction up is a roster: a group, its members, an id.
    let most = 6000 + 4
    pool.limits.stateRecords = 6000
    start("w")
    smallGroups(6000, partition: 0)
    var changes = 0
    try run("w") { worker in
      changes = max(changes, worker.transaction.changes)
      return false
    }
    #expect(changes > 2000)
    #expect(changes <= most)
    smallGroups(6000, partition: 1)
    try run("w") { $0.transaction.changes > 2000 }
    let worker = try #require(pool.workers["w"])
    let end = worker.drain(now: pool.now)
    #expect(end.work > 2000 * Work.output)
    #expect(end.work <= most * Work.output)
    #expect(end.occurrences.contains { if case .committed = $0 { true } else { false } })
  }

  /// One group of 300, with two threads of 600 replies each in which everybody has come half way.
  private func threads() -> String {
    let members = letters(300)
    let sender = String(members.prefix(1))
    pool.roster(members)
    for id in 2..<4 { pool.message(Int64(id), from: sender) }
    for id in 4..<1204 { pool.message(Int64(id), from: sender, parent: Int64(2 + id % 2)) }
    for member in members.dropFirst() {
      for id in [600, 601] { pool.read(upTo: Int64(id), by: String(member)) }
    }
    return members
  }

  @Test
  func `a roster that ends all memberships looks at each reply in separate threads once`() throws {
    pool.rules.threads = .separate
    start("w")
    let members = threads()
    try run("w")
    // The last one has read all; nobody else is waited for then.
    let last = String(members.suffix(1))
    for id in [1202, 1203] { pool.read(upTo: Int64(id), by: last) }
    try run("w")
    try end(by: String(members.prefix(1)) + last, id: 1204, announced: 1200)
  }

  @Test(
    "a roster that ends all memberships multiplies nothing, in whatever order messages were sent",
    arguments: [Rules.Threads.inline, .separate])
  func leaversOfUnorderedTimes(threads: Rules.Threads) throws {
    pool.rules.threads = threads
    start("w")
    let members = letters(600)
    let (sender, last) = (String(members.prefix(1)), String(members.suffix(1)))
    pool.roster(members)
    let ids = Int64(2)..<1502
    for id in ids {
      // Every second one was sent long before its neighbours, and is a reply.
      let isReply = id % 2 == 1
      pool.message(
        id, from: sender, parent: isReply ? 2 : 0,
        sentAt: pool.seconds - 10_000 + (isReply ? -id : id))
    }
    for (number, member) in members.enumerated().dropFirst() {
      let time = number == 599 ? 0 : 5000 + 10 * Int64(number)
      pool.read(sentUpTo: pool.seconds - time, by: String(member))
      pool.read(exactly: [Int64(number), 1500 - Int64(number)], by: String(member))
    }
    try run("w")
    try end(by: sender + last, id: 1502, announced: 1500)
  }

  @Test
  func `a roster that ends memberships of which it was heard late multiplies nothing`() throws {
    start("w")
    let members = letters(600)
    let (sender, last) = (String(members.prefix(1)), String(members.suffix(1)))
    pool.roster(sender + last)
    for id in Int64(3)..<1503 { pool.message(id, from: sender) }
    // By their ids they are behind it; by arrival they were before it.
    pool.roster(members, id: 2)
    for id in Int64(1503)..<1513 { pool.message(id, from: sender) }
    pool.read(upTo: 1512, by: last)
    try run("w")
    let before = try pool.announcements
    #expect(before.count == 2 * 1500)
    try end(by: sender + last, id: 1513, announced: 1510)
  }

  @Test(arguments: [1, 2])
  func `how far many have come in threads is forgotten in steps, with threads and with memberships`(
    windows: Int64
  ) throws {
    pool.rules.threads = .separate
    start("w")
    // Fewer memberships, and fewer messages, than are much by themselves.
    let (members, parents) = (letters(91), Int64(2)..<42)
    let sender = String(members.prefix(1))
    pool.roster(members)
    for parent in parents { pool.message(parent, from: sender) }
    for parent in parents { pool.message(100 + parent, from: sender, parent: parent) }
    for member in members.dropFirst() {
      for parent in parents { pool.read(upTo: 100 + parent, by: String(member)) }
    }
    try run("w")
    pool.roster(sender, id: 1000)
    try run("w")
    for window in 1..<windows {
      // The threads are known for longer than the memberships.
      move(byMilliseconds: pool.rules.trackingWindow - 60_000)
      for parent in parents { pool.message(1000 * window + parent, from: sender, parent: parent) }
      try run("w")
    }
    let machine = { self.pool.workers["w"]?.partitions[0].machine }
    #expect(machine()?.positionCount == 90 * 40)
    move(byMilliseconds: pool.rules.trackingWindow + 60_000)
    pool.message(5000, from: sender)
    let forgotten = try run("w")
    #expect(forgotten.work > 90 * 40 * Work.output)
    #expect(machine()?.positionCount == 0)
    #expect(machine()?.violations() == [])
  }

  private func move(byMilliseconds time: Int64) {
    pool.now = pool.now.advanced(byMilliseconds: time)
  }

  @Test func `the memory of what is lost is given back in steps`() throws {
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
