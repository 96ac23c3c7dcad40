import Core
import Testing

@testable import Lab
@testable import rollcall

@Suite("What load writes as JSON") struct LoadSummaryTests {
  private func summary(_ settings: LoadSettings, _ counts: LoadMeter.Counts) -> LoadSummary {
    LoadSummary(
      settings: settings, partitionCount: 3, counts: counts, elapsed: .milliseconds(2500),
      processorTime: 1250, endedBy: "records", undelivered: 1)
  }

  @Test func `the summary is one line, whose members stand in their order`() {
    var settings = LoadSettings()
    settings.group = "pool"
    var counts = LoadMeter.Counts()
    counts.records = 100
    counts.bytes = 4321
    counts.byTopic = [60, 30, 10]
    let nothing = #""p50Milliseconds":null,"p99Milliseconds":null,"maxMilliseconds":null"#
    let start =
      #"{"preset":"small","seed":1,"partitions":3,"endedBy":"records","records":100,"#
      + #""messages":60,"receipts":30,"deletes":10,"bytes":4321,"undelivered":1,"seconds":2.5,"#
      + #""recordsPerSecond":40,"processorSeconds":1.25"#
    #expect(
      summary(settings, counts).json
        == start + #","announced":0,"measured":0,"# + nothing + #","lag":null}"#)
    counts.endToEnd.add(5)
    counts.announced = 2
    counts.lag = 7
    #expect(
      summary(settings, counts).json
        == start + #","announced":2,"measured":1,"p50Milliseconds":5,"p99Milliseconds":5,"#
        + #""maxMilliseconds":5,"lag":7}"#)
    settings.group = ""
    settings.seesEndToEnd = false
    #expect(summary(settings, counts).json == start + "}")
  }

  @Test func `a record is a line that replay reads; what is not UTF-8 in it is U+FFFD`() {
    let record = WorkloadRecord(
      topic: .receipts, partition: 0, key: Array("a\"\\\t\n\u{1}é".utf8) + [0xFF],
      value: Array("{}".utf8), time: Instant(milliseconds: 1500))
    var text: [UInt8] = []
    LoadPrint.write(record, to: &text)
    #expect(
      String(decoding: text, as: UTF8.self)
        == #"{"topic":"receipts","timestamp":1500,"key":"a\"\\\u0009\u000a\u0001é"#
        + "\u{FFFD}" + #"","raw":"{}"}"# + "\n")
  }
}
