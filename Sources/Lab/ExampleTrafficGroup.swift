import Core

/// One group of the example traffic: it plays some rounds of talk, writes the records down, and
/// knows from what it played which messages everybody has.
struct ExampleTrafficGroup {
  /// Somebody who is or was in the group, and what his receipts cover in the end.
  struct Member {
    var uid: String
    var joinedAt: Int64
    var leftAt: Int64?
    var isBot = false
    var usesExactReceipts = false
    var deliveredUpTo: Int64 = 0
    var readUpTo: Int64 = 0
    var deliveredExactly: Set<Int64> = []
    var readExactly: Set<Int64> = []
  }

  struct Message {
    var id: Int64
    /// The sender's index in `members`.
    var sender: Int
    var isTracked: Bool
    var parent: Int64 = 0
    var sentAt: Int64
    var isDeleted = false
  }

  let guid: String
  let isTracked: Bool
  /// Whether it has replies, deletes and unread counts.
  let isWhole: Bool
  var members: [Member]
  var messages: [Message] = []
  var records: [ExampleTraffic.Record] = []
  /// Receipts that are written a round late.
  private var late: [ExampleTraffic.Record] = []
  var lastId: Int64 = 100
  /// Unix seconds. Long past, so that a receipt's own time bounds it and not the broker's clock.
  var now: Int64 = 1_735_689_600
  /// What comes of its threads, unread counts and bad records.
  var expectations = ExampleTraffic.Expectations()

