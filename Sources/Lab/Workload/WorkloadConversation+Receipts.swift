import Core

/// What devices tell of what their owners have received and read.
extension WorkloadConversation {
  /// The most messages that one receipt may name.
  private static let mostIds = 1000

  /// A device tells what it received; false where it does not.
  mutating func receive(_ index: Int, _ pen: inout WorkloadPen) -> Bool {
    let member = members[index]
    guard !member.isSilent, !member.isSlow, pen.chance(pen.options.delivered) else { return false }
    if member.isExact { return writeExact("delivered", index, &pen) }
    beginReceipt("delivered", by: member.number, &pen)
    writeCover(lastId, &pen)
    // Some say no time: that of the record counts.
    endReceipt("delivered", at: pen.below(50) == 0 ? nil : told(pen.now), &pen)
    return true
  }

  /// A member reads; false where they do not, or their device keeps it for itself.
  mutating func read(_ index: Int, _ pen: inout WorkloadPen) -> Bool {
    if !leavers.isEmpty, pen.below(100) == 0, readAfterLeaving(&pen) { return true }
    let member = members[index]
    guard !member.isSilent, !pen.chance(pen.options.skips) else { return false }
    if pen.chance(pen.options.unread) { unreadBy = index }
    if member.isExact { return writeExact("read", index, &pen) }
    if member.isSlow {
      members[index].untold = (lastId, pen.now)
      guard let untold = member.untold else { return false }
      writeLateRead(untold, by: member.number, &pen)
      return true
    }
    beginReceipt("read", by: member.number, &pen)
    if pen.chance(pen.options.conversation) {
      pen.write(#""conversation":true"#)
    } else if recent.count > 0, pen.below(20) == 0 {
      // Not read to the end.
      writeCover(recent[pen.below(recent.count)].id, &pen)
    } else {
      writeCover(lastId, &pen)
    }
    endReceipt("read", at: told(pen.now), &pen)
    return true
  }

  /// The device of somebody who has left tells what they had read before.
  private mutating func readAfterLeaving(_ pen: inout WorkloadPen) -> Bool {
    let index = pen.below(leavers.count)
    guard let untold = leavers[index].untold else { return false }
    leavers[index].untold = nil
    writeLateRead(untold, by: leavers[index].number, &pen)
    return true
  }

  private func writeLateRead(
    _ untold: (id: Int64, time: Int64), by number: Int64, _ pen: inout WorkloadPen
  ) {
    beginReceipt("read", by: number, &pen)
    writeCover(untold.id, &pen)
    endReceipt("read", at: untold.time / 1000 * 1000, &pen)
  }

  /// Names exactly what others wrote since the last read; false where there is nothing.
  private mutating func writeExact(
    _ type: String, _ index: Int, _ pen: inout WorkloadPen
  ) -> Bool {
    let number = members[index].number
    let end = lastId
    if members[index].seen < recent.lostUpTo {
      // Away too long to name them all.
      beginReceipt(type, by: number, &pen)
      writeCover(end, &pen)
      if type == "read" { members[index].seen = end }
      endReceipt(type, at: told(pen.now), &pen)
      return true
    }
    var ids: [Int64] = []
    var last = end
    for place in recent.first(above: members[index].seen)..<recent.count {
      let message = recent[place]
      guard message.sender != number else { continue }
      guard ids.count < Self.mostIds else { break }
      ids.append(message.id)
      last = message.id
    }
    guard !ids.isEmpty else { return false }
    if type == "read" { members[index].seen = ids.count == Self.mostIds ? last : end }
    beginReceipt(type, by: number, &pen)
    writeExactly(ids, &pen)
    endReceipt(type, at: told(pen.now), &pen)
    return true
  }

  /// A member marks a message of another, and all after it, unread; false where there is none.
  func markUnread(_ index: Int, _ pen: inout WorkloadPen) -> Bool {
    guard recent.count > 0 else { return false }
    let message = recent[pen.below(recent.count)]
    guard message.sender != members[index].number else { return false }
    writeUnread(message.id, by: members[index].number, &pen)
    return true
  }

  /// Writes an `unread`.
  func writeUnread(_ id: Int64, by number: Int64, _ pen: inout WorkloadPen) {
    beginReceipt("unread", by: number, &pen)
    writeCover(id, &pen)
    endReceipt("unread", at: told(pen.now), &pen)
  }

  /// Begins a receipt; what it covers comes next.
  func beginReceipt(_ type: String, by number: Int64, _ pen: inout WorkloadPen) {
    pen.begin(.receipts, key: names.key, partition: partition)
    pen.write(#"{"receiptType":""#)
    pen.write(type)
    pen.write(#"","#)
    pen.write(#""sender":{"uid":"#)
    names.writeUid(number, &pen)
    pen.write("},")
    names.writeReceiver(of: number, &pen)
    pen.write(",")
  }

  /// Covers a message and all before it.
  func writeCover(_ id: Int64, _ pen: inout WorkloadPen) {
    pen.write(#""messageId":"#)
    pen.write(id)
  }

  /// Covers exactly these messages.
  func writeExactly(_ ids: [Int64], _ pen: inout WorkloadPen) {
    let byUId = pen.below(2) == 0
    pen.write(byUId ? #""messageUIds":["# : #""messageIds":["#)
    for (place, id) in ids.enumerated() {
      if place > 0 { pen.write(",") }
      if byUId { names.writeMessageUId(id, &pen) } else { pen.write(id) }
    }
    pen.write("]")
  }

  /// Ends a receipt, with its time or without.
  func endReceipt(_ type: String, at time: Int64?, _ pen: inout WorkloadPen) {
    if let time {
      pen.write(",\"")
      pen.write(type)
      pen.write(#"At":"#)
      pen.write(time: time)
    }
    pen.write("}")
  }
}
