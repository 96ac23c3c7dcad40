import Core
import Testing

@testable import Worker
@testable import rollcall

@Suite("What a shard's steps did, in the log") struct StepLogTests {
  private let log = RecordedLog()
  private let start = Instant(milliseconds: 1_771_586_990_000)
  private var steps: StepLog
  private var status = WorkerStatus()

  init() {
    var settings = WorkerSettings()
    settings.instanceId = "a"
    steps = StepLog(log.logger, settings, shard: 0, partitions: 3, now: start)
  }

  private mutating func note(
    _ occurrences: [Occurrence] = [], at milliseconds: Int64 = 0, taking duration: Int64 = 0,
    _ adjust: (inout StepReport) -> Void = { _ in }
  ) -> [String] {
    var report = StepReport()
    report.occurrences = occurrences
    adjust(&report)
    let now = start.advanced(byMilliseconds: milliseconds)
    let status = status
    steps.note(report, from: now, to: now.advanced(byMilliseconds: duration)) { status }
    return log.take()
  }

  @Test("The group is joined once, and partitions that a recovery takes again are told once")
  mutating func taken() {
    #expect(
      note([.taken([0, 1], kept: [])]) == [
        #""level":"info","message":"joined the group","group":"rollcall","member":"a-0","#
          + #""partitions":2}"#,
        #""level":"info","message":"partitions taken","partitions":[0,1],"kept":[]}"#,
      ])
    #expect(note([.taken([0, 1], kept: [0, 1])]) == [])
    #expect(note([.givenUp([0, 1], lost: false)]).count == 1)
    #expect(
      note([.taken([0, 1], kept: [0, 1])]) == [
        #""level":"info","message":"partitions taken","partitions":[0,1],"kept":[0,1]}"#
      ])
  }

  @Test mutating func `A member without partitions says once that it stands by`() {
    let standBy: (inout StepReport) -> Void = { $0.isStandingBy = true }
    #expect(
      note([], standBy) == [
        #""level":"info","message":"joined the group","group":"rollcall","member":"a-0","#
          + #""partitions":0}"#,
        #""level":"info","message":"standing by: other members have all partitions","#
          + #""partitions":3}"#,
      ])
    #expect(note([.givenUp([], lost: false)], standBy).count == 1)
    #expect(note([], standBy) == [])
  }

  @Test
  mutating func `A restore tells its rate since its beginning, and its end counts the last step`() {
    status.restores = [
      RestoreProgress(
        partition: 1, phase: .reading, startedAt: start, position: 0, target: 1_000_000,
        records: 0, pieces: 0, counted: 0)
    ]
    #expect(
      note([.taken([1], kept: [])]).last
        == #""level":"info","message":"restoring","partition":1,"phase":"reading","records":0,"#
        + #""left":1000000,"recordsPerSecond":0,"pieces":0,"counted":0}"#)
    status.restores[0].position = 800_000
    status.restores[0].records = 600_000
    status.restores[0].pieces = 100_000
    #expect(
      note(at: 12_000).first
        == #""level":"info","message":"restoring","partition":1,"phase":"reading","#
        + #""records":600000,"left":200000,"recordsPerSecond":50000,"pieces":100000,"counted":0}"#)
    status.restores = []
    let end = note([.restored(1, records: 800_000, milliseconds: 13_000)], at: 13_000, taking: 2500)
    #expect(
      end.first
        == #""level":"info","message":"partition restored","partition":1,"records":800000,"#
        + #""milliseconds":15500}"#)
  }

  @Test("A partition that is taken over names both groups, and a takeover in vain is a warning")
  mutating func takeover() {
    #expect(
      note([]) { $0.takenOver = [StateMove(partition: 2, from: "former")] } == [
        #""level":"info","message":"partition taken over from another group","partition":2,"#
          + #""from":"former","group":"rollcall"}"#
      ])
    let vain = note([]) { $0.vainTakeover = "former" }
    #expect(vain.count == 1)
    #expect(
      vain.first?.hasPrefix(
        #""level":"warning","message":"nothing to take over","from":"former","group":"rollcall""#)
        == true)
  }

  @Test("A busy worker speaks each 10 s, an idle one each minute, and names what is stopped")
  mutating func working() {
    status.partitions = [0, 2]
    status.lagRecords = 12
    status.conversations = 3
    status.messages = 40
    status.openMessages = 5
    status.waitingRecords = 1
    status.stopped = [.init(partition: 2, fault: .unreadableState("truncated"))]
    status.pinned = [
      PinnedLane(lane: Lane(.receipts, 0), stableOffset: 10, endOffset: 17, since: start)
    ]
    #expect(note(at: 9999) { $0.inputRecords[.messages] = 5 } == [])
    let busy = note(at: 10_000) { $0.outputRecords = 7 }
    #expect(busy.count == 1)
    #expect(
      busy[0].contains(
        #""working","inputRecords":5,"outputRecords":7,"recordsPerSecond":0,"partitions":2,"#
          + #""lagRecords":12,"conversations":3,"messages":40,"openMessages":5,"#
          + #""waitingRecords":1,"#
      ))
    #expect(
      busy[0].contains(
        #""heldBackRecords":7,"heldBack":["chat.receipts 0: 10 to 17 since "#
          + #"2026-02-20T11:29:50.000Z"]"#))
    #expect(busy[0].contains(#""stopped":["2: unreadable_state"]"#))
    #expect(busy[0].contains(#""memoryBytes":"#))
    #expect(note(at: 69_999) == [])
    let idle = note(at: 70_000)
    #expect(idle.count == 1)
    #expect(idle[0].contains(#""inputRecords":0"#))
    #expect(
      idle[0].contains(#""conversations":3,"messages":40,"openMessages":5,"waitingRecords":1,"#))
  }

  @Test mutating func `What a topic refuses each time is an error, with its remedy`() {
    let failure = LogFailure(.abort, label: "msg_size_too_large", detail: "d")
    #expect(
      note([.failed(failure)]) == [
        #""level":"error","message":"a transaction failed and is done again","next":"abort","#
          + #""reason":"msg_size_too_large","detail":"d","#
          + #""remedy":"raise the max.message.bytes of the topic that it names"}"#
      ])
  }

  @Test mutating func `A transaction that fails again and again is told each 10 s`() {
    let failure = Occurrence.failed(LogFailure(.rebuild, label: "fenced", detail: "d"))
    let lines = note([failure])
    #expect(lines.count == 1)
    #expect(
      lines.first?.hasSuffix(
        #""detail":"d","remedy":"see that no other worker has the --instance-id of a-0"}"#)
        == true)
    #expect(note([failure], at: 9000).count == 0)
    #expect(note([failure], at: 9500) == [])
    #expect(note([failure], at: 19_000).count == 1)
  }
}
