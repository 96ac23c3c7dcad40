import BrokerSupport
import Core
import Foundation
import GoldenRecords
import Lab
import Testing
import Worker

extension Integration {
  /// `ROLLCALL_BAD_RECORDS` says how many, `ROLLCALL_BAD_RECORDS_SEED` which ones.
  @Suite struct BadRecordTests {
    private static let count = Wish.number("ROLLCALL_BAD_RECORDS") ?? 5000
    private static let seed =
      Wish.number("ROLLCALL_BAD_RECORDS_SEED") ?? UInt64.random(in: 1...999_999)
    /// Between two records, in milliseconds: some wait, and some of those in vain.
    private static let step: Int64 = 100

    @Test("Random and mutated records are rejected as replay rejects them, and nothing crashes")
    func mutated() throws {
      let command = """
        ROLLCALL_BAD_RECORDS=\(Self.count) ROLLCALL_BAD_RECORDS_SEED=\(Self.seed) \
        swift test --disable-xctest --filter BadRecordTests
        """
      print("bad records: \(command)")
      let stage = try Stage(Integration.broker(), partitions: 1, timestamps: "CreateTime")
      let now = Int64(Date().timeIntervalSince1970 * 1000)
      let records = Self.records(before: now - 2 * Rules().grace)
      try stage.write(records)
      let worker = try WorkerProcess(stage, instance: "1")
      try Progress(stage).finish(within: .seconds(300))
      // What waits in vain falls due by the clock, for all of this is past.
      var verdict = Verdict(stage)
      try eventually("nothing waits any more", within: .seconds(60), every: .seconds(1)) {
        try stage.waitingRecords() == 0
      }
      try stage.end([worker])
      try verdict.checkState(clock: Instant(milliseconds: now))

      let codes = try stage.read(.rejected, headers: ["error.code"])[0].map { $0.headers[0] }
      let replayed = try Self.codesOfReplay(records, now: now, stage)
      #expect(Self.histogram(codes) == Self.histogram(replayed))
      #expect(Set(codes).count > 4, "the records are not all alike")
      print("bad records: \(records.count) records, rejected \(Self.histogram(codes))")
      try stage.strike()
    }

    private static func histogram(_ codes: [String]) -> [String: Int] {
      Dictionary(codes.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// Half of them good ones with one field changed, the others changed in every way.
    private static func records(before end: Int64) -> [TimedRecord] {
      var mutators = InputTopic.allCases.map { Mutator($0, seed: seed) }
      var random = SplitMix64(seed: seed)
      return (0..<count).map { index in
        let topic = InputTopic.allCases[Int.random(in: 0..<3, using: &random)]
        let mutator = Int(topic.rawValue)
        if index.isMultiple(of: 2) {
          mutators[mutator].changeOneField()
        } else {
          mutators[mutator].next()
        }
        return TimedRecord(
          topic: topic, partition: 0, key: mutators[mutator].key, value: mutators[mutator].value,
          timestamp: end - step * Int64(count - index))
      }
    }

    /// The codes of `rollcall replay`, fed with the same records in the same order.
    private static func codesOfReplay(
      _ records: [TimedRecord], now: Int64, _ stage: Stage
    ) throws -> [String] {
      var lines = Data()
      for record in records { lines.append(record.replayLine) }
      lines.append(Data("{\"tick\":\(now)}\n".utf8))
      let file = stage.folder.appending(path: "records.jsonl")
      try lines.write(to: file)
      let replay = try Command.run(["replay", file.path], in: stage.folder)
      try #require(replay.code == 0, "\(replay.errors)")
      return replay.output.split(separator: "\n").compactMap { line in
        let name = #""error.code":""#
        guard line.hasPrefix(#"{"topic":"rejected""#),
          let start = line.firstRange(of: name)?.upperBound
        else { return nil }
        return String(line[start...].prefix { $0 != "\"" })
      }
    }
  }
}

extension TimedRecord {
  /// The line that `replay` reads. The value stands in it as a string, byte for byte.
  fileprivate var replayLine: Data {
    var line = Data(#"{"topic":"\#(topic)","timestamp":\#(timestamp),"key":"#.utf8)
    line.append(Self.quoted(key))
    line.append(Data(#","raw":"#.utf8))
    line.append(Self.quoted(value ?? []))
    line.append(Data("}\n".utf8))
    return line
  }

  private static func quoted(_ bytes: [UInt8]?) -> Data {
    guard let bytes else { return Data("null".utf8) }
    var text = Data("\"".utf8)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        text.append(contentsOf: [UInt8(ascii: "\\"), byte])
      case 0..<0x20:
        text.append(Data("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8))
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
    return text
  }
}
