import Core

extension EncodedRecords {
  /// Adds a record of `chat.status`.
  mutating func append(_ status: Status, of outputs: Outputs) {
    let key = append {
      $0.append(status.conversation, of: outputs)
      $0.append("#")
      $0.append(decimal: status.messageId)
    }
    let value = append { $0.append(status, of: outputs) }
    append(.status, key: key, value: value)
  }
}

extension [UInt8] {
  /// The value of `chat.status`, its fields in the order of the contract.
  fileprivate mutating func append(_ status: Status, of outputs: Outputs) {
    append(#"{"conversationId":"#)
    append(quoted: status.conversation, of: outputs)
    append(#","messageId":"#)
    append(decimal: status.messageId)
    if let uid = status.messageUId {
      append(#","messageUId":"#)
      append(quoted: uid, of: outputs)
    }
    if let sender = status.sender {
      append(#","sender":{"uid":"#)
      append(quoted: sender, of: outputs)
      append("}")
    }
    if let at = status.sentAt {
      append(#","sentAt":"#)
      append(seconds: at)
    }
    append(#","tracking":""#)
    append(status.tracking.word)
    if let reason = status.tracking.reason {
      append(#"","reason":""#)
      append(reason)
    }
    append("\"")
    append(#","totalCount":"#)
    append(decimal: status.readCount + status.unreadCount)
    append(#","deliveredCount":"#)
    append(decimal: status.deliveredCount)
    append(#","undeliveredCount":"#)
    append(decimal: status.undeliveredCount)
    append(#","readCount":"#)
    append(decimal: status.readCount)
    append(#","unreadCount":"#)
    append(decimal: status.unreadCount)
    if let at = status.deliveredAt {
      append(#","deliveredAt":"#)
      append(seconds: at)
    }
    if let at = status.readAt {
      append(#","readAt":"#)
      append(seconds: at)
    }
    if let at = status.deletedAt {
      append(#","deletedAt":"#)
      append(seconds: at)
    }
    if let uid = status.deletedBy {
      append(#","deletedBy":"#)
      append(quoted: uid, of: outputs)
    }
    append(#","replyCount":"#)
    append(decimal: status.replyCount)
    append("}")
  }
}
