import Core
import Testing

@testable import Worker
@testable import rollcall

@Suite("Records that an operator has skipped") struct SkipLogTests {
  private let log = RecordedLog()

  private func skip(_ partition: Int32, _ offset: Int64) -> WorkerConfiguration.Skip {
    .init(topic: .receipts, partition: partition, offset: offset)
  }

  private func line(_ level: String, _ partition: Int, _ offset: Int, _ reason: String) -> String {
    #""level":"\#(level)","message":"a --skip says nothing","topic":"chat.receipts","#
      + #""partition":\#(partition),"offset":\#(offset),"reason":"\#(reason)"}"#
  }

  @Test func `Each that does nothing is told, with the reason; one that is used is told once`() {
    let skips: Set = [skip(0, 1), skip(0, 2), skip(1, 5), skip(2, 7), skip(99, 3)]
    let skipLog = SkipLog(skips, TopicNames(), partitionCount: 3, log.logger)
    #expect(log.take() == [line("warning", 99, 3, "there is no such partition")])
    var report = StepReport()
    report.occurrences = [.taken([0, 1], kept: [])]
    report.skipsPassed = [skip(0, 1)]
    report.skipped = [skip(0, 2)]
    for _ in 0..<2 { skipLog.note(report) }
    #expect(
      log.take() == [
        #""level":"info","message":"a record is rejected unread, as --skip says","#
          + #""topic":"chat.receipts","partition":0,"offset":2}"#,
        line("warning", 0, 1, "the pool has passed it"),
      ])
    skipLog.tellUnused()
    #expect(
      log.take() == [
        line("warning", 1, 5, "it has not come"),
        line("info", 2, 7, "this worker never had the partition"),
      ])
  }
}
