import CSimdJSON
import Core

/// Records of `chat.messages`.
extension Decoder {
  /// A message, an edit, a membership or another action.
  func message(into event: inout Event) throws(Invalid) -> Event.Body {
    // Any word but `action` is a message: who knows what comes next.
    guard record.category.kind == .string, record.category.count > 0 else {
      throw Invalid(.badRecord, field: "category")
    }
    let isAction = record.category.word == .action
    let id = try id(record.id, "id")
    let isGroup = try checkReceiver()
    guard let sentAt = try backendTime(record.sentAt, "sentAt", of: event) else {
      throw Invalid(.badRecord, field: "sentAt")
    }
    var messageUId: Text?
    if record.messageUId.kind != .absent {
      messageUId = try name(record.messageUId, "messageUId", into: &event)
    }
    try check(record.type, is: .string, "type")
    try check(record.needReceipt, is: .bool, "needReceipt")
    let parentMessageId = try integer(record.parentMessageId, "parentMessageId") ?? 0
    let isEdit = try isEdit()
    if isAction {
      let action = try action(id: id, isGroup: isGroup, sentAt: sentAt, into: &event)
      return isEdit ? .edit : action
    }
    let sender = try name(record.sender.uid, "sender.uid", into: &event)
    if isEdit { return .edit }
    return .message(
      Event.Message(
        id: id, sender: sender, sentAt: sentAt, messageUId: messageUId,
        parentMessageId: parentMessageId,
        needReceipt: record.needReceipt.kind == .absent || record.needReceipt.payload != 0))
  }

  /// Whether `editedAt` is above 0, be it by less than a millisecond.
  private func isEdit() throws(Invalid) -> Bool {
    guard try time(record.editedAt, "editedAt") != nil else { return false }
    let bits = record.editedAt.payload
    return record.editedAt.kind == .integer
      ? bits > 0 : Double(bitPattern: UInt64(bitPattern: bits)) > 0
  }

  private func action(
    id: Int64, isGroup: Bool, sentAt: Instant, into event: inout Event
  ) throws(Invalid) -> Event.Body {
    try check(record.action, is: .string, "action")
    try checkUser(record.sender, "sender.uid")
    try checkUser(record.actionBy, "actionBy.uid")
    let isOnNobody = record.actionOn.kind == .absent
    if isOnNobody || !isGroup, record.actionBy.uid.kind == .absent {
      throw Invalid(.badRecord, field: "actionBy.uid")
    }
    guard isGroup, record.type.word == .groupMember, let change = membershipChange() else {
      return .action(id: id, sentAt: sentAt)
    }
    if isOnNobody {
      if change == .roster || change == .scopeChanged {
        throw Invalid(.badRecord, field: "actionOn")
      }
      let actor = try name(record.actionBy.uid, "actionBy.uid", into: &event)
      event.members.append(NamedMember(uid: actor, scope: .participant, isExempt: false))
    } else {
      try namedMembers(into: &event)
    }
    return .membership(Event.Membership(id: id, change: change, sentAt: sentAt))
  }

  private func namedMembers(into event: inout Event) throws(Invalid) {
    guard record.actionOn.kind == .array else { throw Invalid(.badRecord, field: "actionOn") }
    unsafe csj_begin(parser, .actionOn)
    var user = csj_user()
    while unsafe csj_next_user(parser, &user) {
      event.members.append(try member(user, into: &event))
    }
  }

  private func member(
    _ user: csj_user, into event: inout Event
  ) throws(Invalid) -> NamedMember {
    let uid = try name(user.uid, "actionOn.uid", into: &event)
    try check(user.scope, is: .string, "actionOn.scope")
    try check(user.receipts, is: .string, "actionOn.receipts")
    let scope: Scope =
      switch user.scope.word {
      case .owner: .owner
      case .admin: .admin
      case .moderator: .moderator
      default: .participant
      }
    return NamedMember(uid: uid, scope: scope, isExempt: user.receipts.word == .exempt)
  }

  /// The membership action that the record names; nil for another word or none.
  private func membershipChange() -> MembershipChange? {
    switch record.action.word {
    case .roster: .roster
    case .joined: .joined
    case .added: .added
    case .reactivated: .reactivated
    case .left: .left
    case .kicked: .kicked
    case .banned: .banned
    case .deactivated: .deactivated
    case .unbanned: .unbanned
    case .scopeChanged: .scopeChanged
    default: nil
    }
  }
}
