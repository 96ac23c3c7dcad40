extension HistoryGenerator {
  // The values of records.

  mutating func message(in group: Bytes) -> JSON {
    let sender = random.chance(4) ? Bytes("outsider") : random.pick(shape.uids)
    let id = newId(in: group)
    let value: JSON = [
      "id": .int(id), "sender": ["uid": .string(sender), "name": "N"],
      "receiverId": .string(group), "receiverType": "group",
      "category": random.pick(["message", "message", "custom", "call"]), "sentAt": time(),
    ]
    let hasParent = random.chance(5) && id > 1
    return value.adding("needReceipt", random.chance(10) ? .bool(random.chance(30)) : nil)
      .adding("messageUId", random.chance(50) ? .string(messageUId()) : nil)
      .adding("parentMessageId", hasParent ? 0 : nil)
      .adding("text", random.chance(30) ? "hi" : nil)
  }

  mutating func messageUId() -> Bytes { Bytes("X\(random.count(1...15))") }

  mutating func membershipAction() -> String {
    random.pick(weighted: [
      (8, "added"), (4, "joined"), (2, "reactivated"), (6, "left"), (3, "kicked"), (2, "banned"),
      (2, "deactivated"), (1, "unbanned"), (2, "scopeChanged"),
    ])
  }

  mutating func membership(in group: Bytes, action: String, everybody: Bool = false) -> JSON {
    var count = everybody ? shape.uids.count : random.count(0...shape.names)
    if action != "roster", !everybody, random.chance(70) { count = min(count, random.count(1...2)) }
    var uids = Array(shape.uids.shuffled(using: &random).prefix(count))
    if let first = uids.first, random.chance(3) { uids.append(first) }
    let value: JSON = [
      "id": .int(newId(in: group)), "receiverId": .string(group), "receiverType": "group",
      "category": "action", "type": "groupMember", "action": .string(Bytes(action)),
      "actionBy": ["uid": .string(random.pick(shape.uids))], "sentAt": time(),
    ]
    let isAlone = action != "roster" && action != "scopeChanged" && random.chance(10)
    if isAlone { return value }
    return value.adding("actionOn", .array(uids.map { member($0) }))
  }

  private mutating func member(_ uid: Bytes) -> JSON {
    let scopes: [JSON] = ["owner", "admin", "moderator", "participant", "king"]
    let value: JSON = ["uid": .string(uid)]
    return value.adding("scope", random.chance(30) ? random.pick(scopes) : nil)
      .adding("receipts", random.chance(8) ? random.pick(["exempt", "exempt", "sure"]) : nil)
  }

  mutating func otherAction(in group: Bytes) -> JSON {
    let value: JSON = [
      "id": .int(newId(in: group)), "receiverId": .string(group), "receiverType": "group",
      "category": "action", "type": random.pick(["message", "groupMember"]),
      "actionBy": ["uid": .string(random.pick(shape.uids))], "sentAt": time(),
    ]
    return value.adding("action", random.chance(60) ? random.pick(["pinned", "deleted"]) : nil)
      .adding("actionOn", random.chance(30) ? random.pick([5, "x", []]) : nil)
  }

  mutating func receipt(in group: Bytes) -> JSON {
    let kind = random.chance(60) ? "read" : "delivered"
    let sender = random.chance(3) ? Bytes("outsider") : random.pick(shape.uids)
    let value: JSON = [
      "receiptType": .string(Bytes(kind)), "sender": ["uid": .string(sender)],
      "receiverId": .string(group), "receiverType": "group",
    ]
    var at: JSON? = time()
    if random.chance(5) { at = .seconds(now + 3_600_000) }
    if random.chance(10) { at = nil }
    return value.adding(kind + "At", at)
  }

  mutating func exactReceipt(in group: Bytes) -> JSON {
    let count = random.pick(weighted: [(6, 1), (3, 2), (2, 3), (1, 6)])
    let receipt = receipt(in: group)
    if random.chance(30) {
      return receipt.adding(
        "messageUIds", .array((0..<count).map { _ in .string(messageUId()) }))
    }
    var ids = (0..<count).map { _ in anyId(in: group) }
    if random.chance(10) { ids.append(ids[0]) }
    return receipt.adding("messageIds", .array(ids.map(JSON.int)))
  }

  // Ids and times.

  /// Mostly the next id, else one with a gap before it, a late one, or a repeated one.
  mutating func newId(in group: Bytes) -> Int64 {
    let highest = used[group]?.max() ?? random.number(0...4)
    let id = random.pick(weighted: [
      (60, highest + 1), (shape.isWild ? 12 : 3, highest + random.number(2...4)),
      (20, random.number(1...max(1, highest))), (4, random.number(1...shape.highestId)),
    ])
    used[group, default: []].insert(id)
    return id
  }

  /// Mostly an id that was used, else one that may come or never does.
  mutating func anyId(in group: Bytes) -> Int64 {
    let ids = (used[group] ?? []).sorted()
    if ids.isEmpty || random.chance(shape.isWild ? 12 : 2) {
      return random.number(1...shape.highestId)
    }
    if random.chance(shape.isWild ? 15 : 8) { return ids[ids.count - 1] + random.number(1...3) }
    return random.chance(50) ? random.pick(Array(ids.suffix(4))) : random.pick(ids)
  }

  mutating func time() -> JSON {
    .seconds(
      now
        + random.pick(weighted: [
          (5, 0), (3, random.number(-2000...2000)), (1, random.number(-30...30) * 1000),
        ]))
  }
}
