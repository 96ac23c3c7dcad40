import Core

/// The values of `chat.events`, their fields in the order of the contract's examples.
extension [UInt8] {
  /// `messagesDelivered` and `messagesRead`.
  mutating func append(_ added: ReceiptAdded, of outputs: Outputs, partition: Int32) {
    append(
      event: added.kind.addedEvent, number: added.number, conversation: added.conversation,
      of: outputs, partition: partition)
    append(to: added.to, of: outputs)
    append(#","receipt":"#)
    append(added.receipt, of: outputs)
    append("}")
  }

  /// `messagesDeliveredToAll` and `messagesReadByAll`.
  mutating func append(_ announcement: Announcement, of outputs: Outputs) {
    let conversation = announcement.conversation
    let ids = outputs.ids[announcement.ids]
    let highest = ids.last ?? 0
    append(#"{"event":""#)
    append(announcement.kind.announcementEvent)
    append(#"","eventId":""#)
    append(escaped: conversation, of: outputs)
    append(announcement.kind.announcementWord)
    append(decimal: highest)
    append(#"","conversationId":"#, quoted: conversation, of: outputs)
    append(#","to":{"uids":["#)
    append(quoted: announcement.sender, of: outputs)
    append(#"]},"cause":""#)
    append(announcement.cause.word)
    append(#"","receipt":{"messageId":"#, decimal: highest)
    append(#","messageIds":["#)
    for index in ids.indices {
      if index > ids.startIndex { append(",") }
      append(decimal: ids[index])
    }
    append(#"],"sender":{"uid":"app_system","name":"System"},"receiverId":"#)
    append(quoted: announcement.guid, of: outputs)
    append(#","receiverType":"group","receiptType":""#)
    append(announcement.kind.word)
    append(announcement.kind == .delivered ? #"","deliveredAt":"# : #"","readAt":"#)
    append(seconds: announcement.at)
    append("}}")
  }

  /// `readReceiptResponse`.
  mutating func append(_ response: ReceiptResponse, of outputs: Outputs, partition: Int32) {
    append(
      event: "readReceiptResponse", number: response.number, conversation: response.conversation,
      of: outputs, partition: partition)
    append(#"{"uids":["#)
    append(quoted: response.to, of: outputs)
    append(#"]},"sender":{"uid":"#, quoted: response.reader, of: outputs)
    append(#"},"readAt":"#, seconds: response.readAt)
    append(#","responses":["#)
    for index in response.responses {
      if index > response.responses.lowerBound { append(",") }
      append(outputs.counts[index], of: outputs)
    }
    append("]}")
  }

  private mutating func append(_ counts: MessageCounts, of outputs: Outputs) {
    append(#"{"messageId":"#, decimal: counts.messageId)
    append(#","messageUId":"#, quoted: counts.messageUId, of: outputs)
    append(#","readCount":"#, decimal: counts.readCount)
    append(#","unreadCount":"#, decimal: counts.unreadCount)
    append(#","totalCount":"#, decimal: counts.readCount + counts.unreadCount)
    append("}")
  }

  /// The beginning of an event that is numbered within its record, up to the value of `to`.
  mutating func append(
    event name: StaticString, number: EventNumber, conversation: Text, of outputs: Outputs,
    partition: Int32
  ) {
    append(#"{"event":""#)
    append(name)
    append(#"","eventId":""#)
    append(escaped: conversation, of: outputs)
    append("/")
    append(name)
    switch number.topic {
    case .messages: append("/m/")
    case .receipts: append("/r/")
    case .deletes: append("/d/")
    }
    append(decimal: partition)
    append("/")
    append(decimal: number.offset)
    append("/")
    append(decimal: number.number)
    append(#"","conversationId":"#, quoted: conversation, of: outputs)
    append(#","to":"#)
  }

  mutating func append(to recipients: Recipients, of outputs: Outputs) {
    switch recipients {
    case .guid(let guid):
      append(#"{"guid":"#, quoted: guid, of: outputs)
      append("}")
    case .uids(let range):
      append(#"{"uids":["#)
      for index in range {
        if index > range.lowerBound { append(",") }
        append(quoted: outputs.uids[index], of: outputs)
      }
      append("]}")
    }
  }
}

extension ReceiptKind {
  /// The word on the wire.
  fileprivate var word: StaticString {
    switch self {
    case .delivered: "delivered"
    case .read: "read"
    case .unread: "unread"
    }
  }

  fileprivate var addedEvent: StaticString {
    self == .delivered ? "messagesDelivered" : "messagesRead"
  }

  fileprivate var announcementEvent: StaticString {
    self == .delivered ? "messagesDeliveredToAll" : "messagesReadByAll"
  }

  fileprivate var announcementWord: StaticString {
    self == .delivered ? "/deliveredToAll/" : "/readByAll/"
  }
}

extension [UInt8] {
  /// Appends a text of the outputs as it is.
  mutating func append(_ text: Text, of outputs: Outputs) {
    append(outputs.text.span.extracting(text.range))
  }

  /// Appends a text of the outputs as a string in quotes.
  mutating func append(quoted text: Text, of outputs: Outputs) {
    append(quoted: outputs.text.span.extracting(text.range))
  }

  /// Appends a number behind its name, where there is one.
  @inline(__always)
  mutating func append(_ name: StaticString, decimal number: (some FixedWidthInteger)?) {
    guard let number else { return }
    append(name)
    append(decimal: number)
  }

  /// Appends a time behind its name, where there is one.
  @inline(__always)
  mutating func append(_ name: StaticString, seconds time: Instant?) {
    guard let time else { return }
    append(name)
    append(seconds: time)
  }

  /// Appends a string behind its name, where there is one.
  @inline(__always)
  mutating func append(_ name: StaticString, quoted text: Text?, of outputs: Outputs) {
    guard let text else { return }
    append(name)
    append(quoted: text, of: outputs)
  }

  /// Appends a text of the outputs as the inside of a string.
  mutating func append(escaped text: Text, of outputs: Outputs) {
    append(escaped: outputs.text.span.extracting(text.range))
  }
}
