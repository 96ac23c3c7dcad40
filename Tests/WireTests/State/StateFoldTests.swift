import Testing
import Wire
import Worker

@testable import Core

@Suite("Folding the changelog") struct FoldingChangelogTests {
  @Test func `Gives the live state from the whole log and from the compacted one`() throws {
    var history = try History()
    for (step, line) in history.lines.enumerated() {
      history.apply(line, offset: Int64(step))
      for log in [history.log, history.compacted] {
        var fold = StateFold()
        for record in log { try fold.take(key: record.key.span, value: record.value?.span) }
        #expect(fold.tally == history.tally)
        let restored = try fold.finish(rules: Rules(), partition: 0)
        #expect(restored.partition == history.partitionRecord)
        #expect(pieces(of: restored.machine) == pieces(of: history.machine))
        #expect(restored.machine.streamTime == history.machine.streamTime)
        #expect(restored.machine.nextTicket == history.machine.nextTicket)
      }
    }
    #expect(pieces(of: history.machine).contains { $0.key[0] == 5 }, "something waits at the end")
  }

  @Test func `Fills the machine in pieces of any size, and it is the same one`() throws {
    var history = try History()
    for (step, line) in history.lines.enumerated() { history.apply(line, offset: Int64(step)) }
    for size in [1, 2, 7, 1000] {
      for log in [history.log, history.compacted, history.log.shuffledTails] {
        var fold = StateFold()
        for record in log { try fold.take(key: record.key.span, value: record.value?.span) }
        let live = fold.count
        var calls = 0
        var restored: (machine: Machine, partition: PartitionRecord?)?
        while restored == nil {
          var budget = size
          restored = try fold.fill(rules: Rules(), partition: 0, on: &budget)
          calls += 1
          // One piece too much at most.
          #expect(budget > -512)
          #expect(restored != nil || fold.count + fold.counted == live)
        }
        #expect(size == 1000 || calls > 10)
        #expect(restored?.partition == history.partitionRecord)
        let machine = try #require(restored?.machine)
        #expect(pieces(of: machine) == pieces(of: history.machine))
        #expect(machine.violations() == [])
      }
    }
  }

  @Test func `Gives an empty machine from an empty log`() throws {
    var fold = StateFold()
    let restored = try fold.finish(rules: Rules(), partition: 4)
    #expect(restored.partition == nil)
    #expect(restored.machine.partition == 4)
    #expect(pieces(of: restored.machine).isEmpty)
  }

  @Test func `Keeps no more than the live pieces`() throws {
    var fold = StateFold()
    let (key, value) = encoded(.removed(.waiting(ticket: 1)))
    for _ in 0..<10 { try fold.take(key: key.span, value: [1].span) }
    #expect(fold.count == 1)
    #expect(value == nil)
    try fold.take(key: key.span, value: nil)
    #expect(fold.count == 0)
  }

  @Test func `Refuses what it does not understand`() throws {
    var fold = StateFold()
    #expect(throws: StateError.malformed) { try fold.take(key: nil, value: [1].span) }
    try fold.take(key: [1, 0].span, value: [9].span)
    #expect(throws: StateError.unknownVersion(9)) {
      try fold.finish(rules: Rules(), partition: 0)
    }
  }

  @Test func `Refuses a waiting record that is none`() throws {
    var fold = StateFold()
    let waiting = WaitingState(
      ticket: 0, source: Coordinates(topic: .receipts, partition: 0, offset: 0, timestamp: nil),
      key: Array("group_g1".utf8), value: Array("{".utf8), appliedAt: Instant(milliseconds: 0),
      missing: [0], eventsSoFar: 0)
    let (key, value) = encoded(.waiting(waiting))
    try fold.take(key: key.span, value: value?.span)
    #expect(throws: StateError.malformed) { try fold.finish(rules: Rules(), partition: 0) }
  }
}

/// A small history of a group, and the changelog that it leaves.
private struct History {
  struct Record {
    var key: [UInt8]
    var value: [UInt8]?
  }

  var machine = Machine(partition: 0, rules: Rules())
  var log: [Record] = []
  var partitionRecord: PartitionRecord?
  var tally = StateTally()
  let lines: [(topic: InputTopic, value: String)]

