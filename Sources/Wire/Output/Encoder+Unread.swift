import Core

extension [UInt8] {
  /// `unreadChanged`.
  mutating func append(_ changed: UnreadChanged, of outputs: Outputs, partition: Int32) {
    append(
      event: "unreadChanged", number: changed.number, conversation: changed.conversation,
      of: outputs, partition: partition)
    append(#"{"uids":["#)
    append(quoted: changed.to, of: outputs)
    append(#"]},"unreadMessageCount":"#, decimal: changed.count)
    append(#","unreadFrom":"#, decimal: changed.from)
    append(#","lastReadMessageId":"#, decimal: changed.lastReadMessageId)
    append(#","parentMessageId":"#, decimal: changed.parentMessageId)
    append("}")
  }
}
