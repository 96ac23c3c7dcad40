import Core
import Testing
import Wire
import Worker

/// A year of a small pool's traffic: what a machine holds, and what its changelog holds, is as much
/// after the last month as after the second.
@Suite struct SoakTests {
  /// What becomes of the changes that a machine notes.
  enum Journal: CaseIterable { case none, drained, folded }

  @Test(arguments: Journal.allCases)
  func `nothing that a machine holds grows for ever`(_ journal: Journal) throws {
    for threads in Rules.Threads.allCases {
      let year = Year(threads: threads, isJournaled: journal != .none)
      var early: (census: Census, pieces: Int)?
      for day in stride(from: 0, to: 360, by: 3) {
        year.live(day)
        if journal != .none { try year.drain(intoFold: journal == .folded) }
        guard day % 30 == 27 else { continue }
        let month = day / 30 + 1
        if month == 2 { early = (year.machine.census(), year.live.count) }
        if month % 6 == 0 { #expect(year.machine.violations() == []) }
        if month == 6, journal == .folded { try year.restore() }
      }
      let before = try #require(early)
      #expect(year.machine.census().growth(since: before.census, slack: 40) == [])
      #expect(year.live.count <= before.pieces + 10)
      #expect(year.rejections < year.records / 4)
      #expect(year.records > 5000)
    }
  }
}

/// The traffic of a year, a day at a time.
private final class Year {
  private static let day: Int64 = 24 * 60 * 60 * 1000

  var machine: Machine
  /// The last value of each key of the changelog.
  var live: [[UInt8]: [UInt8]] = [:]
  private(set) var records = 0
  private(set) var rejections = 0
  private let rules: Rules
  private var engine: Engine
  private var tally = StateTally()
  private var now: Int64 = 0
  private var lastId: Int64 = 0

  init(threads: Rules.Threads, isJournaled: Bool) {
    var rules = Rules()
    rules.maxGroupMembers = 3
    rules.trackingWindow = 15 * Self.day
    rules.threads = threads
    self.rules = rules
    machine = Machine(partition: 0, rules: rules, isJournaled: isJournaled)
    engine = Engine(rules: rules, isEncoding: false)
  }

  /// The traffic of one day.
  func live(_ day: Int) {
    now = Int64(day) * Self.day
    steady(day)
    crowd(day)
    unknown(day)
    passing(day)
    direct(day)
  }

