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
}
