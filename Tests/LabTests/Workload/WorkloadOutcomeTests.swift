import Core
import Lab
import Testing
import Wire

/// The workload through the engine: everything that it is made for happens, and nothing else.
@Suite("What comes of a workload") struct WorkloadOutcomeTests {
  @Test(arguments: WorkloadPreset.allCases)
  func `every preset has messages delivered to all and read by all`(_ preset: WorkloadPreset) {
    var options = WorkloadOptions(preset)
    // The same shape in less time.
    options.maxGroupMembers = 40
    options.groups = min(options.groups, 10)
    options.smallestGroup = min(options.smallestGroup, 30)
    options.pairs = min(options.pairs, 10)
    options.burst = min(options.burst, 50)
    var run = WorkloadRun(seed: 1, options: options)
    run.apply(6000)
    #expect(run.deliveredToAll > 100, "\(preset)")
    #expect(run.readByAll > 50)
    #expect(run.readByAll < run.deliveredToAll)
  }

  @Test func `a dirty workload is rejected for each reason, and each cause completes messages`() {
    var options = WorkloadOptions(.dirty)
    options.maxGroupMembers = 30
    options.groups = 12
    options.pairs = 4
    options.churn = Share(percent: 90)
    options.crowds = Share(percent: 40)
    // Late enough that all have read what was sent after it.
    options.lateRecords = 400
    options.silent = Share(percent: 4)
    options.bad = Share(percent: 4)
    options.oversized = Share(percent: 0.01)
    var run = WorkloadRun(seed: 5, options: options)
    run.apply(30_000)
    run.finish()
    let codes = Set(ErrorCode.allCases).subtracting([.skipped, .idInUse])
    #expect(codes.subtracting(run.rejections.keys) == [])
    #expect(run.causes == Set(0...6))
    #expect(run.trackings == Set(Tracking.allCases).subtracting([.endedExpired]))
    #expect(run.threads > 100 && run.unread > 100)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `nothing is rejected where nothing is forged or bad`(_ seed: UInt64) {
    var options = WorkloadOptions(.dirty)
    options.maxGroupMembers = 30
    options.forged = Share(percent: 0)
    options.bad = Share(percent: 0)
    options.oversized = Share(percent: 0)
    var run = WorkloadRun(seed: seed, options: options)
    run.apply(15_000)
    run.finish()
    #expect(run.rejections.filter { $0.key != .messageAlreadyDeleted } == [:])
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
  func `the order between the topics does not matter`(_ topics: [UInt8]) {
    var options = WorkloadOptions(.dirty)
    options.maxGroupMembers = 20
    // Not so where a message is deleted, or where a crowd passes twice the cap: the two exceptions.
    options.deletes = Share(percent: 0)
    options.bad = Share(percent: 0)
    options.crowds = Share(percent: 0)
    options.groups = 10
    var workload = Workload(seed: 9, options: options, partitionCount: 1)
    var records: [WorkloadRecord] = []
    for _ in 0..<4000 { if let record = workload.next() { records.append(record) } }
    workload.end()
    while let record = workload.next() { records.append(record) }
    var expected = WorkloadRun(seed: 9, options: options)
    for record in records { expected.apply(record) }
    expected.finish()
    var run = WorkloadRun(seed: 9, options: options)
    for topic in topics {
      for record in records where record.topic.rawValue == topic { run.apply(record) }
    }
    run.finish()
    #expect(expected.announced.count > 300)
    #expect(expected.announced.values.allSatisfy { $0 == 1 })
    #expect(run.announced == expected.announced)
    #expect(run.rejections == expected.rejections)
  }
}
