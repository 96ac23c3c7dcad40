import Core

/// Who comes and goes.
extension WorkloadConversation {
  /// How many of those who have gone are remembered.
  private static let rememberedLeavers = 4

  /// Writes one change of the group.
  mutating func change(_ pen: inout WorkloadPen) {
    if hasCrowd { return writeSnapshot(&pen) }
    if takesCrowds, pen.below(5) == 0 { return takeCrowd(&pen) }
    if pen.chance(pen.options.snapshots) { return writeSnapshot(&pen) }
    // It may shrink by a twentieth, and comes back to its size.
    let canLose = members.count > max(2, size - max(1, size / 20))
    let canGain = members.count < size
    switch pen.below(canLose && canGain ? 8 : 4) {
    case 0 where members.count > 2: changeScope(&pen)
    case 1 where !leavers.isEmpty: unban(&pen)
    case _ where canLose && (!canGain || pen.below(2) == 0): lose(&pen)
    case _ where canGain: gain(&pen)
    default: writeSnapshot(&pen)
    }
  }

  /// Writes the whole roster.
  mutating func writeRoster(_ pen: inout WorkloadPen) {
    beginAction("roster", by: members[0].number, mayStray: false, &pen)
    pen.write(#","actionOn":["#)
    for index in members.indices {
      if index > 0 { pen.write(",") }
      write(members[index], scope: scope(of: index), &pen)
    }
    pen.write("]")
    endAction(&pen)
    // Past twice the cap it was forgotten who had been in before.
    if hasCrowd || size > 2 * pen.options.maxGroupMembers { leavers.removeAll() }
    hasCrowd = false
  }

  private mutating func writeSnapshot(_ pen: inout WorkloadPen) {
    // Some systems tell of a leaver by the next roster alone.
    if members.count > 3, pen.below(3) == 0 { removeAny(&pen) }
    writeRoster(&pen)
  }

  private func scope(of index: Int) -> String? {
    switch index {
    case 0: "owner"
    case 1: "admin"
    default: members[index].isModerator ? "moderator" : nil
    }
  }

  private mutating func gain(_ pen: inout WorkloadPen) {
    let returns = !leavers.isEmpty && pen.below(2) == 0
    let isAlone = returns || pen.below(2) == 0
    let action =
      returns ? ["joined", "added", "reactivated"][pen.below(3)] : isAlone ? "joined" : "added"
    let count = isAlone ? 1 : 1 + pen.below(min(3, size - members.count))
    var new: [WorkloadMember] = []
    for _ in 0..<count {
      var member = newMember(&pen)
      if returns { member.number = leavers.remove(at: pen.below(leavers.count)).number }
      new.append(member)
    }
    if action == "joined" {
      // Only a list of members can say that nobody waits for one.
      new[0].isExempt = false
      beginAction(action, by: new[0].number, &pen)
    } else {
      beginAction(action, by: members[0].number, &pen)
      writeList(new, scope: nil, &pen)
    }
    endAction(&pen)
    for index in new.indices { new[index].seen = lastId }
    members += new
  }

  private mutating func lose(_ pen: inout WorkloadPen) {
    let action = ["left", "left", "kicked", "banned", "deactivated"][pen.below(5)]
    let member = removeAny(&pen)
    if action == "left" {
      beginAction(action, by: member.number, &pen)
    } else {
      beginAction(action, by: members[pen.below(2)].number, &pen)
      writeList([member], scope: nil, &pen)
    }
    endAction(&pen)
  }

  /// Takes somebody out who is no founder.
  @discardableResult
  private mutating func removeAny(_ pen: inout WorkloadPen) -> WorkloadMember {
    let index = 2 + pen.below(members.count - 2)
    members.swapAt(index, members.count - 1)
    var member = members.removeLast()
    // The device may still tell what was read.
    member.untold = (lastId, pen.now)
    if leavers.count == Self.rememberedLeavers { leavers.removeFirst() }
    leavers.append(member)
    return member
  }

  private mutating func changeScope(_ pen: inout WorkloadPen) {
    let index = 2 + pen.below(members.count - 2)
    members[index].isModerator.toggle()
    beginAction("scopeChanged", by: members[0].number, &pen)
    writeList(
      [members[index]], scope: members[index].isModerator ? "moderator" : "participant", &pen)
    endAction(&pen)
  }

  private mutating func unban(_ pen: inout WorkloadPen) {
    beginAction("unbanned", by: members[0].number, &pen)
    writeList([leavers[0]], scope: nil, &pen)
    endAction(&pen)
  }

  /// Takes so many in that the group is past the cap, or past twice the cap.
  private mutating func takeCrowd(_ pen: inout WorkloadPen) {
    hasCrowd = true
    let most = pen.options.maxGroupMembers * (1 + pen.below(2))
    beginAction("added", by: members[0].number, mayStray: false, &pen)
    pen.write(#","actionOn":["#)
    for index in 0...(most - members.count) {
      pen.write(index > 0 ? #",{"uid":"crowd"# : #"{"uid":"crowd"#)
      pen.write(Int64(index))
      pen.write(#""}"#)
    }
    pen.write("]")
    endAction(&pen)
  }

  private mutating func beginAction(
    _ action: String, by actor: Int64, mayStray: Bool = true, _ pen: inout WorkloadPen
  ) {
    let id = newId(&pen)
    actionId = id
    pen.begin(.messages, key: names.key, partition: partition, mayStray: mayStray)
    pen.write(#"{"id":"#)
    pen.write(id)
    pen.write(#","category":"action","type":"groupMember","action":""#)
    pen.write(action)
    pen.write(#"","actionBy":{"uid":"#)
    names.writeUid(actor, &pen)
    pen.write("},")
    names.writeReceiver(of: actor, &pen)
    pen.write(#","sentAt":"#)
    pen.write(time: told(pen.now))
  }

  private func endAction(_ pen: inout WorkloadPen) { pen.write("}") }

  private func writeList(
    _ members: [WorkloadMember], scope: String?, _ pen: inout WorkloadPen
  ) {
    pen.write(#","actionOn":["#)
    for index in members.indices {
      if index > 0 { pen.write(",") }
      write(members[index], scope: scope, &pen)
    }
    pen.write("]")
  }

  private func write(_ member: WorkloadMember, scope: String?, _ pen: inout WorkloadPen) {
    pen.write(#"{"uid":"#)
    names.writeUid(member.number, &pen)
    if let scope {
      pen.write(#","scope":""#)
      pen.write(scope)
      pen.write("\"")
    }
    if member.isExempt { pen.write(#","receipts":"exempt""#) }
    pen.write("}")
  }
}
