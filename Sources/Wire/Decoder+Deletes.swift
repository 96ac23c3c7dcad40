import CSimdJSON
import Core

/// Records of `chat.deletes`.
extension Decoder {
  /// A delete.
  func delete(into event: inout Event) throws(Invalid) -> Event.Body {
    let messageId = try id(record.messageId, "messageId")
    let deletedBy = try name(record.deletedBy.uid, "deletedBy.uid", into: &event)
    let receiver = try receiver(into: &event)
    var delete = Event.Delete(
      messageId: messageId, receiver: receiver, deletedBy: deletedBy,
      at: try time(record.deletedAt, "deletedAt"), original: nil, originalSender: nil,
      originalParentMessageId: nil)
    try check(record.message, is: .object, "message")
    if record.message.kind == .object, record.message.count > 0 {
      try takeOriginal(of: &delete, into: &event)
    }
    return .delete(delete)
  }

  /// The original is passed on as it came: only its id has to fit, and what it says of sender and
  /// parent is taken where it can be.
  private func takeOriginal(
    of delete: inout Event.Delete, into event: inout Event
  ) throws(Invalid) {
    guard record.message_id.kind == .integer, record.message_id.payload == delete.messageId else {
      throw Invalid(
        .badRecord, field: "message.id", message: "The original's id must equal messageId.")
    }
    let start = event.text.count
    let original = unsafe csj_message_text(parser)
    unsafe event.text.append(
      contentsOf: UnsafeBufferPointer(start: original.start, count: original.count))
    delete.original = Text(start: start, count: event.text.count - start)
    if isName(record.message_sender.uid) {
      delete.originalSender = text(record.message_sender.uid, into: &event)
    }
    if record.message_parentMessageId.kind == .integer {
      delete.originalParentMessageId = record.message_parentMessageId.payload
    }
  }
}
