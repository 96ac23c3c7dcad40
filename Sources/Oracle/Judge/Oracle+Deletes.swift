/// What comes of deletes.
extension Oracle {
  /// Why there is a `messageDeleted` that the model does not have.
  mutating func explain(stranger value: JSON, _ event: OracleEvent) -> OracleExplanation? {
    guard event.source.topic == .deletes, let delete = deletes[event.source.offset],
      let message = value["message"], delete.conversation == event.conversation,
      message["id"] == .int(delete.messageId),
      conversations[delete.conversation].isUndated
        || message["deletedAt"]?.time == delete.deletedAt,
      message["deletedBy"]?.text.map({ OracleDigest($0) }) == delete.deletedBy,
      message["updatedAt"] == message["deletedAt"],
      let explanation = explanation(ofDelete: event.source.offset)
    else { return nil }
    return explanation
  }

  /// Notes that a delete was told of which an action must tell, too.
  mutating func noteDeleted(_ message: JSON, at place: Int) {
    guard order == .any, let id = message["id"]?.whole, conversations[place].isScoped(id) else {
      return
    }
    scopedDeletes[digest(ofDeleted: message, at: place), default: 0] += 1
  }

  private func digest(ofDeleted message: JSON, at place: Int) -> OracleDigest {
    OracleDigest(OracleDigest(conversations[place].id), OracleDigest(message))
  }

  mutating func checkAction(_ output: OracleRecord) {
    guard let value = JSON.parsed(output.value), let key = output.key,
      value["conversationId"]?.text?.bytes == key
    else { return find(.wrong, "\(output.place) is no action") }
    if let place = places[Bytes(key)], let id = value["actionOn"]?["id"]?.whole {
      conversations[place].actionsAhead[id, default: 0] += 1
    }
    let digest = OracleDigest(OracleDigest(key), OracleDigest(value))
    if let message = value["actionOn"], let place = places[Bytes(key)],
      isPossible(value, at: place)
    {
      scopedDeletes[self.digest(ofDeleted: message, at: place), default: 0] -= 1
    } else if let action = actions[digest] {
      actions[digest]?.left -= 1
      if action.left <= 0 { find(.doubled, "\(output.place), an action") }
    } else {
      let isAllowed = waitingActions.remove(digest) != nil
      let reason = places[Bytes(key)].flatMap { aheadExplains(differenceIn: $0) }
      judge(
        isAllowed ? .reordered : reason, .wrong,
        "\(output.place), an action, which nothing asks for")
    }
  }

  /// Whether an action is of the form that the contract has, and of a delete that a scope decides.
  private func isPossible(_ action: JSON, at place: Int) -> Bool {
    let name = conversations[place].name
    guard order == .any, let message = action["actionOn"], let id = message["id"]?.whole,
      conversations[place].isScoped(id)
    else { return false }
    let receiver: JSON = .string(name.receiver)
    let expected: JSON = [
      "muid": .string(Bytes("deleted-\(id)")), "category": "action", "type": "message",
      "action": "deleted", "message": "Message is deleted.",
      "actionBy": action["actionBy"] ?? .null, "actionOn": message,
      "actionFor": name.guid == nil ? ["uid": receiver] : ["guid": receiver],
      "conversationId": .string(name.id), "receiverId": receiver,
      "receiverType": name.guid == nil ? "user" : "group",
      "sentAt": message["deletedAt"] ?? .null,
      "parentMessageId": action["parentMessageId"] ?? .null,
    ]
    return action == expected && action["actionBy"]?["uid"] == message["deletedBy"]
      && action["parentMessageId"]?.whole != nil
  }

  /// Actions that did not come, and what came as an event or an action only.
  mutating func checkActionsLeft() {
    for action in actions.values where action.left > 0 {
      if order == .any, conversations[action.conversation].isScoped(action.id) { continue }
      judge(
        aheadExplains(differenceIn: action.conversation), .missing,
        "the action of the delete of \(action.id)")
    }
    for left in scopedDeletes.values where left != 0 {
      find(left > 0 ? .missing : .wrong, "an action of a delete that a scope decides")
    }
  }
}
