import Core

extension [UInt8] {
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
