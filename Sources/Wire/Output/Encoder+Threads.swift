import Core

extension [UInt8] {
  /// `threadUpdated`.
  mutating func append(_ updated: ThreadUpdated, of outputs: Outputs, partition: Int32) {
    append(
      event: "threadUpdated", number: updated.number, conversation: updated.conversation,
      of: outputs, partition: partition)
    append(to: updated.to, of: outputs)
    append(#","parentMessageId":"#, decimal: updated.parentMessageId)
    append(#","replyCount":"#, decimal: updated.replyCount)
    append(#","lastReplyId":"#)
    if let last = updated.lastReply {
      append(decimal: last.id)
      append(#","lastReplyAt":"#, seconds: last.at)
    } else {
      append(#"null,"lastReplyAt":null"#)
    }
    append("}")
  }
}
