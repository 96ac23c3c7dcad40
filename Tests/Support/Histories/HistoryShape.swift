@testable import Oracle

/// What a random history is made of: few of everything, so that everything collides.
struct HistoryShape {
  /// Nothing in it depends on which topic is read first but for the contract's exceptions: every
  /// record has a time and a timestamp, nothing waits too long, and no bound is reached.
  var isFreeOfOrder = false
  /// Ids that never come, tiny bounds, bad records.
  var isWild = false
  var uids: [Bytes]
  /// Names that come and go together, to carry a group past its limits, and do nothing else.
  var crowd: [Bytes]
  var places: [HistoryPlace]
  var highestId: Int64
  var lines: Int
  var options: [String: String]
  /// In percent.
  var badRecords: Int
  /// How many of the messages are replies, in percent.
  var replies: Int
  /// The most names in one membership record.
  var names: Int
  /// How many groups begin with a roster, in percent.
  var rosters = 92
  /// Milliseconds after which what was applied is closed, where that is soon.
  var window: Int64?

  static let names: [Bytes] = [
    "A", "B", "C", "D", "E", "é", "e\u{301}", "q\"\\\n", "用户", "a_user_b", "F", "G", "H", "I",
  ]

  private static let groups: [HistoryPlace] = [
    .group("g"), .group("h"), .group("gr\u{FC}p#1"),
  ]

  /// A shape with nothing left out; half of them calmer, so that more is completed.
  static func any(_ random: inout HistoryRandom) -> HistoryShape {
    let isWild = random.chance(50)
    var options = anyRules(&random)
    if random.chance(45) { options["maxGroupMembers"] = String(random.count(1...6)) }
    var window: Int64?
    if random.chance(45) {
      let seconds: Int64 = random.pick([5, 20, 60, 300, 2000])
      options["trackingWindow"] = "\(seconds)s"
      window = seconds * 1000
    }
    // Groups of which nobody knows who is in them, and few places for receipts.
    let isRosterless = random.chance(10)
    if isRosterless { options["maxGroupMembers"] = String(random.count(1...3)) }
    if isWild {
      if random.chance(80) { options["grace"] = "\(random.pick([1, 5, 20, 60, 4000]))s" }
      if random.chance(40) { options["maxWaitingPerConversation"] = String(random.count(1...6)) }
      if random.chance(40) { options["maxWaitingPerPartition"] = String(random.count(1...8)) }
      if random.chance(20) { options["maxRecordBytes"] = String(random.count(150...400)) }
    }
    let uids = random.count(isWild ? 3...12 : 2...5)
    return HistoryShape(
      isWild: isWild, uids: Array(names.shuffled(using: &random).prefix(uids)),
      crowd: random.chance(50) ? crowd(random.count(1...8)) : [], places: places(3, &random),
      highestId: random.number(12...60), lines: random.count(40...160), options: options,
      badRecords: isWild && random.chance(50) ? random.count(1...15) : 0,
      replies: random.pick([0, 10, 40]), names: random.count(1...uids),
      rosters: isRosterless ? 20 : 92, window: window)
  }

  /// A shape whose histories must say the same in whatever order the topics are read.
  static func freeOfOrder(_ random: inout HistoryRandom) -> HistoryShape {
    var options = anyRules(&random)
    options["grace"] = "400d"
    options["trackingWindow"] = "400d"
    // Either the second limit is passed, or not even the cap. Everybody has a place among those
    // whose receipts are kept before the roster comes: twice the cap.
    let hasCrowd = random.chance(35)
    options["maxGroupMembers"] = hasCrowd ? "3" : "9"
    let uids = random.count(hasCrowd ? 3...5 : 3...7)
    return HistoryShape(
      isFreeOfOrder: true, uids: Array(names.shuffled(using: &random).prefix(uids)),
      crowd: hasCrowd ? crowd(7) : [], places: places(random.chance(70) ? 1 : 2, &random),
      highestId: random.number(10...30), lines: random.count(20...90), options: options,
      badRecords: 0, replies: random.pick([0, 10, 40]), names: random.count(1...uids))
  }

  private static func crowd(_ count: Int) -> [Bytes] { (1...count).map { Bytes("x\($0)") } }

  /// The options that say what is written, and not when.
  private static func anyRules(_ random: inout HistoryRandom) -> [String: String] {
    var options: [String: String] = [:]
    if random.chance(25) { options["leavers"] = "hold" }
    if random.chance(35) { options["threads"] = "separate" }
    if random.chance(12) { options["enhancedMessagingStatus"] = "false" }
    if random.chance(15) { options["receiptEvents"] = random.pick(["none", "direct", "all"]) }
    if random.chance(20) { options["unreadEvents"] = random.pick(["none", "requested", "all"]) }
    return options
  }

  /// Up to `most` groups, and with them conversations of two and with oneself.
  private static func places(_ most: Int, _ random: inout HistoryRandom) -> [HistoryPlace] {
    var places = Array(groups.prefix(random.count(1...most)))
    if random.chance(40) { places.append(.pair("A", "B")) }
    if random.chance(15) { places.append(.pair("用户", "é")) }
    if random.chance(15) { places.append(.pair("A", "A")) }
    return places
  }
}

/// A conversation of a history.
enum HistoryPlace: Hashable {
  case group(Bytes)
  case pair(Bytes, Bytes)

  /// The fields that say where a record of an actor belongs.
  func receiver(of actor: Bytes) -> JSON {
    switch self {
    case .group(let guid): return ["receiverId": .string(guid), "receiverType": "group"]
    case .pair(let a, let b):
      return ["receiverId": .string(actor == a ? b : a), "receiverType": "user"]
    }
  }

  /// The conversation id of a record that says where it belongs.
  static func key(of value: JSON) -> Bytes {
    guard case .string(let receiver)? = value["receiverId"] else { return "" }
    if value["receiverType"] == "group" { return "group_" + receiver }
    let isAction = value["category"] == "action"
    let actors = isAction ? value["actionBy"] : value["sender"] ?? value["deletedBy"]
    guard case .string(let actor)? = actors?["uid"] else { return "" }
    return min(actor, receiver) + "_user_" + max(actor, receiver)
  }
}