  /// A group that lasts; each day one comes and another goes.
  private func steady(_ day: Int) {
    if day == 0 { membership("roster", "A", "B", in: "steady") }
    membership("added", "d\(day)", in: "steady")
    let parent = message(from: "A", in: "steady", #""messageUId":"m\#(day)""#)
    let reply = message(from: "B", in: "steady", #""parentMessageId":\#(parent)"#)
    receipt("read", #""messageId":\#(reply),"parentMessageId":\#(parent)"#, "A", in: "steady")
    receipt("read", #""messageIds":[\#(parent),\#(lastId + 500_000)]"#, "d\(day)", in: "steady")
    receipt("read", #""messageUIds":["m\#(day)","never\#(day)"]"#, "B", in: "steady")
    receipt("unread", #""messageId":\#(parent)"#, "B", in: "steady")
    receipt("read", #""conversation":true"#, "B", in: "steady")
    receipt("delivered", #""messageId":\#(parent)"#, "d\(day)", in: "steady")
    receipt("read", #""messageId":\#(parent)"#, "stranger\(day)", in: "steady")
    delete(reply, by: "B", in: "steady")
    delete(lastId + 700_000, by: "A", in: "steady", isOriginal: true)
    delete(lastId + 800_000, by: "A", in: "steady")
    membership("left", "d\(day)", in: "steady")
    receipt("read", #""messageId":\#(reply),"parentMessageId":\#(parent)"#, "d\(day)", in: "steady")
    // Once in a while the reply of a parent that is long forgotten, and a receipt of it.
    receipt("read", #""messageId":3,"parentMessageId":2"#, "A", in: "steady")
    _ = message(from: "x\(day)", in: "steady", #""parentMessageId":1"#)
  }

  /// A group past the second limit, with scopes that come and go.
  private func crowd(_ day: Int) {
    if day % 15 == 0 { membership("roster", "a", "b", "c", "d", "e", "f", "g", in: "crowd") }
    membership("scopeChanged", "s\(day)", in: "crowd", scope: "admin")
    _ = message(from: "sender\(day)", in: "crowd")
    receipt("read", #""messageId":\#(lastId)"#, "a", in: "crowd")
    membership("kicked", "s\(day)", in: "crowd")
    // One that goes back below it each month, and past it again.
    if day % 30 == 0 { membership("roster", "a\(day)", "b\(day)", in: "tides") }
    if day % 30 == 3 {
      membership("added", "c\(day)", "d\(day)", "e\(day)", "f\(day)", in: "tides")
    }
    if day % 30 == 6 { membership("added", "g\(day)", "h\(day)", "i\(day)", in: "tides") }
    let id = message(from: "b\(day)", in: "tides", #""messageUId":"t\#(day)""#)
    receipt("delivered", #""messageIds":[\#(id)]"#, "a\(day - day % 30)", in: "tides")
  }

  /// A group whose roster never comes: each day others send and read.
  private func unknown(_ day: Int) {
    let first = message(from: "u\(day)", in: "unknown", #""messageUId":"u\#(day)""#)
    for number in 0..<8 { _ = message(from: "u\(day)-\(number)", in: "unknown") }
    let reply = message(from: "v\(day)", in: "unknown", #""parentMessageId":\#(first)"#)
    for uid in ["u\(day)", "v\(day)", "w\(day)"] {
      receipt("read", #""messageId":\#(first)"#, uid, in: "unknown")
      receipt("read", #""messageId":\#(reply),"parentMessageId":\#(first)"#, uid, in: "unknown")
      receipt("unread", #""messageId":\#(first)"#, uid, in: "unknown")
      receipt("delivered", #""messageIds":[\#(first),\#(reply)]"#, uid, in: "unknown")
    }
    membership("added", "y\(day)", in: "unknown")
    delete(first, by: "u\(day)", in: "unknown")
  }

  /// A group of a day, which all its members leave, and others that are never more than named.
  private func passing(_ day: Int) {
    let group = "of-day-\(day)"
    membership("roster", "A", "B", "C", in: group)
    let id = message(from: "A", in: group, #""messageUId":"p""#)
    receipt("read", #""messageId":\#(id)"#, "B", in: group)
    receipt("read", #""messageIds":[\#(id)]"#, "C", in: group)
    membership("left", "A", "B", in: group)
    membership("kicked", "C", in: group)
    receipt("read", #""messageId":\#(lastId + 900_000)"#, "B", in: "named-on-\(day)")
    delete(lastId + 900_000, by: "B", in: "deleted-on-\(day)", isOriginal: true)
    _ = message(from: "B", in: "sent-on-\(day)", #""parentMessageId":\#(lastId + 9)"#)
  }

  /// Conversations of two: one that lasts, and one a day.
  private func direct(_ day: Int) {
    for peer in ["peer", "peer\(day)"] {
      lastId += 1
      let at = now / 1000
      apply(
        .messages, key: "A_user_\(peer)",
        #"""
        {"id":\#(lastId),"sender":{"uid":"A"},"receiverId":"\#(peer)","receiverType":"user",\#
        "category":"message","sentAt":\#(at),"messageUId":"two\#(day)"}
        """#)
      for kind in ["delivered", "read"] {
        apply(
          .receipts, key: "A_user_\(peer)",
          #"""
          {"receiptType":"\#(kind)","messageId":\#(lastId),"sender":{"uid":"\#(peer)"},\#
          "receiverId":"A","receiverType":"user","\#(kind)At":\#(at)}
          """#)
      }
    }
  }
}

// The records.
extension Year {
  private func receiver(_ group: String) -> String {
    #""receiverId":"\#(group)","receiverType":"group""#
  }

  private func membership(
    _ action: String, _ uids: String..., in group: String, scope: String? = nil
  ) {
    lastId += 1
    let more = scope.map { #","scope":"\#($0)""# } ?? ""
    let named = uids.map { #"{"uid":"\#($0)"\#(more)}"# }.joined(separator: ",")
    apply(
      .messages, key: "group_\(group)",
      #"""
      {"id":\#(lastId),"category":"action","type":"groupMember","action":"\#(action)",\#
      "actionOn":[\#(named)],\#(receiver(group)),"sentAt":\#(now / 1000)}
      """#)
  }

  private func message(from uid: String, in group: String, _ more: String = "") -> Int64 {
    lastId += 1
    apply(
      .messages, key: "group_\(group)",
      #"""
      {"id":\#(lastId),"sender":{"uid":"\#(uid)"},\#(receiver(group)),"category":"message",\#
      "sentAt":\#(now / 1000)\#(more.isEmpty ? "" : ",")\#(more)}
      """#)
    return lastId
  }

  private func receipt(_ kind: String, _ covers: String, _ uid: String, in group: String) {
    apply(
      .receipts, key: "group_\(group)",
      #"""
      {"receiptType":"\#(kind)",\#(covers),"sender":{"uid":"\#(uid)"},\#(receiver(group)),\#
      "\#(kind)At":\#(now / 1000)}
      """#)
  }

  private func delete(_ id: Int64, by uid: String, in group: String, isOriginal: Bool = false) {
    let original =
      #""message":{"id":\#(id),"sender":{"uid":"\#(uid)"},\#(receiver(group)),"sentAt":1}"#
    apply(
      .deletes, key: "group_\(group)",
      #"""
      {"messageId":\#(id),"deletedBy":{"uid":"\#(uid)"},\#(receiver(group)),\#
      "deletedAt":\#(now / 1000)\#(isOriginal ? "," : "")\#(isOriginal ? original : "")}
      """#)
  }

  private func apply(_ topic: InputTopic, key: String, _ value: String) {
    now += 60_000
    let (key, value) = (Array(key.utf8), Array(value.utf8))
    let coordinates = Coordinates(
      topic: topic, partition: 0, offset: Int64(records),
      timestamp: Instant(milliseconds: 1_771_586_000_000 + now))
    records += 1
    engine.apply(coordinates, key: key.span, value: value.span, to: &machine, clock: .distantFuture)
    if case .invalid(let rejection) = engine.event.body {
      Issue.record("\(rejection.code): \(value)")
    }
    rejections += engine.outputs.rejected.count
  }
}

// The changelog.
extension Year {
  /// Ends a transaction.
  ///
  /// - Parameter intoFold: whether the records go on to a changelog of which the last of each key
  ///   is kept.
  func drain(intoFold: Bool) throws {
    try engine.drain(&machine, &tally) { piece throws in
      guard intoFold else { return }
      for record in piece.records {
        let key = Array(piece.bytes[try #require(record.key)])
        if record.value == nil { #expect(live[key] != nil, "a tombstone of nothing") }
        live[key] = record.value.map { Array(piece.bytes[$0]) }
      }
    }
  }

  /// Goes on with the machine that the changelog gives.
  func restore() throws {
    var fold = StateFold()
    for (key, value) in live.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      try fold.take(key: key.span, value: value.span)
    }
    #expect(fold.tally == tally)
    let (streamTime, nextTicket) = (machine.streamTime, machine.nextTicket)
    var partition = PartitionRecord(
      version: 1, writer: "w", nextOffsets: [0, 0, 0], streamTime: streamTime,
      nextTicket: nextTicket, threads: rules.threads, partitionCount: 1)
    partition.tally = tally
    var records = EncodedRecords()
    StateCodec.encode(partition, into: &records)
    for record in records.records {
      let key = Array(records.bytes[try #require(record.key)])
      let value = Array(records.bytes[try #require(record.value)])
      try fold.take(key: key.span, value: value.span)
    }
    machine = try fold.finish(rules: rules, partition: 0).machine
  }
}
