@testable import Oracle
@testable import Scenarios

/// Makes a random history of one shape.
struct HistoryGenerator {
  let shape: HistoryShape
  var random: HistoryRandom
  /// Milliseconds; what the brokers' clocks say.
  var now: Int64 = ScenarioScript.start * 1000
  /// Ids that were used, by conversation.
  var used: [HistoryPlace: Set<Int64>] = [:]
  /// What the messages among them say.
  var sent: [HistoryPlace: [Int64: Sent]] = [:]
  /// Deletes and times that came, to come again.
  var deletes: [JSON] = []
  var messages: [JSON] = []
  var times: [Int64] = []
  private var lines: [History.HistoryLine] = []

  /// What a message says that later records ask for.
  struct Sent {
    var sender: Bytes
    var parent: Int64
  }

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
    for case .group(let guid) in shape.places where generator.random.chance(shape.rosters) {
      let everybody = generator.random.chance(60)
      generator.add(.messages, generator.roster(of: .group(guid), everybody: everybody))
    }
    while generator.lines.count < shape.lines { generator.addLine() }
    return History(seed: seed, options: shape.options, lines: generator.lines)
  }

  private init(shape: HistoryShape, random: HistoryRandom) {
    self.shape = shape
    self.random = random
  }

  private enum Kind {
    case message, again, membership, crowd, roster, action, edit
    case receipt, sweep, exact, conversation, unread, delete, tick
  }

  private mutating func addLine() {
    let place = random.pick(shape.places)
    now += random.pick(weighted: [
      (30, 0), (50, random.number(1...1500)), (15, random.number(1000...9000)), (3, 60_000),
      (1, 400_000), (2, jump()),
    ])
    let kind = random.pick(weighted: [
      (26, Kind.message), (3, .again), (10, .membership), (shape.crowd.isEmpty ? 1 : 6, .crowd),
      (2, .roster),
      (3, .action), (2, .edit), (18, .receipt), (8, .sweep), (12, .exact), (6, .conversation),
      (8, .unread),
      (10, .delete), (shape.isFreeOfOrder ? 0 : 4, .tick),
    ])
    switch kind {
    case .message: add(.messages, message(in: place))
    case .again: add(.messages, messageAgain(in: place))
    case .membership: add(.messages, membership(in: place))
    case .crowd: add(.messages, crowd(in: place))
    case .roster: add(.messages, roster(of: place, everybody: false))
    case .action: add(.messages, otherAction(in: place))
    case .edit: add(.messages, message(in: place).adding("editedAt", .seconds(now)))
    case .receipt: add(.receipts, cumulativeReceipt(in: place))
    case .sweep: addSweep(of: place)
    case .exact: add(.receipts, exactReceipt(in: place))
    case .conversation: add(.receipts, receipt(in: place).adding("conversation", true))
    case .unread: add(.receipts, unread(in: place))
    case .delete: add(.deletes, delete(in: place))
    case .tick: addTick()
    }
  }

  /// A pause after which one window or two have passed, or nearly.
  private mutating func jump() -> Int64 {
    guard let window = shape.window else { return 5000 }
    return random.pick([window - 1, window, window + random.number(1...3000), 2 * window])
  }

  /// Nearly everybody comes as far as one message, so that what is before it is completed; by one
  /// who leaves, or by the message itself that comes last.
  private mutating func addSweep(of place: HistoryPlace) {
    let ids = (used[place] ?? []).sorted()
    let isEarly = random.chance(15)
    let id = isEarly ? (ids.last ?? 0) + 1 : ids.suffix(3).randomElement(using: &random) ?? 1
    let kind = random.chance(75) ? "read" : "delivered"
    var everybody = shape.uids.shuffled(using: &random)
    if case .pair(let a, let b) = place { everybody = [a, b] }
    let leaver = random.chance(40) ? everybody.removeLast() : nil
    for uid in everybody where random.chance(97) {
      let receipt = receipt(kind, by: uid, in: place)
      add(.receipts, receipt.adding("messageId", .int(id)))
    }
    if let leaver { add(.messages, end(ofMembershipOf: leaver, in: place)) }
    if isEarly { add(.messages, message(in: place)) }
  }

  private mutating func addTick() {
    let time = now + random.pick([0, 1000, 5000, 20_000, 300_000])
    if random.chance(50) { now = max(now, time) }
    lines.append(.init(source: .tick, text: Bytes("{\"tick\":\(time)}")))
  }

  // Lines.

  private mutating func add(_ source: History.HistoryLine.Source, _ value: JSON) {
    let key = HistoryPlace.key(of: value)
    var writer = HistoryWriter(random: random)
    if random.chance(shape.badRecords) {
      lines.append(.init(source: source, text: badLine(source, value, key)))
      return
    }
    let text = writer.text(of: value)
    random = writer.random
    var line = "{\"topic\":\"\(source)\""
    if random.chance(1) {
      line += ",\"key\":\(JSON.quoted(longKey(key)))"
    } else if random.chance(30) {
      line += ",\"key\":\(JSON.quoted(key))"
    }
    if let timestamp = timestamp() { line += ",\"timestamp\":\(timestamp)" }
    line += random.chance(10) ? ",\"raw\":\(JSON.quoted(Bytes(text)))}" : ",\"value\":\(text)}"
    lines.append(.init(source: source, text: Bytes(line)))
  }

  private mutating func badLine(
    _ source: History.HistoryLine.Source, _ value: JSON, _ key: Bytes
  ) -> Bytes {
    var spoiler = HistorySpoiler(random: random)
    // Of one fault it is certain how it is told.
    let spoiled = spoiler.spoil(isAhead(value) ? value.adding("sentAt", .seconds(now)) : value)
    random = spoiler.random
    let key = random.chance(5) ? "group_other" : key
    return Bytes(
      "{\"topic\":\"\(source)\",\"key\":\(JSON.quoted(key)),\"timestamp\":\(now),"
        + "\"raw\":\(JSON.quoted(spoiled))}")
  }

  private mutating func timestamp() -> Int64? {
    if shape.isFreeOfOrder { return now }
    if random.chance(3) {
      return random.pick(weighted: [
        (20, now - 600_000), (10, -1), (5, 0), (1, .max), (1, .min + 1),
      ])
    }
    return random.chance(75) ? now + random.number(-3000...3000) : nil
  }

  /// As long as a key can be, or longer than any that names a conversation.
  private mutating func longKey(_ key: Bytes) -> Bytes {
    Bytes(String(repeating: "k", count: random.pick([1023, 1024, 1025, 3000])))
  }

  private func isAhead(_ value: JSON) -> Bool {
    guard let sentAt = value["sentAt"] else { return false }
    if case .int(let seconds) = sentAt { return seconds > now / 1000 + 86_000 }
    if case .real(let seconds) = sentAt { return seconds > Double(now / 1000 + 86_000) }
    return false
  }
}
