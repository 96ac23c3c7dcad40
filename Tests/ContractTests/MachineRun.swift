import Core
import Wire
import Worker

@testable import Histories
@testable import Oracle

/// A machine that lines are applied to, as `rollcall replay` does it, whose state can be looked at.
struct MachineRun: ~Copyable {
  var machine: Machine
  private var engine: Engine
  private var line = ReplayLine()
  private var lines: Int64
  /// The live pieces, as a worker keeps count of them.
  private var tally = StateTally()
  /// What the last transaction said of the partition.
  private(set) var partition: PartitionRecord?

  init(_ machine: Machine, lines: Int64 = 0) {
    self.machine = machine
    self.lines = lines
    engine = Engine(rules: machine.rules)
  }

  /// Goes on from another machine's state, at the same line.
  func with(_ machine: Machine) -> MachineRun { MachineRun(machine, lines: lines) }

  /// Applies one line and gives what is written, byte for byte.
  mutating func write(_ text: Bytes) throws -> [UInt8] {
    defer { lines += 1 }
    switch try line.read(text.bytes.span) {
    case .empty: return []
    case .tick(let instant): _ = engine.tick(&machine, to: instant)
    case .record(let topic): engine.apply(line, topic, offset: lines, to: &machine)
    }
    var written: [UInt8] = []
    engine.records.appendLines(input: lines, to: &written)
    return written
  }

  /// The whole state as the changelog has it, sorted by key.
  func state() -> [ChangelogRecord] {
    var records = EncodedRecords()
    machine.forEachPiece { piece in StateCodec.encode(piece, into: &records) }
    return ChangelogRecord.all(in: records).sorted { $0.key < $1.key }
  }

  /// What has changed since the last call, as a transaction writes it.
  mutating func changes() -> [ChangelogRecord] {
    var changes: [ChangelogRecord] = []
    engine.drain(&machine, &tally) { changes += ChangelogRecord.all(in: $0) }
    var record = PartitionRecord(
      version: lines, writer: "test", nextOffsets: [lines, lines, lines],
      streamTime: machine.streamTime, nextTicket: machine.nextTicket,
      threads: machine.rules.threads, partitionCount: 1)
    record.tally = tally
    partition = record
    engine.encode(record)
    return changes + ChangelogRecord.all(in: engine.records)
  }
}

/// One record of the changelog; without a value it is a tombstone.
struct ChangelogRecord: Equatable {
  var key: Bytes
  var value: Bytes?

  /// The last record of each key, the keys in a random order.
  static func compacted(
    _ log: [ChangelogRecord], _ random: inout HistoryRandom
  ) -> [ChangelogRecord] {
    var last: [Bytes: ChangelogRecord] = [:]
    for record in log { last[record.key] = record }
    return last.values.sorted { $0.key < $1.key }.shuffled(using: &random)
  }

  /// What the records are, before a machine is filled with them.
  static func folded(_ log: [ChangelogRecord]) throws -> StateFold {
    var fold = StateFold()
    for record in log { try fold.take(key: record.key.bytes.span, value: record.value?.bytes.span) }
    return fold
  }

  /// The machine that the records give, and what they say of the partition.
  static func fold(
    _ log: [ChangelogRecord], _ rules: Rules
  ) throws -> (machine: Machine, partition: PartitionRecord?) {
    var fold = try folded(log)
    let tally = fold.tally
    let restored = try fold.finish(rules: rules, partition: 0)
    // The pieces were counted as they were written.
    guard restored.partition?.tally == tally else { throw Miscounted() }
    return restored
  }

  /// A changelog whose last record tells other numbers of pieces than there are.
  struct Miscounted: Error {}

  static func all(in records: borrowing EncodedRecords) -> [ChangelogRecord] {
    records.records.compactMap { record in
      guard let key = record.key else { return nil }
      return ChangelogRecord(
        key: Bytes(records.bytes[key]), value: record.value.map { Bytes(records.bytes[$0]) })
    }
  }
}
