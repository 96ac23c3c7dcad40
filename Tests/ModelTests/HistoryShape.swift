/// What a random history is made of: few of everything, so that everything collides.
struct HistoryShape {
  /// Nothing in it depends on which topic is read first: every record has a time and a timestamp,
  /// nothing waits too long, no bound and no second limit is reached.
  var isFreeOfOrder = false
  /// Ids that never come, tiny bounds, bad records.
  var isWild = false
  var uids: [Bytes]
  var groups: [Bytes]
  var highestId: Int64
  var lines: Int
  var options: [String: String]
  /// In percent.
  var badRecords: Int
  /// The most names in one membership record.
  var names: Int

  static let names: [Bytes] = [
    "A", "B", "C", "D", "E", "é", "e\u{301}", "q\"\\\n", "用户", "a_user_b", "F", "G", "H", "I",
  ]

  /// A shape with nothing left out; half of them calmer, so that more is completed.
  static func any(_ random: inout HistoryRandom) -> HistoryShape {
    let isWild = random.chance(50)
    var options: [String: String] = [:]
    if random.chance(60) { options["maxGroupMembers"] = String(random.count(1...6)) }
    if random.chance(25) { options["leavers"] = "hold" }
    if random.chance(15) { options["receiptEvents"] = random.pick(["none", "direct", "all"]) }
    if isWild {
      if random.chance(80) { options["grace"] = "\(random.pick([1, 5, 20, 60, 4000]))s" }
      if random.chance(40) { options["maxWaitingPerConversation"] = String(random.count(1...6)) }
      if random.chance(40) { options["maxWaitingPerPartition"] = String(random.count(1...8)) }
      if random.chance(20) { options["maxRecordBytes"] = String(random.count(150...400)) }
    }
    let uids = random.count(isWild ? 3...12 : 2...5)
    return HistoryShape(
      isWild: isWild, uids: Array(names.shuffled(using: &random).prefix(uids)),
      groups: Array((["g", "h", "gr\u{FC}p#1"] as [Bytes]).prefix(random.count(1...3))),
      highestId: random.number(12...60), lines: random.count(40...160), options: options,
      badRecords: isWild && random.chance(50) ? random.count(1...15) : 0,
      names: random.count(1...uids))
  }

  /// A shape whose histories must say the same in whatever order the topics are read.
  static func freeOfOrder(_ random: inout HistoryRandom) -> HistoryShape {
    var options = ["maxGroupMembers": "9", "grace": "400d", "trackingWindow": "400d"]
    if random.chance(25) { options["leavers"] = "hold" }
    let uids = random.count(3...7)
    return HistoryShape(
      isFreeOfOrder: true, uids: Array(names.shuffled(using: &random).prefix(uids)),
      groups: random.chance(70) ? ["g"] : ["g", "h"], highestId: random.number(10...30),
      lines: random.count(20...90), options: options, badRecords: 0, names: random.count(1...uids))
  }
}
