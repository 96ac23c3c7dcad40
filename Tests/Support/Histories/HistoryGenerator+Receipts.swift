@testable import Oracle

extension HistoryGenerator {
  // The values of `chat.receipts` and `chat.deletes`.

  mutating func cumulativeReceipt(in place: HistoryPlace) -> JSON {
    let id = anyId(in: place)
    return receipt(in: place).adding("messageId", .int(id))
      .adding("parentMessageId", parentOfReceipt(for: id, in: place))
  }

  mutating func unread(in place: HistoryPlace) -> JSON {
    let id = anyId(in: place)
    let sender = random.chance(15) ? sent[place]?[id]?.sender : nil
    let value = receipt("unread", by: sender ?? actor(in: place), in: place)
      .adding("parentMessageId", parentOfReceipt(for: id, in: place))
    if random.chance(96) { return value.adding("messageId", .int(id)) }
    return random.chance(50)
      ? value.adding("conversation", true) : value.adding("messageIds", [.int(id)])
  }

  mutating func exactReceipt(in place: HistoryPlace) -> JSON {
    let count = random.pick(weighted: [(6, 1), (3, 2), (2, 3), (1, 6)])
    let receipt = receipt(in: place)
    if random.chance(30) {
      return receipt.adding(
        "messageUIds", .array((0..<count).map { _ in .string(messageUId()) }))
    }
    var ids = (0..<count).map { _ in anyId(in: place) }
    if random.chance(10) { ids.append(ids[0]) }
    return receipt.adding("messageIds", .array(ids.map(JSON.int)))
  }

  /// A receipt that does not say yet what it covers.
  mutating func receipt(in place: HistoryPlace) -> JSON {
    receipt(random.chance(60) ? "read" : "delivered", by: actor(in: place), in: place)
  }

  mutating func receipt(_ kind: String, by sender: Bytes, in place: HistoryPlace) -> JSON {
    var at: JSON? = deviceTime()
    if random.chance(5) { at = .seconds(now + 3_600_000) }
    if random.chance(10) { at = nil }
    return place.receiver(of: sender)
      .adding("receiptType", .string(Bytes(kind))).adding("sender", ["uid": .string(sender)])
      .adding(kind + "At", at)
  }

  /// A hint at the thread, right or wrong.
  private mutating func parentOfReceipt(for id: Int64, in place: HistoryPlace) -> JSON? {
    guard random.chance(shape.replies) else { return nil }
    let parent = sent[place]?[id]?.parent ?? 0
    return .int(random.chance(70) ? parent : random.pick([0, -3, anyId(in: place)]))
  }

  mutating func delete(in place: HistoryPlace) -> JSON {
    if !deletes.isEmpty, random.chance(12) { return random.pick(deletes.suffix(4)) }
    let id = anyId(in: place)
    let message = sent[place]?[id]
    var deleter = random.chance(55) ? message?.sender ?? actor(in: place) : actor(in: place)
    if random.chance(8) { deleter = "app_system" }
    let original = random.chance(45) ? original(id, message, in: place) : nil
    let by: JSON = ["uid": .string(deleter)]
    let value = place.receiver(of: deleter).adding("messageId", .int(id))
      .adding(
        "deletedBy",
        by.adding("name", random.chance(40) ? random.pick(["é\"\\", "N", .null]) : nil)
          .adding("x", random.chance(10) ? [1, ["y": [.null, "\u{1}"]]] : nil)
      )
      .adding("deletedAt", random.chance(90) ? original == nil ? backendTime() : time() : nil)
      .adding("message", original)
    deletes.append(value)
    return value
  }

  /// The deleted message as the backend has it; now and then nothing, or another one.
  private mutating func original(_ id: Int64, _ message: Sent?, in place: HistoryPlace) -> JSON {
    if random.chance(15) { return [:] }
    let written: JSON = random.pick(weighted: [
      (90, .int(id)), (3, .int(id + 1)), (3, .string(Bytes("\(id)"))), (2, .null),
      (2, .real(Double(id))),
    ])
    let sender = random.chance(80) ? message?.sender ?? actor(in: place) : actor(in: place)
    let nested: JSON = [
      "blocks": [[], ["\u{7}\"\\/": .null], -0, .real(1.25e-3)], "emoji": "\u{1F600}é",
      "sender": ["uid": "another"], "id": 77,
    ]
    let value: JSON = ["id": written]
    return
      value
      .adding("sender", random.chance(85) ? ["uid": .string(sender)] : random.pick([nil, 5]))
      .adding("parentMessageId", random.chance(40) ? .int(message?.parent ?? 3) : nil)
      .adding("sentAt", random.chance(60) ? backendTime() : random.pick([nil, "x", .real(1e300)]))
      .adding("messageUId", random.chance(40) ? .string(messageUId()) : random.pick([nil, 7, ""]))
      .adding("data", random.chance(40) ? nested : nil).adding("text", "line\n\ttab\u{2028}")
  }
}