  /// A group as its roster founds it; the first member owns it.
  init(number: Int, size: Int, isWhole: Bool) {
    guid = "g\(number)"
    self.isWhole = isWhole
    isTracked = size <= 3000
    members = (1...size).map { Member(uid: "u\($0)", joinedAt: 101) }
    if size >= 10 && size <= 3000 { members[size - 1].isBot = true }
    for index in stride(from: 4, to: size, by: 9) { members[index].usesExactReceipts = true }
    let list = members.map { member in
      let scope = member.uid == "u1" ? #","scope":"owner""# : ""
      let receipts = member.isBot ? #","receipts":"exempt""# : ""
      return #"{"uid":"\#(member.uid)"\#(scope)\#(receipts)}"#
    }
    writeMembership("roster", fields: #""actionOn":[\#(list.joined(separator: ","))]"#)
  }

  /// Plays rounds of: somebody comes or goes, some write, all receive and read. In the last round
  /// some never do.
  mutating func play(rounds: Int, using random: inout SplitMix64) {
    for round in 1...rounds {
      let fromLastRound = late
      late.removeAll()
      if round > 1 && members.count < 2900 { changeMembership(round, using: &random) }
      if isWhole && round > 1 { deleteMessages(round, using: &random) }
      let isLast = round == rounds
      let sent = writeMessages(Int.random(in: 2...6, using: &random), using: &random)
      let laggards = isLast ? Int.random(in: 0...min(3, members.count / 2), using: &random) : 0
      var readers = members.indices.filter { members[$0].leftAt == nil && !members[$0].isBot }
      readers.shuffle(using: &random)
      if !isTracked { readers = Array(readers.prefix(20)) }
      for (place, index) in readers.enumerated() {
        if place < laggards {
          // He receives and does not read, or not even that.
          if Bool.random(using: &random) { receive(.delivered, by: index, sent, using: &random) }
          continue
        }
        // Who skips a round catches up in the next one: that is what cumulative receipts are for.
        // (Exact ones never do, so in a big group their senders do not skip.)
        let maySkip = !isLast && (members.count < 30 || !members[index].usesExactReceipts)
        if maySkip && Int.random(in: 0..<8, using: &random) == 0 { continue }
        if Int.random(in: 0..<3, using: &random) > 0 {
          receive(.delivered, by: index, sent, using: &random)
        }
        receive(.read, by: index, sent, using: &random)
      }
      records.append(contentsOf: fromLastRound)
    }
    records.append(contentsOf: late)
    if isWhole { markUnread(using: &random) }
  }

  /// Adds what must come of its records.
  func addExpectations(to all: inout ExampleTraffic.Expectations) {
    all.announcements.formUnion(expectedAnnouncements())
    for message in messages where message.isDeleted { all.deleted.insert(name(message.id)) }
    all.threads.merge(expectations.threads) { $1 }
    all.unread.merge(expectations.unread) { $1 }
    all.rejections += expectations.rejections
  }

  func name(_ id: Int64) -> ExampleTraffic.MessageName {
    ExampleTraffic.MessageName(conversation: "group_\(guid)", id: id)
  }

  /// What must be announced: all who are waited for have it, and at least one has.
  private func expectedAnnouncements() -> [ExampleTraffic.Announcement] {
    guard isTracked else { return [] }
    var announcements: [ExampleTraffic.Announcement] = []
    for message in messages where message.isTracked && !message.isDeleted {
      let id = message.id
      let audience = members.indices.lazy.map { (index: $0, member: members[$0]) }.filter {
        $0.index != message.sender && !$0.member.isBot && $0.member.joinedAt < id
          && ($0.member.leftAt ?? .max) > id
      }.map(\.member)
      let hasRead = { (member: Member) in
        id <= member.readUpTo || member.readExactly.contains(id)
      }
      let hasReceived = { (member: Member) in
        hasRead(member) || id <= member.deliveredUpTo || member.deliveredExactly.contains(id)
      }
      for (kind, hasDone) in [(.delivered, hasReceived), (.read, hasRead)]
        as [(ExampleTraffic.Announcement.Kind, (Member) -> Bool)]
      where audience.contains(where: hasDone)
        && audience.allSatisfy({ $0.leftAt != nil || hasDone($0) })
      {
        announcements.append(.init(kind: kind, conversation: "group_\(guid)", messageId: id))
      }
    }
    return announcements
  }

  private mutating func changeMembership(_ round: Int, using random: inout SplitMix64) {
    now += 60
    if round.isMultiple(of: 2) {
      members.append(Member(uid: "new\(members.count)", joinedAt: lastId + 1))
      writeMembership("joined", fields: #""actionBy":{"uid":"\#(members[members.count - 1].uid)"}"#)
    } else if let index = members.indices.dropFirst().filter({ members[$0].leftAt == nil })
      .randomElement(using: &random), members.count > 3
    {
      members[index].leftAt = lastId + 1
      writeMembership("left", fields: #""actionBy":{"uid":"\#(members[index].uid)"}"#)
    }
  }

  private mutating func writeMembership(_ action: String, fields: String) {
    lastId += 1
    write(
      .messages,
      """
      {"id":\(lastId),"category":"action","type":"groupMember","action":"\(action)",\(fields),\
      "receiverId":"\(guid)","receiverType":"group","sentAt":\(now)}
      """)
  }

  /// Writes some messages of members who are in, and gives the new ids.
  private mutating func writeMessages(_ count: Int, using random: inout SplitMix64) -> [Message] {
    now += 60
    let writers = members.indices.filter { members[$0].leftAt == nil }
    var sent: [Message] = []
    for _ in 0..<count {
      guard let sender = writers.randomElement(using: &random) else { break }
      lastId += 1
      now += 1
      let isTracked = Int.random(in: 0..<20, using: &random) > 0
      var message = Message(id: lastId, sender: sender, isTracked: isTracked, sentAt: now)
      if isWhole { decideFate(of: &message, using: &random) }
      sent.append(message)
      write(.messages, text(of: message))
      if Int.random(in: 0..<30, using: &random) == 0 { records.append(records[records.count - 1]) }
    }
    messages.append(contentsOf: sent)
    return sent
  }

  /// The record of a message.
  func text(of message: Message) -> String {
    let parent = message.parent == 0 ? "" : #","parentMessageId":\#(message.parent)"#
    return """
      {"id":\(message.id),"messageUId":"\(messageUId(message.id))",\
      "sender":{"uid":"\(members[message.sender].uid)"},"receiverId":"\(guid)",\
      "receiverType":"group","category":"message","type":"text","sentAt":\(message.sentAt),\
      "needReceipt":\(message.isTracked)\(parent),"text":"Message \(message.id) of \(guid)"}
      """
  }

  private func messageUId(_ id: Int64) -> String { "\(guid)-\(id)" }

  /// Writes a receipt of a member for all that was sent so far, in one of its forms.
  private mutating func receive(
    _ kind: ExampleTraffic.Announcement.Kind, by index: Int, _ sent: [Message],
    using random: inout SplitMix64
  ) {
    let covers: String
    if members[index].usesExactReceipts {
      // An exact receipt covers nothing before: what a skipped round brought stays open for him.
      let theirs = sent.filter { $0.sender != index }.map(\.id)
      guard !theirs.isEmpty else { return }
      if kind == .read {
        members[index].readExactly.formUnion(theirs)
      } else {
        members[index].deliveredExactly.formUnion(theirs)
      }
      covers =
        Bool.random(using: &random)
        ? #""messageIds":[\#(theirs.map { "\($0)" }.joined(separator: ","))]"#
        : #""messageUIds":[\#(theirs.map { "\"\(messageUId($0))\"" }.joined(separator: ","))]"#
    } else {
      if kind == .read {
        members[index].readUpTo = lastId
      } else {
        members[index].deliveredUpTo = lastId
      }
      covers =
        Int.random(in: 0..<10, using: &random) == 0
        ? #""conversation":true"# : #""messageId":\#(lastId)"#
    }
    let time = now + Int64.random(in: 1...30, using: &random)
    let record = ExampleTraffic.Record(
      .receipts, key: "group_\(guid)",
      value: """
        {"receiptType":"\(kind.rawValue)",\(covers),"sender":{"uid":"\(members[index].uid)"},\
        "receiverId":"\(guid)","receiverType":"group","\(kind.rawValue)At":\(time)}
        """)
    switch Int.random(in: 0..<40, using: &random) {
    case 0: late.append(record)
    case 1:  // A device that repeats itself.
      records.append(record)
      late.append(record)
    case 2:  // The receipts' topic was faster than the messages'.
      records.insert(record, at: max(1, records.count - 5))
    default: records.append(record)
    }
  }

  mutating func write(_ topic: InputTopic, _ value: String) {
    records.append(.init(topic, key: "group_\(guid)", value: value))
  }
}
