import Core
import Testing
import Worker

@testable import Lab

/// What the workload promises to whoever feeds it to a worker.
@Suite("Workload") struct WorkloadTests {
  @Test func `the same seed gives the same records, another one others`() {
    var first = Workload(seed: 7, options: WorkloadOptions(.dirty), partitionCount: 6)
    var second = Workload(seed: 7, options: WorkloadOptions(.dirty), partitionCount: 6)
    var other = Workload(seed: 8, options: WorkloadOptions(.dirty), partitionCount: 6)
    var differences = 0
    for _ in 0..<5000 {
      let record = first.next()
      let same = second.next()
      #expect(record != nil && record == same)
      if record != other.next() { differences += 1 }
    }
    #expect(differences > 4500)
  }

  @Test(arguments: WorkloadPreset.allCases)
  func `every record lies where Kafka's own clients put its key`(_ preset: WorkloadPreset) {
    var workload = Workload(seed: 1, options: WorkloadOptions(preset), partitionCount: 5)
    var seen: Set<Int32> = []
    for _ in 0..<2000 {
      guard let record = workload.next() else { break }
      seen.insert(record.partition)
      #expect(record.partition == Partitioner.murmur2.partition(of: record.key.span, count: 5))
    }
    #expect(seen.count == 5)
  }

  @Test func `one record after the other and many in one piece of memory are the same`() {
    var single = Workload(seed: 3, options: WorkloadOptions(.dirty), partitionCount: 2)
    var together = single
    var arena = WorkloadArena()
    var repeats = 0
    for index in 0..<5000 {
      let isThere = together.next(into: &arena)
      let record = single.next()
      #expect(isThere && record == arena[index])
      if arena.places[index].isRepeat { repeats += 1 }
    }
    #expect(repeats > 200)
  }

  @Test func `after the end nothing new is begun, and what was held back comes`() {
    var options = WorkloadOptions(.small)
    options.late = Share(percent: 50)
    var workload = Workload(seed: 1, options: options, partitionCount: 1)
    for _ in 0..<1000 { _ = workload.next() }
    workload.end()
    var rest = 0
    while workload.next() != nil { rest += 1 }
    #expect((1...64).contains(rest))
  }

  @Test func `time goes on evenly, and what is late is not very late`() {
    var options = WorkloadOptions(.dirty)
    options.recordsPerSecond = 500
    var workload = Workload(seed: 1, options: options, partitionCount: 1)
    var newest = Workload.start
    for _ in 0..<5000 {
      guard let record = workload.next() else { break }
      newest = max(newest, record.time)
      #expect(newest.millisecondsSince(record.time) <= 2 * Int64(options.lateRecords + 64))
    }
    let passed = newest.millisecondsSince(Workload.start)
    // 5000 records less those written again, at 500 a second.
    #expect((9000...10_000).contains(passed))
  }

  @Test
  func `of many conversations a few are busy at a time, so that what they begin is completed`() {
    var options = WorkloadOptions(.chat)
    options.busy = 10
    options.largestGroup = 5
    var workload = Workload(seed: 2, options: options, partitionCount: 1)
    var windows: [Set<[UInt8]>] = []
    for _ in 0..<20 {
      var keys: Set<[UInt8]> = []
      for _ in 0..<50 { if let record = workload.next() { keys.insert(record.key) } }
      windows.append(keys)
    }
    // Ten at most, those that took their places, and records that are late.
    #expect(windows.allSatisfy { (2...35).contains($0.count) })
    #expect(windows.reduce(into: Set()) { $0.formUnion($1) }.count > 50)
  }

  @Test func `memory is bound by the conversations, not by the records`() {
    var options = WorkloadOptions(.small)
    options.largestGroup = 50
    var workload = Workload(seed: 1, options: options, partitionCount: 1)
    for _ in 0..<10_000 { _ = workload.next() }
    let early = kept(workload)
    for _ in 0..<40_000 { _ = workload.next() }
    #expect(early > 500)
    #expect(kept(workload) < early + early / 10)
  }

  private func kept(_ workload: Workload) -> Int {
    workload.conversations.reduce(0) { sum, conversation in
      sum + conversation.members.count + conversation.leavers.count + conversation.recent.count
    }
  }
}
