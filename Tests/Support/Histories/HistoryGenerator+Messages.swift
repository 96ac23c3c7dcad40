@testable import Oracle

extension HistoryGenerator {
  // The values of `chat.messages`.

  mutating func message(in place: HistoryPlace) -> JSON {
    let sender = actor(in: place)
    let id = newId(in: place)
    var parent: Int64? = random.chance(5) ? 0 : nil
    if random.chance(shape.replies) { parent = self.parent(of: id, in: place) }
    if sent[place]?[id] == nil {
      sent[place, default: [:]][id] = Sent(sender: sender, parent: parent ?? 0)
    }
    let value = place.receiver(of: sender)
      .adding("id", .int(id)).adding("sender", ["uid": .string(sender), "name": "N"])
      .adding("category", random.pick(HistoryGenerator.categories))
      .adding("sentAt", backendTime())
      .adding("needReceipt", random.chance(10) ? .bool(random.chance(30)) : nil)
      .adding("messageUId", random.chance(50) ? .string(messageUId()) : nil)
      .adding("parentMessageId", parent.map(JSON.int))
      .adding("text", random.chance(30) ? "hi" : nil)
    messages.append(value)
    return value
  }

  private static let categories: [JSON] = [
    "message", "message", "message", "custom", "call", "interactive", "agentic", "Action", "é",
  ]

  /// A message that came before, or what has its id or its time.
  mutating func messageAgain(in place: HistoryPlace) -> JSON {
    guard !messages.isEmpty else { return message(in: place) }
    let value = random.pick(messages.suffix(6))
    switch random.count(0...5) {
    case 0: return value.adding("sentAt", backendTime())
    case 1: return value.adding("sender", ["uid": .string(random.pick(shape.uids))])
    case 2: return value.adding("parentMessageId", .int(random.number(0...8)))
    case 3:
      return value.adding("category", "action").adding("type", "groupMember")
        .adding("action", "left").adding("actionBy", value["sender"])
    default: return value
    }
  }

  /// A change of membership of a few.
  mutating func membership(in place: HistoryPlace) -> JSON {
    let action: JSON = random.pick(weighted: [
      (8, "added"), (4, "joined"), (2, "reactivated"), (10, "left"), (4, "kicked"), (2, "banned"),
      (2, "deactivated"), (1, "unbanned"), (4, "scopeChanged"),
    ])
    let most = random.chance(70) ? random.count(1...2) : shape.names
    let value = groupMember(action, in: place)
    if action != "scopeChanged", random.chance(10) { return value }
    return value.adding("actionOn", named(random.count(0...most)))
  }

  mutating func end(ofMembershipOf uid: Bytes, in place: HistoryPlace) -> JSON {
    groupMember(random.pick(["left", "kicked", "banned", "deactivated"]), in: place)
      .adding("actionOn", [["uid": .string(uid)]])
  }

  mutating func roster(of place: HistoryPlace, everybody: Bool) -> JSON {
    let count = everybody ? shape.uids.count : random.count(0...shape.names)
    return groupMember("roster", in: place).adding("actionOn", named(count))
  }

  /// Everybody and the crowd come, or the crowd goes.
  mutating func crowd(in place: HistoryPlace) -> JSON {
    let crowd = shape.crowd.map { uid -> JSON in ["uid": .string(uid)] }
    if random.chance(40) {
      return groupMember("left", in: place).adding("actionOn", .array(crowd))
    }
    guard case .array(let everybody) = named(shape.uids.count) else { return .null }
    return groupMember("added", in: place).adding("actionOn", .array(everybody + crowd))
  }

  private mutating func groupMember(_ action: JSON, in place: HistoryPlace) -> JSON {
    let actor = actor(in: place)
    return place.receiver(of: actor)
      .adding("id", .int(newId(in: place))).adding("category", "action")
      .adding("type", "groupMember").adding("action", action)
      .adding("actionBy", ["uid": .string(actor)]).adding("sentAt", backendTime())
  }

  /// A list of members, in which one may stand twice.
  private mutating func named(_ count: Int) -> JSON {
    var uids = Array(shape.uids.shuffled(using: &random).prefix(count))
    if let first = uids.first, random.chance(3) { uids.append(first) }
    return .array(uids.map { member($0) })
  }

  private mutating func member(_ uid: Bytes) -> JSON {
    let scopes: [JSON] = ["owner", "admin", "moderator", "participant", "king"]
    let value: JSON = ["uid": .string(uid)]
    return value.adding("scope", random.chance(30) ? random.pick(scopes) : nil)
      .adding("receipts", random.chance(8) ? random.pick(["exempt", "exempt", "sure"]) : nil)
  }

  mutating func otherAction(in place: HistoryPlace) -> JSON {
    let actor = actor(in: place)
    return place.receiver(of: actor)
      .adding("id", .int(newId(in: place))).adding("category", "action")
      .adding("type", random.pick(["message", "groupMember"]))
      .adding("actionBy", ["uid": .string(actor)]).adding("sentAt", time())
      .adding("action", random.chance(60) ? random.pick(["pinned", "deleted"]) : nil)
      .adding("actionOn", random.chance(30) ? random.pick([5, "x", []]) : nil)
  }
}
