import Lab
import Testing
import Wire

@testable import Core

@Suite("The changelog form") struct ChangelogFormTests {
  @Test func `Gives back every piece as it was`() throws {
    var samples = StateSamples(seed: 1)
    for _ in 0..<5_000 {
      let change = samples.change()
      let (key, value) = encoded(change)
      #expect(try StateCodec.decode(key: key, value: value) == .change(change))
      let tombstone = try StateCodec.decode(key: key, value: nil)
      #expect(tombstone == .change(.removed(change.key)))
    }
  }

  @Test(arguments: [nil, Instant(milliseconds: -5)], [Rules.Threads.inline, .separate])
  func `Gives back the partition's record as it was`(streamTime: Instant?, threads: Rules.Threads)
    throws
  {
    let record = PartitionRecord(
      version: 1 << 40, writer: "wörker-1", nextOffsets: [0, .max, 77], streamTime: streamTime,
      nextTicket: 9, threads: threads, partitionCount: 12)
    let (key, value) = encoded(record)
    #expect(try StateCodec.decode(key: key, value: value) == .partition(record))
    #expect(throws: StateError.malformed) { try StateCodec.decode(key: key, value: nil) }
  }

  @Test func `Gives back all that a partition's record knows`() throws {
    for known in 0..<32 {
      let record = sample(known)
      let (key, value) = encoded(record)
      #expect(try StateCodec.decode(key: key, value: value) == .partition(record))
      let bytes = try #require(value)
      for length in 0..<bytes.count {
        #expect(throws: StateError.malformed) {
          try StateCodec.decode(key: key, value: Array(bytes[..<length]))
        }
      }
      #expect(throws: StateError.malformed) { try StateCodec.decode(key: key, value: bytes + [0]) }
    }
  }

  @Test func `Has the partition's record in the same bytes for ever`() throws {
    let second = encoded(sample(31)).value ?? []
    #expect(
      second == [
        2, 14, 1, 119, 2, 4, 6, 0, 24, 18, 1, 9, 31, 1, 103, 1, 2, 1, 0, 14, 16, 18, 20, 22, 24, 26,
        28, 1, 30, 1, 32, 1, 34, 0, 0, 36, 38, 40, 42, 44, 46, 48, 2, 0, 0, 0, 0, 0, 0, 0,
        89, 55, 45, 208, 56, 168, 151, 253,
      ])
    // What Rollcall 0.1.0 wrote.
    let first: [UInt8] = [1, 14, 1, 119, 2, 4, 6, 0, 24, 18, 1, 9]
    let record = PartitionRecord(
      version: 7, writer: "w", nextOffsets: [1, 2, 3], streamTime: Instant(milliseconds: -5),
      nextTicket: 9, threads: .inline, partitionCount: 12)
    #expect(try StateCodec.decode(key: [0], value: first) == .partition(record))
    #expect(throws: StateError.unknownVersion(3)) { try StateCodec.decode(key: [0], value: [3]) }
  }

  /// A partition's record that knows some of what it can know, as the bits say.
  private func sample(_ known: Int) -> PartitionRecord {
    var record = PartitionRecord(
      version: 7, writer: "w", nextOffsets: [1, 2, 3], streamTime: Instant(milliseconds: -5),
      nextTicket: 9, threads: .inline, partitionCount: 12)
    if known & 1 != 0 { record.group = "g" }
    if known & 2 != 0 {
      var rules = Rules()
      rules.leavers = .hold
      rules.receiptEvents = .none
      rules.unreadEvents = .requested
      rules.enhancedMessagingStatus = false
      rules.maxGroupMembers = 7
      rules.trackingWindow = 8
      rules.grace = 9
      rules.maxWaitingPerConversation = 10
      rules.maxWaitingPerPartition = 11
      rules.maxRecordBytes = 12
      record.rules = rules
      record.rulesSince = 13
    }
    if known & 4 != 0 { record.clockDistance = 14 }
    if known & 8 != 0 {
      var tally = StateTally()
      tally.add(key: [1, 2, 3].span)
      record.tally = tally
    }
    record.isClaim = known & 16 != 0
    record.lastApplied = [
      AppliedRecord(offset: 15, timestamp: Instant(milliseconds: 16)),
      AppliedRecord(offset: 17, timestamp: nil), nil,
    ]
    record.sequenceBase = 18
    record.lostRecords = [19, 20, 21]
    record.gaps = [22, 23, 24]
    return record
  }

  @Test func `Refuses every piece that is cut short or too long`() {
    var samples = StateSamples(seed: 2)
    for _ in 0..<300 {
      let (key, value) = encoded(samples.change())
      for length in 0..<key.count {
        #expect(throws: StateError.malformed) {
          try StateCodec.decode(key: Array(key[..<length]), value: value)
        }
      }
      #expect(throws: StateError.malformed) { try StateCodec.decode(key: key + [0], value: value) }
      guard let value else { continue }
      for length in 0..<value.count {
        #expect(throws: StateError.malformed) {
          try StateCodec.decode(key: key, value: Array(value[..<length]))
        }
      }
      #expect(throws: StateError.malformed) { try StateCodec.decode(key: key, value: value + [0]) }
    }
  }

  @Test func `Reads changed bytes as another piece or not at all`() {
    var samples = StateSamples(seed: 3)
    var random = SplitMix64(seed: 4)
    var pieces = 0
    var refused = 0
    for _ in 0..<5_000 {
      var (key, value) = encoded(samples.change())
      key.mutate(using: &random)
      value?.mutate(using: &random)
      do {
        guard case .change(let change) = try StateCodec.decode(key: key, value: value) else {
          continue
        }
        pieces += 1
        let again = encoded(change)
        #expect(again.key == key)
        #expect(try StateCodec.decode(key: again.key, value: again.value) == .change(change))
      } catch {
        refused += 1
      }
    }
    #expect(pieces > 500 && refused > 500)
  }

  @Test func `Refuses a version and a kind that it does not know`() {
    var (key, value) = encoded(.conversation(conversation()))
    value?[0] = 2
    #expect(throws: StateError.unknownVersion(2)) { try StateCodec.decode(key: key, value: value) }
    key[0] = 77
    #expect(throws: StateError.unknownKind(77)) { try StateCodec.decode(key: key, value: value) }
    #expect(throws: StateError.malformed) { try StateCodec.decode(key: [], value: []) }
  }

  @Test func `Orders the keys of a conversation by number`() {
    let ids: [Int64] = [0, 1, 2, 255, 256, 257, 65_535, 65_536, 1 << 40, .max]
    let keys = ids.map { encoded(.removed(.message(Array("group_g1".utf8), id: $0))).key }
    #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test func `Is small for a member whose watermark moves, however far`() {
    var member = MemberState(
      conversation: Array("group_g1".utf8), slot: 3, uid: Array("u2".utf8), scope: .participant,
      periods: [Period(beginId: 38_200, beginSequence: 1_000_000, isExempt: false)])
    member.progress.read.upTo = 38_201
    member.progress.read.upToAt = Instant(milliseconds: 1_771_586_990_000)
    let near = encoded(.member(member))
    member.progress.read.upTo = 48_201
    let far = encoded(.member(member))
    #expect(near.key.count == 12)
    #expect(near.value?.count == 23)
    #expect(far.value?.count == 25)
  }

  private func conversation() -> ConversationState {
    ConversationState(
      conversation: Array("group_g1".utf8), roster: .known, firstRosterId: 1, largeFloor: nil,
      highestExpiredId: 0, lastRecordAt: nil)
  }
}

/// The record of a piece.
func encoded(_ change: Change) -> (key: [UInt8], value: [UInt8]?) {
  var records = EncodedRecords()
  StateCodec.encode(change, into: &records)
  return records.first
}

/// The record of a partition.
func encoded(_ partition: PartitionRecord) -> (key: [UInt8], value: [UInt8]?) {
  var records = EncodedRecords()
  StateCodec.encode(partition, into: &records)
  return records.first
}

extension EncodedRecords {
  fileprivate var first: (key: [UInt8], value: [UInt8]?) {
    let record = records[0]
    return (record.key.map { Array(bytes[$0]) } ?? [], record.value.map { Array(bytes[$0]) })
  }
}

extension [UInt8] {
  /// Changes, drops or adds a byte, or does nothing.
  fileprivate mutating func mutate(using random: inout SplitMix64) {
    guard let index = indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: remove(at: index)
    case 1: insert(UInt8.random(in: .min ... .max, using: &random), at: index)
    case 2: self[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    default: break
    }
  }
}
