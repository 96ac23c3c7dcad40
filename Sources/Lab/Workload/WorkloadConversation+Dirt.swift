import Core

/// What no good client writes.
extension WorkloadConversation {
  /// Of an id that never comes: so far above all that do.
  private static let never: Int64 = 1_000_000_000
  /// Longer than any value that is looked at.
  private static let tooManyBytes = 800_000

  /// Perhaps writes something forged, bad or too large.
  mutating func soil(_ pen: inout WorkloadPen) -> Bool {
    if pen.chance(pen.options.forged) {
      forge(&pen)
    } else if pen.chance(pen.options.bad) {
      if pen.below(2) == 0 { writeMalformed(&pen) } else { breakRule(&pen) }
    } else if pen.chance(pen.options.oversized) {
      pen.begin(.receipts, key: names.key, partition: partition, mayStray: false)
      pen.write(#"{"padding":""#)
      writeText(Self.tooManyBytes, &pen)
      pen.write(#""}"#)
    } else {
      return false
    }
    return true
  }

  /// Names a message or a member that never comes.
  private mutating func forge(_ pen: inout WorkloadPen) {
    let number = members[pen.below(members.count)].number
    let ahead = lastId + Self.never + Int64(pen.below(1000))
    let between = skippedId ?? ahead
    switch pen.below(9) {
    case 0: writeReceipt(ahead, by: number, &pen)
    case 1: writeReceipt(between, by: number, &pen)
    // Older than all that is known: it adds nothing.
    case 2: writeReceipt(ancientId, by: number, &pen)
    case 3:
      beginReceipt("read", by: number, &pen)
      writeExactly([between, recent[pen.below(recent.count)].id, ahead], &pen)
      endReceipt("read", at: told(pen.now), &pen)
    case 4: writeUnread(ahead, by: number, &pen)
    case 5: writeDelete(of: between, by: number, &pen)
    case 6:
      // The backend's own word for what it deletes: accepted, when the message does not come.
      let original = WorkloadRecent.Message(id: ahead, sender: number, sentAt: told(pen.now))
      writeDelete(of: ahead, by: number, original: original, &pen)
    default:
      // Where no roster is known everybody may be in.
      let isKnown = kind == .group && !takesCrowds && size <= pen.options.maxGroupMembers
      writeReceipt(isKnown ? lastId : ahead, by: isKnown ? stranger(&pen) : number, &pen)
    }
  }

  /// The number of somebody who is never in.
  private func stranger(_ pen: inout WorkloadPen) -> Int64 {
    Self.never + Int64(pen.below(1_000_000))
  }

  private func writeReceipt(_ id: Int64, by number: Int64, _ pen: inout WorkloadPen) {
    beginReceipt("read", by: number, &pen)
    writeCover(id, &pen)
    endReceipt("read", at: told(pen.now), &pen)
  }

  /// Well-formed, and against a rule.
  private mutating func breakRule(_ pen: inout WorkloadPen) {
    let index = pen.below(recent.count)
    let message = recent[index]
    switch pen.below(6) {
    case 0: writeUnread(message.id, by: message.sender, &pen)
    case 1 where members.count > 2:
      // No manager, and not the sender.
      let actor = members[2 + pen.below(members.count - 2)]
      guard actor.number != message.sender, !actor.isModerator else { fallthrough }
      writeDelete(of: message.id, by: actor.number, &pen)
    case 2:
      recent[index].isDeleted = true
      writeDelete(of: message.id, by: message.sender, &pen)
    case 3 where actionId != nil:
      writeDelete(of: actionId ?? 0, by: members[0].number, &pen)
    case 4 where message.isReply: talk(inThreadOf: message.id, &pen)
    // A reply to what comes after it.
    default: talk(inThreadOf: lastId + Self.never, &pen)
    }
  }

  /// Writes a message that is rejected for its parent. Its id is taken all the same.
  private mutating func talk(inThreadOf parent: Int64, _ pen: inout WorkloadPen) {
    let sender = members[pen.below(members.count)].number
    let message = WorkloadRecent.Message(
      id: newId(&pen), sender: sender, sentAt: told(pen.now))
    pen.begin(.messages, key: names.key, partition: partition)
    write(message, parent: parent, &pen)
  }
}
