extension Model {
  /// A record of `groupMember`.
  mutating func apply(
    _ record: ModelMembershipRecord, _ source: ModelSource, in group: ModelConversation
  ) {
    guard isNew(record.id, record.sentAt, source, in: group) else { return }
    add(ModelKnown(id: record.id, sentAt: record.sentAt), to: group)
    let uids = record.members.map(\.uid)
    switch record.action {
    case .roster: replaceRoster(of: group, record)
    case .joined, .added, .reactivated:
      if group.roster == .known {
        for member in record.members { group.begin(member, at: record.id) }
      }
      if group.roster == .tooLarge { keepScopes(of: record.members, in: group) }
      if group.currentCount > secondLimit { forgetRoster(of: group) }
    case .left: end(uids, in: group, record, cause: .left)
    case .kicked: end(uids, in: group, record, cause: .kicked)
    case .banned: end(uids, in: group, record, cause: .banned)
    case .deactivated: end(uids, in: group, record, cause: .deactivated)
    case .scopeChanged: for member in record.members { setScope(of: member, in: group) }
    case .unbanned: break
    }
    retry(group, [.id(record.id)], isMembership: true)
  }

  private mutating func replaceRoster(
    of group: ModelConversation, _ record: ModelMembershipRecord
  ) {
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
    let gone = group.members.map(\.uid).filter { !listed.contains($0) }
    end(gone, in: group, record, cause: .roster)
    for member in record.members { setScope(of: member, in: group) }
    for member in record.members { group.begin(member, at: record.id) }
  }

  /// Ends memberships, which can complete messages.
  private mutating func end(
    _ uids: [Bytes], in group: ModelConversation, _ record: ModelMembershipRecord, cause: ModelCause
  ) {
    if group.roster == .tooLarge { group.scopes.subtract(uids) }
    guard group.roster == .known else { return }
    let ended = uids.compactMap { group.end($0, at: record.id) }
    for membership in ended {
      membership.endedAt = now
      if isTimeless { continue }
      due.memberships.append(ModelMembershipEnd(membership: membership, at: now))
    }
    guard let begin = ended.map(\.begin).min() else { return }
    let messages = group.known.above(begin).compactMap(\.message)
    for message in messages { leave(message, ended) }
    announce(among: messages, in: group, cause: cause, at: record.sentAt)
  }

  private func leave(_ message: ModelMessage, _ ended: [ModelMembership]) {
    for membership in ended where message.membership(of: membership.member) === membership {
      message.story.leaverInAudience = true
      if !rules.waitsForLeavers { message.release(membership.member) }
    }
  }

  private func setScope(of member: ModelMembershipRecord.Member, in group: ModelConversation) {
    switch group.roster {
    case .unknown: break
    case .known: group.member(member.uid)?.current?.scope = member.scope
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
    for message in group.messages {
      message.story.passedSecondLimit = true
      guard message.tracking == .on else { continue }
      message.close(.groupTooLarge)
      outputs.touch(message.id, in: group)
    }
    let current = group.members.compactMap(\.current)
    group.scopes = Set(current.filter { $0.scope != .participant }.map(\.member.uid))
    group.forgetMembers()
    group.roster = .tooLarge
    group.pastLimit.wasPassed = true
    group.pastLimit.highestId = max(group.pastLimit.highestId, group.known.all.last?.id ?? 0)
  }
}
