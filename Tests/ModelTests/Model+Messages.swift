extension Model {
  /// A message of category `message`, `custom` or `call`.
  mutating func apply(_ record: ModelMessageRecord) {
    guard record.conversation.guid != nil else { return }
    let group = group(record.conversation)
    guard group.known[record.id] == nil else { return }

    let present = group.present(at: record.id)
    var tracking = ModelMessage.Tracking.on
    if isTooLarge(group, at: record.id, present.count) {
      tracking = .off("GROUP_TOO_LARGE")
    } else if group.roster == .unknown || record.id < group.firstRosterId ?? 0 {
      tracking = .off("ROSTER_UNKNOWN")
    } else if !record.needReceipt {
      tracking = .off("NOT_REQUESTED")
    }
    let audience = present.filter { uid, membership in
      uid != record.sender && !membership.isExempt
    }
    let isFirst = record.messageUId.map { group.holder(of: $0) == nil } ?? false
    let message = ModelMessage(
      record, messageUId: isFirst ? record.messageUId : nil, tracking: tracking,
      audience: tracking == .on ? audience : [:])
    for uid in message.audience.keys {
      let claims = group.claims.filter { $0.uid == uid && $0.covers(message) }
      if claims.contains(where: { $0.kind == .read }) { message.read.insert(uid) }
      if !claims.isEmpty { message.delivered.insert(uid) }
    }
    group.add(message)
    outputs.touch(group.name.id, record.id)
    announce(among: [message], in: group, cause: "message", at: record.sentAt)
    retry(group)
  }

  private func isTooLarge(_ group: ModelGroup, at id: Int64, _ present: Int) -> Bool {
    if group.roster == .tooLarge { return true }
    if let floor = group.largeFloor, id < floor { return true }
    return present > rules.maxGroupMembers
  }

  /// An action record that is passed over.
  mutating func applyAction(_ id: Int64, to group: ModelGroup) {
    guard group.known[id] == nil else { return }
    group.known[id] = ModelKnown(id: id)
    retry(group)
  }

  /// A record of `groupMember`.
  mutating func apply(_ record: ModelMembershipRecord) {
    let group = group(record.conversation)
    guard group.known[record.id] == nil else { return }
    group.known[record.id] = ModelKnown(id: record.id)
    switch record.action {
    case .roster: replaceRoster(of: group, record)
    case .joined, .added, .reactivated:
      if group.roster == .known { begin(record.members, in: group, at: record.id) }
      if group.current.count > secondLimit { forget(group) }
    case .left, .kicked, .banned, .deactivated:
      if group.roster == .known { end(record.members.map(\.uid), in: group, at: record.id) }
      let cause = record.action.rawValue
      announce(among: group.tracked, in: group, cause: cause, at: record.sentAt)
    case .unbanned, .scopeChanged: break
    }
    retry(group)
  }

  private mutating func replaceRoster(of group: ModelGroup, _ record: ModelMembershipRecord) {
    if group.firstRosterId == nil { group.firstRosterId = record.id }
    let listed = Set(record.members.map(\.uid))
    if listed.count > secondLimit {
      // Who is not listed is not released first: the group is past the limit at once.
      forget(group)
      return
    }
    if group.roster == .tooLarge { group.largeFloor = record.id }
    group.roster = .known
    end(group.memberships.map(\.uid).filter { !listed.contains($0) }, in: group, at: record.id)
    begin(record.members, in: group, at: record.id)
    announce(among: group.tracked, in: group, cause: "roster", at: record.sentAt)
  }

  private func begin(
    _ members: [ModelMembershipRecord.Member], in group: ModelGroup, at id: Int64
  ) {
    var current = Set(group.current.keys)
    for member in members where current.insert(member.uid).inserted {
      group.memberships.append(
        ModelMembership(uid: member.uid, begin: id, isExempt: member.isExempt))
    }
  }

  private func end(_ uids: [Bytes], in group: ModelGroup, at id: Int64) {
    let current = group.current
    for uid in uids { current[uid]?.end = id }
  }

  var secondLimit: Int { 2 * rules.maxGroupMembers }

  /// Past the second limit nothing is kept of members, and nothing more is counted.
  private mutating func forget(_ group: ModelGroup) {
    for message in group.tracked {
      message.lastCounts = message.counts(rules.leavers)
      message.tracking = .ended("GROUP_TOO_LARGE")
      outputs.touch(group.name.id, message.id)
    }
    group.memberships = []
    group.claims = []
    group.roster = .tooLarge
  }
}
