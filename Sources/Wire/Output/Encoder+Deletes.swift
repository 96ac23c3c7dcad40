import Core

extension EncodedRecords {
  /// Adds a record of `chat.actions`: the action message of an accepted delete.
  mutating func append(actionOn deleted: MessageDeleted, of outputs: Outputs) {
    let key = append { $0.append(contentsOf: outputs.text[deleted.conversation.range]) }
    let value = append { $0.append(actionOn: deleted, of: outputs) }
    append(.actions, key: key, value: value)
  }
}

extension [UInt8] {
  /// `messageDeleted`.
  mutating func append(_ deleted: MessageDeleted, of outputs: Outputs, partition: Int32) {
    append(
      event: "messageDeleted", number: deleted.number, conversation: deleted.conversation,
      of: outputs, partition: partition)
    append(to: deleted.to, of: outputs)
    append(#","message":"#)
    append(messageOf: deleted, of: outputs)
    append("}")
  }

  /// The deleted message: the original as it came, or what is tracked of it, and behind its own
  /// fields what the delete adds.
  private mutating func append(messageOf deleted: MessageDeleted, of outputs: Outputs) {
    if let original = deleted.original {
      // An object that is not empty: its last byte is the brace that closes it.
      append(contentsOf: outputs.text[original.range].dropLast())
    } else {
      append(trackedOf: deleted, of: outputs)
    }
    append(#","deletedAt":"#, seconds: deleted.deletedAt)
    append(#","deletedBy":"#, quoted: deleted.deletedBy, of: outputs)
    append(#","updatedAt":"#, seconds: deleted.deletedAt)
    append("}")
  }

  /// What is tracked of a message, without the brace that closes it.
  private mutating func append(trackedOf deleted: MessageDeleted, of outputs: Outputs) {
    append(#"{"id":"#, decimal: deleted.messageId)
    append(#","messageUId":"#, quoted: deleted.tracked?.messageUId, of: outputs)
    append(#","conversationId":"#, quoted: deleted.conversation, of: outputs)
    if let tracked = deleted.tracked {
      append(#","sender":{"uid":"#, quoted: tracked.sender, of: outputs)
      append(#"},"sentAt":"#, seconds: tracked.sentAt)
    }
    append(receiverOf: deleted, of: outputs)
    append(#","parentMessageId":"#, decimal: deleted.parentMessageId)
  }

  private mutating func append(receiverOf deleted: MessageDeleted, of outputs: Outputs) {
    append(#","receiverId":"#, quoted: deleted.receiverId, of: outputs)
    append(deleted.isGroup ? #","receiverType":"group""# : #","receiverType":"user""#)
  }

  /// The action message, ready to be stored as the conversation's next message.
  fileprivate mutating func append(actionOn deleted: MessageDeleted, of outputs: Outputs) {
    append(#"{"muid":"deleted-"#)
    append(decimal: deleted.messageId)
    append(
      #"","category":"action","type":"message","action":"deleted","message":"Message is deleted.""#)
    append(#","actionBy":"#)
    append(contentsOf: outputs.text[deleted.deletedByObject.range])
    append(#","actionOn":"#)
    append(messageOf: deleted, of: outputs)
    append(deleted.isGroup ? #","actionFor":{"guid":"# : #","actionFor":{"uid":"#)
    append(quoted: deleted.receiverId, of: outputs)
    append(#"},"conversationId":"#, quoted: deleted.conversation, of: outputs)
    append(receiverOf: deleted, of: outputs)
    append(#","sentAt":"#, seconds: deleted.deletedAt)
    append(#","parentMessageId":"#, decimal: deleted.parentMessageId)
    append("}")
  }
}
