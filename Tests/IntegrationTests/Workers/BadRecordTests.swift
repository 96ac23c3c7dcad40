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
      tell("bad records: \(command)")
      let stage = try Stage(Broker.shared(), partitions: 1, timestamps: "CreateTime")
      let now = Int64(Date().timeIntervalSince1970 * 1000)
      // The last one moves stream time so far that what waits in vain falls due.
      let records =
        Self.records(before: now - 2 * Rules().grace) + [
          TimedRecord(
            topic: .deletes, partition: 0, key: Array("group_g1".utf8), value: Array("{".utf8),
            timestamp: now)
        ]
      try stage.write(records)
      let worker = try WorkerProcess(stage, instance: "1")
      try Progress(stage).finish(within: .seconds(300))
      let verdict = try Verdict(stage, ["--wait", "60s"])
      try stage.end([worker])
      verdict.expectRight(announced: 0)
      let codes = try Self.codesOfReplay(records, stage)
      #expect(verdict.rejections == Dictionary(codes.map { ($0, 1) }, uniquingKeysWith: +))
      #expect(verdict.rejections.count > 4, "the records are not all alike")
      tell("bad records: \(records.count) records, rejected \(verdict.rejections)")
      try stage.strike()
    }

    /// Half of them good ones with one field changed, the others changed in every way.
    private static func records(before end: Int64) -> [TimedRecord] {
      var mutators = InputTopic.allCases.map { Mutator($0, seed: seed) }
      var random = SplitMix64(seed: seed)
      return (0..<count).map { index in
        let topic = InputTopic.allCases[Int.random(in: 0..<3, using: &random)]
        let mutator = Int(topic.rawValue)
        if index == count / 2 {
          return tooLarge(topic, end - step * Int64(count - index))
        } else if index.isMultiple(of: 2) {
          mutators[mutator].changeOneField()
        } else {
          mutators[mutator].next()
        }
        return TimedRecord(
          topic: topic, partition: 0, key: mutators[mutator].key, value: mutators[mutator].value,
          timestamp: end - step * Int64(count - index))
      }
    }

    /// A record above the limit that every rule has.
    private static func tooLarge(_ topic: InputTopic, _ timestamp: Int64) -> TimedRecord {
      TimedRecord(
        topic: topic, partition: 0, key: Array("group_g1".utf8),
        value: [UInt8](repeating: UInt8(ascii: "["), count: Rules().maxRecordBytes + 1),
        timestamp: timestamp)
    }

    /// The codes of `rollcall replay`, fed with the same records in the same order.
    private static func codesOfReplay(_ records: [TimedRecord], _ stage: Stage) throws -> [String] {
      var lines = Data()
      for record in records { lines.append(contentsOf: record.replayLine) }
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
  fileprivate var replayLine: [UInt8] {
    Array(#"{"topic":"\#(topic)","timestamp":\#(timestamp),"key":"#.utf8)
      + (key.map(Self.quoted) ?? Array("null".utf8))
      + Array(#","raw":"#.utf8) + Self.quoted(value ?? []) + Array("}\n".utf8)
  }

  private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
    var text = [UInt8(ascii: "\"")]
    text.reserveCapacity(bytes.count + 2)
    for byte in bytes {
      if byte < 0x20 {
        text += Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
      } else {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
          text.append(UInt8(ascii: "\\"))
        }
        text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
    return text
  }
}
