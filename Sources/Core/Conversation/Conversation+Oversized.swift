// A group of more than twice `maxGroupMembers` is not remembered: it must not cost memory for each
// of its members.
extension Conversation {
  /// Forgets the roster except for scopes above participant, and with it everything that hangs on
  /// members; ends the tracking of every message that is tracked.
  mutating func forgetRoster(_ turn: inout Turn) {
    unwritten.noteOwn()
    roster = .tooLarge
    turn.scratch.work += timeline.indices.count + (members.count + positions.count) * Work.output
    for index in timeline.indices where timeline.isTracked(index) {
      timeline.end(index, as: .endedTooLarge)
      messageChanged(index)
      turn.scratch.touched.append(timeline.ids[index])
      dropMarks(index)
    }
    for member in positions.members { forgetPosition(member) }
    keptScopes = 0
    activeCount = 0
    activeExemptCount = 0
    highestMembershipId = 0
    highestUpTo = 0
    highestSentUpTo = .distantPast
    for slot in members.indices where slot < uids.slotCount && !uids[slot].isEmpty {
      let scope = members[slot].scope
      if scope != .participant { keptScopes += 1 }
      guard members[slot].messageCount > 0 || scope != .participant else {
        free(Int32(slot))
        continue
      }
      members[slot].periods = []
      members[slot].progress = Progress()
      memberChanged(Int32(slot))
    }
    trimMembers()
  }

  /// Forgets the scopes that were kept, and who has a slot for them alone.
  mutating func forgetScopes() {
    for slot in members.indices where members[slot].scope != .participant {
      // The table of names may have given up the last slots; those have no scope any more.
      dropScope(of: Int32(slot))
    }
    trimMembers()
  }

  /// Keeps scopes above participant up to date while the roster is forgotten: of no more members
  /// than a group may have before it is forgotten.
  mutating func keepScopes(_ change: MembershipChange, _ event: Event, _ rules: Rules) {
    for named in event.members {
      let uid = event.text.span.extracting(named.uid.range)
      let known = uids.find(uid)
      let scope = change.isEnd ? .participant : named.scope
      let old = known.map { members[Int($0)].scope } ?? .participant
      guard scope != old else { continue }
      if scope == .participant {
        // Only a change of scope or the end of a membership takes a scope away.
        guard change.isEnd || change == .scopeChanged, let known else { continue }
        dropScope(of: known)
      } else if old != .participant || keptScopes < rules.rosterLimit {
        let slot = slot(of: uid)
        members[Int(slot)].scope = scope
        memberChanged(slot)
        if old == .participant { keptScopes += 1 }
      }
    }
    trimMembers()
  }

  private mutating func dropScope(of slot: Int32) {
    keptScopes -= 1
    if members[Int(slot)].messageCount > 0 {
      members[Int(slot)].scope = .participant
      memberChanged(slot)
    } else {
      free(slot)
    }
  }

  /// Frees the slot of a uid that is not needed any more.
  mutating func free(_ slot: Int32) {
    unwritten.noteRemoved(.member(id, slot: slot), isWritten: members[Int(slot)].isWritten)
    members[Int(slot)] = Member()
    uids.remove(slot)
  }

  /// The table of names gives up the slots behind its last name, and so do the members.
  mutating func trimMembers() {
    if members.count > uids.slotCount { members.removeLast(members.count - uids.slotCount) }
  }
}
