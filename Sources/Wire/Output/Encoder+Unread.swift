import Core

extension [UInt8] {
  /// `unreadChanged`.
  mutating func append(_ changed: UnreadChanged, of outputs: Outputs, partition: Int32) {
    append(
      event: "unreadChanged", number: changed.number, conversation: changed.conversation,
      of: outputs, partition: partition)
    append(#"{"uids":["#)
    append(quoted: changed.to, of: outputs)
    append(#"]},"unreadMessageCount":"#)
    append(decimal: changed.count)
    if let from = changed.from {
      append(#","unreadFrom":"#)
      append(decimal: from)
    }
    append(#","lastReadMessageId":"#)
    append(decimal: changed.lastReadMessageId)
    if let parent = changed.parentMessageId {
      append(#","parentMessageId":"#)
      append(decimal: parent)
    }
    append("}")
  }

  /// `threadUpdated`.
  mutating func append(_ updated: ThreadUpdated, of outputs: Outputs, partition: Int32) {
    append(
      event: "threadUpdated", number: updated.number, conversation: updated.conversation,
      of: outputs, partition: partition)
    append(to: updated.to, of: outputs)
    append(#","parentMessageId":"#)
    append(decimal: updated.parentMessageId)
    append(#","replyCount":"#)
    append(decimal: updated.replyCount)
    append(#","lastReplyId":"#)
    if let last = updated.lastReply {
      append(decimal: last.id)
      append(#","lastReplyAt":"#)
      append(seconds: last.at)
    } else {
      append(#"null,"lastReplyAt":null"#)
    }
    append("}")
  }
}
