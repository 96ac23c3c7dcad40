import CSimdJSON
import Core

/// Records of `chat.deletes`.
extension Decoder {
  /// A delete.
  func delete(into event: inout Event) throws(Invalid) -> Event.Body {
    let messageId = try id(record.messageId, "messageId")
    let deletedBy = try name(record.deletedBy.uid, "deletedBy.uid", into: &event)
    let receiver = try receiver(into: &event)
    let deletedByObject = unsafe text(csj_deleted_by_text(parser), into: &event)
    var delete = Event.Delete(
      messageId: messageId, receiver: receiver, deletedBy: deletedBy,
      deletedByObject: deletedByObject,
      at: try backendTime(record.deletedAt, "deletedAt", of: event))
    try check(record.message, is: .object, "message")
    if record.message.kind == .object, record.message.count > 0 {
      try takeOriginal(of: &delete, into: &event)
    }
    return .delete(delete)
  }

  /// The original is passed on as it came: only its id has to fit, and what it says of itself is
  /// taken where it can be.
  private func takeOriginal(
    of delete: inout Event.Delete, into event: inout Event
  ) throws(Invalid) {
    guard record.message_id.kind == .integer, record.message_id.payload == delete.messageId else {
      throw Invalid(
        .badRecord, field: "message.id", message: "The original's id must equal messageId.")
    }
    delete.original = unsafe text(csj_message_text(parser), into: &event)
    if isName(record.message_sender.uid) {
      delete.originalSender = text(record.message_sender.uid, into: &event)
    }
    if isName(record.message_messageUId) {
      delete.originalMessageUId = text(record.message_messageUId, into: &event)
    }
    delete.originalSentAt = instant(record.message_sentAt)
    if record.message_parentMessageId.kind == .integer {
      delete.originalParentMessageId = record.message_parentMessageId.payload
    }
  }

  /// Copies a part of the record as it came.
  private func text(_ raw: csj_bytes, into event: inout Event) -> Text {
    let start = event.text.count
    unsafe event.text.append(contentsOf: UnsafeBufferPointer(start: raw.start, count: raw.count))
    return Text(start: start, count: event.text.count - start)
  }
}
