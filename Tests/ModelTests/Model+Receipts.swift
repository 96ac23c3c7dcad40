/// A receipt that was applied, with what it still waits for.
final class ModelWaiting {
  let record: ModelRecord
  let receipt: ModelReceiptRecord
  /// The Kafka timestamp that counts for it.
  let timestamp: Int64
  /// Stream time when it was applied.
  let appliedAt: Int64
  /// The messages of an exact receipt that have not come.
  var missing: [ModelTarget]
  /// How many events it has caused.
  var events = 0

  init(
    _ record: ModelRecord, _ receipt: ModelReceiptRecord, timestamp: Int64, appliedAt: Int64
  ) {
    self.record = record
    self.receipt = receipt
    self.timestamp = timestamp
    self.appliedAt = appliedAt
    missing = []
    if case .exactly(let targets) = receipt.covers {
      for target in targets where !missing.contains(target) { missing.append(target) }
    }
  }

  /// The receipt's time.
  var at: Int64 { receipt.at ?? timestamp }

  /// The id of its next event.
  func nextEventId(_ event: String) -> String {
    defer { events += 1 }
    let place = "\(record.topic.letter)/0/\(record.offset)/\(events)"
    return "\(receipt.conversation.id)/\(event)/\(place)"
  }
}

extension Model {
  mutating func apply(
    _ receipt: ModelReceiptRecord, _ record: ModelRecord, _ timestamp: Int64
  ) {
    guard receipt.conversation.guid != nil, receipt.kind != .unread else { return }
    let waiter = ModelWaiting(
      record, receipt, timestamp: timestamp, appliedAt: streamTime ?? timestamp)
    guard !attempt(waiter, in: group(receipt.conversation)) else { return }
    waiting.append(waiter)
    keepWithinBounds(receipt.conversation.id)
  }

  /// Applies what can be applied of a receipt now. Gives false where it has to wait (still).
  private mutating func attempt(_ waiter: ModelWaiting, in group: ModelGroup) -> Bool {
    let receipt = waiter.receipt
    if group.roster == .known, !group.hasMembership(receipt.sender) { return false }
    switch receipt.covers {
    case .upTo(let id):
      guard group.known[id] != nil else { return false }
      claim(.upTo(id), by: waiter, in: group)
      return true
    case .conversation:
      claim(.sentUpTo(min(waiter.at, waiter.timestamp)), by: waiter, in: group)
      return true
    case .exactly:
      var ids: Set<Int64> = []
      waiter.missing.removeAll { target in
        guard let id = known(target, in: group) else { return false }
        ids.insert(id)
        return true
      }
      if !ids.isEmpty { claim(.exactly(ids), by: waiter, in: group) }
      return waiter.missing.isEmpty
    }
  }

  private func known(_ target: ModelTarget, in group: ModelGroup) -> Int64? {
    switch target {
    case .id(let id): group.known[id]?.id
    case .uid(let uid): group.holder(of: uid)?.id
    }
  }

  /// Whatever waits in the group is looked at again, in the order in which it came.
  mutating func retry(_ group: ModelGroup) {
    for waiter in waiting where waiter.receipt.conversation.id == group.name.id {
      if attempt(waiter, in: group) { waiting.removeAll { $0 === waiter } }
    }
  }

  /// A receipt is accepted, for these messages.
  private mutating func claim(
    _ covers: ModelClaim.Covers, by waiter: ModelWaiting, in group: ModelGroup
  ) {
    // Past the second limit what names the known is passed over.
    guard group.roster != .tooLarge else { return }
    let receipt = waiter.receipt
    let claim = ModelClaim(uid: receipt.sender, kind: receipt.kind, covers: covers)
    group.claims.append(claim)
    var added: [ModelMessage] = []
    for message in group.tracked {
      guard message.audience[claim.uid] != nil, claim.covers(message) else { continue }
      let isNew = !message.done(claim.kind).contains(claim.uid)
      message.delivered.insert(claim.uid)
      if claim.kind == .read { message.read.insert(claim.uid) }
      if isNew { added.append(message) }
    }
    guard !added.isEmpty else { return }
    tellSenders(of: added, waiter)
    announce(among: added, in: group, cause: "receipt", at: waiter.at)
    if claim.kind == .read, case .exactly = covers { respond(to: added, waiter) }
  }

  // What waits in vain.

  private mutating func keepWithinBounds(_ conversation: Bytes) {
    let here = waiting.filter { $0.receipt.conversation.id == conversation }
    if here.count > rules.maxWaitingPerConversation { waitedInVain(here[0]) }
    if waiting.count > rules.maxWaitingPerPartition { waitedInVain(waiting[0]) }
  }

  /// A record has waited long enough: it is rejected, or adds nothing.
  mutating func waitedInVain(_ waiter: ModelWaiting) {
    waiting.removeAll { $0 === waiter }
    let group = group(waiter.receipt.conversation)
    var fault = ModelFault("ERR_MESSAGE_NOT_FOUND")
    if group.roster == .known, !group.hasMembership(waiter.receipt.sender) {
      fault = ModelFault("ERR_UID_NOT_FOUND")
    } else if isBelowAllKnown(waiter, in: group) {
      return
    }
    outputs.reject(waiter.record, at: waiter.timestamp, fault, rules.maxRecordBytes)
  }

  private func isBelowAllKnown(_ waiter: ModelWaiting, in group: ModelGroup) -> Bool {
    guard let lowest = group.known.keys.min() else { return false }
    switch waiter.receipt.covers {
    case .upTo(let id): return id < lowest
    case .conversation: return false
    case .exactly:
      return waiter.missing.allSatisfy { target in
        if case .id(let id) = target { id < lowest } else { false }
      }
    }
  }
}
