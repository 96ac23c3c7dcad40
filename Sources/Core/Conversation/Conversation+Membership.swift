extension Conversation {
  /// Applies a membership record whose id is not known yet, and announces what it completes.
  mutating func apply(_ membership: Event.Membership, of event: Event, _ turn: inout Turn) {
    applyAction(id: membership.id, sentAt: membership.sentAt, &turn)
    turn.scratch.begin()
    switch (roster, membership.change) {
    case (_, .unbanned): break
    case (_, .roster): replaceRoster(membership, event, &turn)
    // A part of a roster would announce "all" falsely.
    case (.unknown, _): break
    case (.tooLarge, let change): keepScopes(change, event, turn.rules)
    case (.known, let change):
      if change.isEnd {
        end(membership, event, &turn)
      } else {
        begin(membership, event, &turn)
      }
    }
    if roster == .known, activeCount > turn.rules.rosterLimit { forgetRoster(&turn) }
    let cause: Cause =
      switch membership.change {
      case .left: .left
      case .kicked: .kicked
      case .banned: .banned
      case .deactivated: .deactivated
      default: .roster
      }
    turn.scratch.deliveredToAll.sort()
    turn.scratch.readByAll.sort()
    emitAnnouncements(cause: cause, at: membership.sentAt, &turn)
  }

  /// Replaces the whole roster: who stays keeps the membership and takes the scope that it gives.
  private mutating func replaceRoster(
    _ membership: Event.Membership, _ event: Event, _ turn: inout Turn
  ) {
    unwritten.noteOwn()
    if firstRosterId == nil { firstRosterId = membership.id }
    guard countDistinct(event.members, in: event) <= turn.rules.rosterLimit else {
      forgetRoster(&turn)
      forgetScopes()
      keepScopes(.added, event, turn.rules)
      return
    }
    if roster == .tooLarge {
      largeFloor = membership.id
      forgetScopes()
    }
    roster = .known
    turn.scratch.isNamed.removeAll(keepingCapacity: true)
    turn.scratch.isNamed.append(contentsOf: repeatElement(false, count: members.count))
    for named in event.members {
      if let slot = uids.find(event.text.span.extracting(named.uid.range)) {
        turn.scratch.isNamed[Int(slot)] = true
      }
    }
    turn.scratch.work += members.count
    turn.scratch.leavers.removeAll(keepingCapacity: true)
    for slot in members.indices where members[slot].isActive && !turn.scratch.isNamed[slot] {
      turn.scratch.leavers.append(Int32(slot))
    }
    endAll(membership, &turn)
    for named in event.members {
      let slot = slot(of: event.text.span.extracting(named.uid.range))
      if members[Int(slot)].isActive {
        setScope(named.scope, of: slot)
      } else {
        begin(slot, named, membership.id, &turn)
      }
    }
  }

  private mutating func begin(_ membership: Event.Membership, _ event: Event, _ turn: inout Turn) {
    for named in event.members {
      let uid = event.text.span.extracting(named.uid.range)
      if membership.change == .scopeChanged {
        if let slot = uids.find(uid), members[Int(slot)].isActive {
          setScope(named.scope, of: slot)
        }
        continue
      }
      let slot = slot(of: uid)
      if !members[Int(slot)].isActive { begin(slot, named, membership.id, &turn) }
    }
  }

  private mutating func begin(_ slot: Int32, _ named: NamedMember, _ id: Int64, _ turn: inout Turn)
  {
    members[Int(slot)].scope = named.scope
    members[Int(slot)].periods.append(
      Period(beginId: id, beginSequence: turn.record.sequence, isExempt: named.isExempt))
    activeCount += 1
    if named.isExempt { activeExemptCount += 1 }
    highestMembershipId = max(highestMembershipId, id)
    memberChanged(slot)
  }

  private mutating func end(_ membership: Event.Membership, _ event: Event, _ turn: inout Turn) {
    turn.scratch.leavers.removeAll(keepingCapacity: true)
    for named in event.members {
      guard let slot = uids.find(event.text.span.extracting(named.uid.range)),
        members[Int(slot)].isActive
      else { continue }
      turn.scratch.leavers.append(slot)
    }
    // One may be named twice.
    turn.scratch.leavers.sort()
    endAll(membership, &turn)
  }

  /// Ends the memberships of the leavers: nobody waits for them any more.
  private mutating func endAll(_ membership: Event.Membership, _ turn: inout Turn) {
    if turn.rules.leavers == .release { release(at: membership.sentAt, &turn) }
    var last: Int32 = -1
    for number in turn.scratch.leavers.indices where turn.scratch.leavers[number] != last {
      last = turn.scratch.leavers[number]
      end(last, membership, &turn)
    }
  }

  /// Ends the membership of a slot; that nobody waits any more is told by `release`.
  private mutating func end(_ slot: Int32, _ membership: Event.Membership, _ turn: inout Turn) {
    guard let last = members[Int(slot)].periods.indices.last else { return }
    let isExempt = members[Int(slot)].periods[last].isExempt
    members[Int(slot)].scope = .participant
    members[Int(slot)].periods[last].endId = membership.id
    members[Int(slot)].periods[last].endSequence = turn.record.sequence
    members[Int(slot)].periods[last].endedAt = turn.now
    activeCount -= 1
    if isExempt { activeExemptCount -= 1 }
    highestMembershipId = max(highestMembershipId, membership.id)
    turn.scratch.ended.append(slot)
    memberChanged(slot)
  }

  private mutating func setScope(_ scope: Scope, of slot: Int32) {
    guard members[Int(slot)].scope != scope else { return }
    members[Int(slot)].scope = scope
    memberChanged(slot)
  }

  private func countDistinct(_ named: [NamedMember], in event: Event) -> Int {
    guard named.count > 1 else { return named.count }
    var names = NameTable()
    for member in named { _ = names.intern(event.text.span.extracting(member.uid.range)) }
    return names.count
  }
}

extension MembershipChange {
  /// Whether it ends memberships.
  var isEnd: Bool {
    switch self {
    case .left, .kicked, .banned, .deactivated: true
    case .roster, .joined, .added, .reactivated, .unbanned, .scopeChanged: false
    }
  }
}
