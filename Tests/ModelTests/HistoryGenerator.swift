/// Makes a random history of one shape.
struct HistoryGenerator {
  let shape: HistoryShape
  var random: HistoryRandom
  /// Milliseconds; what the brokers' clocks say.
  var now: Int64 = ScenarioScript.start * 1000
  /// Ids that were used, by group.
  var used: [Bytes: Set<Int64>] = [:]
  private var lines: [History.HistoryLine] = []

  static func history(_ seed: UInt64) -> History {
    var random = HistoryRandom(seed: seed)
    let shape = HistoryShape.any(&random)
    return history(seed, shape, random)
  }

  static func historyFreeOfOrder(_ seed: UInt64) -> History {
    var random = HistoryRandom(seed: seed)
    let shape = HistoryShape.freeOfOrder(&random)
    return history(seed, shape, random)
  }

  private static func history(
    _ seed: UInt64, _ shape: HistoryShape, _ random: HistoryRandom
  ) -> History {
    var generator = HistoryGenerator(shape: shape, random: random)
    for group in shape.groups where generator.random.chance(92) { generator.addRoster(of: group) }
    while generator.lines.count < shape.lines { generator.addLine() }
    return History(seed: seed, options: shape.options, lines: generator.lines)
  }

  private init(shape: HistoryShape, random: HistoryRandom) {
    self.shape = shape
    self.random = random
  }

  private mutating func addRoster(of group: Bytes) {
    add(.messages, membership(in: group, action: "roster", everybody: random.chance(60)))
  }

  private enum Kind {
    case message, membership, crowd, roster, action, edit, receipt, exact, conversation, tick, noise
  }

  private mutating func addLine() {
    let group = random.pick(shape.groups)
    now += random.pick(weighted: [
      (30, 0), (50, random.number(1...1500)), (15, random.number(1000...9000)), (3, 60_000),
      (1, 400_000),
    ])
    let kind = random.pick(weighted: [
      (26, Kind.message), (10, .membership), (2, .crowd), (2, .roster), (3, .action), (2, .edit),
      (22, .receipt), (14, .exact), (6, .conversation), (shape.isFreeOfOrder ? 0 : 4, .tick),
      (3, .noise),
    ])
    switch kind {
    case .message: add(.messages, message(in: group))
    case .membership: add(.messages, membership(in: group, action: membershipAction()))
    case .crowd: add(.messages, membership(in: group, action: "added", everybody: true))
    case .roster: add(.messages, membership(in: group, action: "roster"))
    case .action: add(.messages, otherAction(in: group))
    case .edit: add(.messages, message(in: group).adding("editedAt", .seconds(now)))
    case .receipt:
      add(.receipts, receipt(in: group).adding("messageId", .int(anyId(in: group))))
    case .exact: add(.receipts, exactReceipt(in: group))
    case .conversation: add(.receipts, receipt(in: group).adding("conversation", true))
    case .tick: addTick()
    case .noise: addNoise(in: group)
    }
  }

  private mutating func addTick() {
    let time = now + random.pick([0, 1000, 5000, 20_000, 300_000])
    if random.chance(50) { now = max(now, time) }
    lines.append(.init(source: .tick, text: Bytes("{\"tick\":\(time)}")))
  }

  /// What is read and checked and changes nothing in a group.
  private mutating func addNoise(in group: Bytes) {
    let user = random.pick(shape.uids)
    switch random.count(0...3) {
    case 0:
      add(
        .deletes,
        [
          "messageId": .int(anyId(in: group)), "receiverId": .string(group),
          "receiverType": "group", "deletedBy": ["uid": .string(user)], "deletedAt": time(),
        ])
    case 1:
      add(
        .receipts,
        [
          "receiptType": "unread", "messageId": .int(anyId(in: group)),
          "sender": ["uid": .string(user)], "receiverId": .string(group),
          "receiverType": "group", "unreadAt": time(),
        ])
    case 2:
      add(
        .messages,
        [
          "id": .int(anyId(in: group)), "sender": ["uid": "A"], "receiverId": "B",
          "receiverType": "user", "category": "message", "sentAt": time(),
        ])
    default:
      add(
        .receipts,
        [
          "receiptType": "read", "messageId": .int(anyId(in: group)), "sender": ["uid": "B"],
          "receiverId": "A", "receiverType": "user", "readAt": time(),
        ])
    }
  }

  // Lines.

  private mutating func add(_ source: History.HistoryLine.Source, _ value: JSON) {
    let key = keyGiven(by: value)
    var writer = HistoryWriter(random: random)
    if random.chance(shape.badRecords) {
      lines.append(.init(source: source, text: badLine(source, value, key)))
      return
    }
    let text = writer.text(of: value)
    random = writer.random
    var line = "{\"topic\":\"\(source)\""
    if random.chance(30) { line += ",\"key\":\(JSON.quoted(key))" }
    if let timestamp = timestamp() { line += ",\"timestamp\":\(timestamp)" }
    line += random.chance(10) ? ",\"raw\":\(JSON.quoted(Bytes(text)))}" : ",\"value\":\(text)}"
    lines.append(.init(source: source, text: Bytes(line)))
  }

  private mutating func badLine(
    _ source: History.HistoryLine.Source, _ value: JSON, _ key: Bytes
  ) -> Bytes {
    var spoiler = HistorySpoiler(random: random)
    let spoiled = spoiler.spoil(value)
    random = spoiler.random
    let key = random.chance(5) ? "group_other" : key
    return Bytes(
      "{\"topic\":\"\(source)\",\"key\":\(JSON.quoted(key)),\"timestamp\":\(now),"
        + "\"raw\":\(JSON.quoted(spoiled))}")
  }

  private mutating func timestamp() -> Int64? {
    if shape.isFreeOfOrder { return now }
    return random.chance(75) ? now + random.number(-3000...3000) : nil
  }

  private func keyGiven(by value: JSON) -> Bytes {
    guard case .string(let receiver)? = value["receiverId"] else { return "" }
    return value["receiverType"] == "group" ? "group_" + receiver : "A_user_B"
  }
}
