import Core
import Wire

/// Decodes one record and says in one line what came of it.
func described(
  _ topic: InputTopic, key: String? = "group_g1", _ value: String, rules: Rules = Rules(),
  at timestamp: Int64? = nil
) -> String {
  let key = key.map { Array($0.utf8) }
  return described(topic, key: key, Array(value.utf8), rules: rules, at: timestamp)
}

/// Decodes one record and says in one line what came of it.
func described(
  _ topic: InputTopic, key: [UInt8]?, _ value: [UInt8]?, rules: Rules = Rules(),
  at timestamp: Int64? = nil
) -> String {
  var decoder = Decoder(rules: rules)
  return decoded(topic, key: key, value, at: timestamp, with: &decoder).line
}

/// Decodes one record.
func decoded(
  _ topic: InputTopic, key: [UInt8]?, _ value: [UInt8]?, at timestamp: Int64? = nil,
  with decoder: inout Decoder
) -> Event {
  let coordinates = Coordinates(
    topic: topic, partition: 0, offset: 7, timestamp: timestamp.map(Instant.init))
  var event = Event(coordinates: coordinates)
  decoder.decode(coordinates, key: key?.span, value: value?.span, into: &event)
  return event
}

extension Event {
  /// What the record says, every field of it.
  var line: String {
    switch body {
    case .message(let message):
      """
      message \(message.id) from \(text(message.sender)) at \(message.sentAt.milliseconds), \
      parent \(message.parentMessageId)\
      \(message.messageUId.map { ", uid \(text($0))" } ?? "")\
      \(message.needReceipt ? "" : ", no receipt")
      """
    case .membership(let membership):
      """
      \(membership.change) \(membership.id) at \(membership.sentAt.milliseconds): \
      \(members.map { "\(text($0.uid)) \($0.scope)\($0.isExempt ? " exempt" : "")" })
      """
    case .action(let id, let sentAt): "action \(id) at \(sentAt.milliseconds)"
    case .edit:
      "edit"
    case .receipt(let receipt):
      """
      \(receipt.kind) by \(text(receipt.sender)) of \(text(receipt.covers)) \
      at \(receipt.at.map { "\($0.milliseconds)" } ?? "-")\
      \(receipt.parentMessageId.map { ", parent \($0)" } ?? "")
      """
    case .delete(let delete):
      """
      delete \(delete.messageId) by \(text(delete.deletedBy)) in \(text(delete.receiver)) \
      at \(delete.at.map { "\($0.milliseconds)" } ?? "-")\
      \(delete.original.map { ", original \(text($0))" } ?? "")\
      \(delete.originalSender.map { ", its sender \(text($0))" } ?? "")\
      \(delete.originalMessageUId.map { ", its uid \(text($0))" } ?? "")\
      \(delete.originalSentAt.map { ", its time \($0.milliseconds)" } ?? "")\
      \(delete.originalParentMessageId.map { ", its parent \($0)" } ?? "")
      """
    case .invalid(let rejection):
      rejection.field.map { "\(rejection.code.rawValue) \($0)" } ?? rejection.code.rawValue
    }
  }

  /// The text in quotes; traps where it lies outside the arena or is not UTF-8.
  func text(_ text: Text) -> String {
    guard let string = String(validating: self.text[text.range], as: UTF8.self) else {
      preconditionFailure("not UTF-8")
    }
    return string
  }

  private func text(_ receiver: Receiver) -> String {
    switch receiver {
    case .group(let guid): "group \(text(guid))"
    case .user(let uid): "user \(text(uid))"
    }
  }

  private func text(_ covers: Covers) -> String {
    switch covers {
    case .upTo(let id): "all up to \(id)"
    case .conversation: "conversation"
    case .ids: ids.count > 3 ? "\(ids.count) ids" : "\(ids)"
    case .messageUIds: "\(messageUIds.map(text))"
    }
  }
}