  init() throws {
    let group = #""receiverId": "g1", "receiverType": "group""#
    func member(_ id: Int, _ action: String, _ uids: String...) -> (InputTopic, String) {
      let named = uids.map { #"{"uid": "\#($0)"}"# }.joined(separator: ", ")
      return (
        .messages,
        """
        {"id": \(id), "category": "action", "type": "groupMember", "action": "\(action)", \
        "actionOn": [\(named)], \(group), "sentAt": \(id)}
        """
      )
    }
    func message(_ id: Int, from uid: String) -> (InputTopic, String) {
      (
        .messages,
        """
        {"id": \(id), "messageUId": "m\(id)", "sender": {"uid": "\(uid)"}, "category": "message", \
        \(group), "sentAt": \(id)}
        """
      )
    }
    func receipt(_ uid: String, _ type: String, _ covers: String) -> (InputTopic, String) {
      (
        .receipts,
        #"{"receiptType": "\#(type)", "sender": {"uid": "\#(uid)"}, \#(group), \#(covers)}"#
      )
    }
    lines = [
      message(1, from: "a"), member(2, "roster", "a", "b", "c", "d"), message(3, from: "a"),
      receipt("b", "delivered", #""messageId": 3"#), receipt("c", "read", #""messageIds": [3, 8]"#),
      message(4, from: "b"), receipt("e", "read", #""messageId": 4"#),
      receipt("d", "read", #""messageId": 4"#), receipt("b", "read", #""messageUIds": ["m3"]"#),
      member(5, "left", "c"), member(6, "added", "e"), message(8, from: "d"),
      receipt("a", "read", #""conversation": true, "readAt": 7"#),
      receipt("a", "delivered", #""messageId": 99"#),
    ]
  }

  /// The last record of each key, in the order of the log, tombstones gone.
  var compacted: [Record] {
    var last: [[UInt8]: Int] = [:]
    for (index, record) in log.enumerated() { last[record.key] = index }
    return log.enumerated().filter { last[$1.key] == $0 && $1.value != nil }.map(\.element)
  }

  mutating func apply(_ line: (topic: InputTopic, value: String), offset: Int64) {
    let key = Array("group_g1".utf8)
    let value = Array(line.value.utf8)
    var engine = Engine(rules: Rules())
    let coordinates = Coordinates(
      topic: line.topic, partition: 0, offset: offset,
      timestamp: Instant(milliseconds: 10_000 + offset))
    engine.apply(
      coordinates, key: key.span, value: value.span, to: &machine, clock: .distantFuture)
    if case .invalid = engine.event.body { Issue.record("\(engine.event.line): \(line.value)") }
    var pieces: [Record] = []
    engine.drain(&machine, &tally) { pieces += Self.records(of: $0) }
    log += pieces
    var partition = PartitionRecord(
      version: offset, writer: "w", nextOffsets: [offset, 0, 0], streamTime: machine.streamTime,
      nextTicket: machine.nextTicket, threads: .inline, partitionCount: 1)
    partition.tally = tally
    engine.encode(partition)
    partitionRecord = partition
    log += Self.records(of: engine.records)
  }

  private static func records(of encoded: borrowing EncodedRecords) -> [Record] {
    encoded.records.compactMap { record in
      guard let key = record.key else { return nil }
      return Record(
        key: Array(encoded.bytes[key]), value: record.value.map { Array(encoded.bytes[$0]) })
    }
  }
}

extension [History.Record] {
  /// The last records of all keys, in another order than they were written in.
  fileprivate var shuffledTails: [History.Record] {
    var last: [[UInt8]: History.Record] = [:]
    for record in self { last[record.key] = record }
    return last.values.sorted { $1.key.lexicographicallyPrecedes($0.key) }
  }
}

/// The state of a machine, in the changelog's form.
private func pieces(of machine: Machine) -> [Piece] {
  var pieces: [Piece] = []
  machine.forEachPiece { change in
    let (key, value) = encoded(change)
    pieces.append(Piece(key: key, value: value))
  }
  return pieces
}

private struct Piece: Equatable {
  var key: [UInt8]
  var value: [UInt8]?
}
