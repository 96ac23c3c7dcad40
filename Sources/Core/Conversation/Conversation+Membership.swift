extension Conversation {
  /// Applies a membership record whose id is not known yet, and announces what it completes.
  mutating func apply(
    _ membership: Event.Membership, of event: Event, rules: Rules,
    _ application: inout Application, _ scratch: inout Scratch, _ outputs: inout Outputs
  ) {
    applyAction(id: membership.id, sentAt: membership.sentAt, application)
    scratch.begin()
    switch (roster, membership.change) {
    case (_, .unbanned): break
    case (_, .roster): replaceRoster(membership, event, rules, application, &scratch)
    // A part of a roster would announce "all" falsely.
    case (.unknown, _): break
    case (.tooLarge, let change): keepScopes(change, event, rules)
    case (.known, let change):
      if change.isEnd {
        end(membership, event, rules, application, &scratch)
      } else {
        begin(membership, event, application)
      }
    }
    if roster == .known, activeCount > 2 * rules.maxGroupMembers { forgetRoster(&scratch) }
    let cause: Cause =
      switch membership.change {
      case .left: .left
      case .kicked: .kicked
      case .banned: .banned
      case .deactivated: .deactivated
      default: .roster
      }
    scratch.deliveredToAll.sort()
    scratch.readByAll.sort()
    announce(cause: cause, at: membership.sentAt, &application, &scratch, &outputs)
  }

  /// Replaces the whole roster: who stays keeps his membership and takes the scope he is given.
  private mutating func replaceRoster(
    _ membership: Event.Membership, _ event: Event, _ rules: Rules, _ application: Application,
    _ scratch: inout Scratch
  ) {
    conversationChanged()
    if firstRosterId == nil { firstRosterId = membership.id }
    guard countDistinct(event.members, in: event) <= 2 * rules.maxGroupMembers else {
      forgetRoster(&scratch)
      forgetScopes()
      keepScopes(.added, event, rules)
      return
    }
    if roster == .tooLarge {
      largeFloor = membership.id
      forgetScopes()
    }
    roster = .known
    scratch.isNamed.removeAll(keepingCapacity: true)
    scratch.isNamed.append(contentsOf: repeatElement(false, count: members.count))
    for named in event.members {
      if let slot = uids.find(event.text.span.extracting(named.uid.range)) {
        scratch.isNamed[Int(slot)] = true
      }
    }
    scratch.work += members.count
    scratch.leavers.removeAll(keepingCapacity: true)
    for slot in members.indices where members[slot].isActive && !scratch.isNamed[slot] {
      scratch.leavers.append(Int32(slot))
    }
    endAll(membership, rules, application, &scratch)
    for named in event.members {
      let slot = slot(of: event.text.span.extracting(named.uid.range))
      if members[Int(slot)].isActive {
        setScope(named.scope, of: slot)
      } else {
        begin(slot, named, membership.id, application)
      }
    }
  }

  private mutating func begin(
    _ membership: Event.Membership, _ event: Event, _ application: Application
  ) {
    for named in event.members {
      let uid = event.text.span.extracting(named.uid.range)
      if membership.change == .scopeChanged {
        if let slot = uids.find(uid), members[Int(slot)].isActive {
          setScope(named.scope, of: slot)
        }
        continue
      }
      let slot = slot(of: uid)
      if !members[Int(slot)].isActive { begin(slot, named, membership.id, application) }
    }
  }

  private mutating func begin(
    _ slot: Int32, _ named: NamedMember, _ id: Int64, _ application: Application
  ) {
    members[Int(slot)].scope = named.scope
    members[Int(slot)].periods.append(
      Period(
        beginId: id, beginSequence: application.sequence, endId: nil, endSequence: nil,
        endedAt: nil, isExempt: named.isExempt))
    activeCount += 1
    if named.isExempt { activeExemptCount += 1 }
    highestMembershipId = max(highestMembershipId, id)
    memberChanged(slot)
  }

  private mutating func end(
    _ membership: Event.Membership, _ event: Event, _ rules: Rules, _ application: Application,
    _ scratch: inout Scratch
  ) {
    scratch.leavers.removeAll(keepingCapacity: true)
    for named in event.members {
      guard let slot = uids.find(event.text.span.extracting(named.uid.range)),
        members[Int(slot)].isActive
      else { continue }
      scratch.leavers.append(slot)
    }
    // One may be named twice.
    scratch.leavers.sort()
    endAll(membership, rules, application, &scratch)
  }

  /// Ends the memberships of the leavers: nobody waits for them any more.
  private mutating func endAll(
    _ membership: Event.Membership, _ rules: Rules, _ application: Application,
    _ scratch: inout Scratch
  ) {
    if rules.leavers == .release { release(rules, &scratch, at: membership.sentAt) }
    var last: Int32 = -1
    for place in scratch.leavers.indices where scratch.leavers[place] != last {
      last = scratch.leavers[place]
      end(last, membership, application, &scratch)
    }
  }

  /// Ends the membership of a slot; who waits for him is told by `release`.
  private mutating func end(
    _ slot: Int32, _ membership: Event.Membership, _ application: Application,
    _ scratch: inout Scratch
  ) {
    guard let last = members[Int(slot)].periods.indices.last else { return }
    let isExempt = members[Int(slot)].periods[last].isExempt
    members[Int(slot)].scope = .participant
    members[Int(slot)].periods[last].endId = membership.id
    members[Int(slot)].periods[last].endSequence = application.sequence
    members[Int(slot)].periods[last].endedAt = application.now
    activeCount -= 1
    if isExempt { activeExemptCount -= 1 }
    highestMembershipId = max(highestMembershipId, membership.id)
    endedSlots.append(slot)
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
