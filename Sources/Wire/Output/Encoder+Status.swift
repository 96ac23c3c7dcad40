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
    append(#"{"conversationId":"#, quoted: status.conversation, of: outputs)
    append(#","messageId":"#, decimal: status.messageId)
    append(#","messageUId":"#, quoted: status.messageUId, of: outputs)
    if let sender = status.sender {
      append(#","sender":{"uid":"#, quoted: sender, of: outputs)
      append("}")
    }
    append(#","sentAt":"#, seconds: status.sentAt)
    append(#","tracking":""#)
    append(status.tracking.word)
    if let reason = status.tracking.reason {
      append(#"","reason":""#)
      append(reason)
    }
    append("\"")
    append(#","totalCount":"#, decimal: status.readCount + status.unreadCount)
    append(#","deliveredCount":"#, decimal: status.deliveredCount)
    append(#","undeliveredCount":"#, decimal: status.undeliveredCount)
    append(#","readCount":"#, decimal: status.readCount)
    append(#","unreadCount":"#, decimal: status.unreadCount)
    append(#","deliveredAt":"#, seconds: status.deliveredAt)
    append(#","readAt":"#, seconds: status.readAt)
    append(#","deletedAt":"#, seconds: status.deletedAt)
    append(#","deletedBy":"#, quoted: status.deletedBy, of: outputs)
    append(#","replyCount":"#, decimal: status.replyCount)
    append("}")
  }
}
