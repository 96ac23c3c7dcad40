extension Model {
  /// A record of `groupMember`.
  mutating func apply(_ record: ModelMembershipRecord) {
    let group = conversation(record.conversation)
    guard isNew(record.id, in: group) else { return }
    group.known[record.id] = ModelKnown(id: record.id, sentAt: record.sentAt, appliedAt: now)
    let uids = record.members.map(\.uid)
    switch record.action {
    case .roster: replaceRoster(of: group, record)
    case .joined, .added, .reactivated:
      if group.roster == .known { begin(record.members, in: group, at: record.id) }
      if group.roster == .tooLarge { keepScopes(of: record.members, in: group) }
      if group.current.count > secondLimit { forgetRoster(of: group) }
    case .left, .kicked, .banned, .deactivated:
      if group.roster == .known { end(uids, in: group, at: record.id) }
      if group.roster == .tooLarge { group.scopes.subtract(uids) }
      let cause = record.action.rawValue
      announce(among: group.tracked, in: group, cause: cause, at: record.sentAt)
    case .scopeChanged: for member in record.members { setScope(of: member, in: group) }
    case .unbanned: break
    }
    retry(group, [.id(record.id)], isMembership: true)
  }

  private mutating func replaceRoster(of group: ModelConversation, _ record: ModelMembershipRecord)
  {
    if group.firstRosterId == nil { group.firstRosterId = record.id }
    let listed = Set(record.members.map(\.uid))
    if listed.count > secondLimit {
      // Who is not listed is not released first: the group is past the limit at once.
      forgetRoster(of: group)
      group.scopes = []
      keepScopes(of: record.members, in: group)
      return
    }
    if group.roster == .tooLarge { group.largeFloor = record.id }
    group.roster = .known
    group.scopes = []
    end(group.memberships.map(\.uid).filter { !listed.contains($0) }, in: group, at: record.id)
    for member in record.members { setScope(of: member, in: group) }
    begin(record.members, in: group, at: record.id)
    announce(among: group.tracked, in: group, cause: "roster", at: record.sentAt)
  }

  private func begin(
    _ members: [ModelMembershipRecord.Member], in group: ModelConversation, at id: Int64
  ) {
    var current = Set(group.current.keys)
    for member in members where current.insert(member.uid).inserted {
      group.memberships.append(
        ModelMembership(
          uid: member.uid, begin: id, isExempt: member.isExempt, scope: member.scope))
    }
  }

  private func end(_ uids: [Bytes], in group: ModelConversation, at id: Int64) {
    let current = group.current
    for uid in uids {
      current[uid]?.end = id
      current[uid]?.endedAt = now
    }
  }

  private func setScope(of member: ModelMembershipRecord.Member, in group: ModelConversation) {
    switch group.roster {
    case .unknown: break
    case .known: group.current[member.uid]?.scope = member.scope
    case .tooLarge:
      if member.scope == .participant { group.scopes.remove(member.uid) }
      keepScopes(of: [member], in: group)
    }
  }

  /// While the roster is too large to be known: of no more members than it may have before.
  private func keepScopes(
    of members: [ModelMembershipRecord.Member], in group: ModelConversation
  ) {
    for member in members where member.scope != .participant {
      if group.scopes.count < secondLimit { group.scopes.insert(member.uid) }
    }
  }

  private var secondLimit: Int { 2 * rules.maxGroupMembers }

  /// Past the second limit nothing is kept of members but their scopes, and nothing more is
  /// counted.
  private mutating func forgetRoster(of group: ModelConversation) {
    for message in group.tracked {
      message.close("GROUP_TOO_LARGE", rules.leavers)
      outputs.touch(group.name.id, message.id)
    }
    group.scopes = Set(group.current.values.filter { $0.scope != .participant }.map(\.uid))
    group.memberships = []
    group.claims = []
    group.cursorMoves = []
    group.roster = .tooLarge
  }
}
