import Testing

@testable import Oracle
@testable import rollcall

@Suite("The verdict of verify") struct VerifyReportTests {
  @Test func `what did not come, and is explained, is not said to have come`() {
    var report = VerifyReport()
    report.verdict.count(.expected, 4)
    report.verdict.use(.noTimestamp)
    let conclusion =
      "PASSED: 0 of 4 announcements came exactly once, the others need not have come "
      + "(1 exceptions granted)"
    #expect(report.text.hasSuffix(conclusion))
    report.verdict.count(.announced, 4)
    #expect(report.text.contains("\nPASSED: every announcement came exactly once (1 exceptions"))
  }

  @Test func `the verdict is one line of JSON, whose members stand in their order`() {
    var report = VerifyReport()
    report.recordsRead = 12
    report.elapsed = .milliseconds(1250)
    for code in ["ERR_B", "ERR_A", "ERR_B"] { report.verdict.count(rejection: code) }
    for _ in 0..<3 { report.verdict.use(.secondLimit) }
    #expect(
      report.json
        == #"{"verdict":"passed","partitions":0,"messages":0,"receipts":0,"deletes":0,"#
        + #""notApplied":0,"expected":0,"announced":0,"missing":0,"doubled":0,"wrong":0,"#
        + #""early":0,"disordered":0,"badCounts":0,"badRejections":0,"#
        + #""rejections":{"ERR_A":1,"ERR_B":2},"exceptions":{"secondLimit":3},"reordered":0,"#
        + #""statePieces":0,"stateFaults":0,"recordsRead":12,"seconds":1.25}"#)
  }
}
