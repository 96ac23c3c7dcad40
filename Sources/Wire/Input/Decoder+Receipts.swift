import CSimdJSON
import Core

/// Records of `chat.receipts`.
extension Decoder {
  /// The most entries of an exact receipt.
  private static var maxExact: Int { 1000 }

  /// A receipt.
  func receipt(rules: Rules, into event: inout Event) throws(Invalid) -> Event.Body {
    guard let kind = receiptKind else { throw Invalid(.badRecord, field: "receiptType") }
    if kind == .unread, !rules.enhancedMessagingStatus {
      throw Invalid(
        .badRecord, field: "receiptType",
        message: "There is no unread receipt while enhancedMessagingStatus is off.")
    }
    let sender = try name(record.sender.uid, "sender.uid", into: &event)
    try checkReceiver()
    let covers = try covers(kind, into: &event)
    let deliveredAt = try deviceTime(record.deliveredAt, "deliveredAt", of: event)
    let readAt = try deviceTime(record.readAt, "readAt", of: event)
    let unreadAt = try deviceTime(record.unreadAt, "unreadAt", of: event)
    let parentMessageId = try integer(record.parentMessageId, "parentMessageId") ?? 0
    let at =
      switch kind {
      case .delivered: deliveredAt
      case .read: readAt
      case .unread: unreadAt
      }
    return .receipt(
      Event.Receipt(
        kind: kind, covers: covers, sender: sender, at: at,
        parentMessageId: rules.threads == .separate && parentMessageId > 0
          ? parentMessageId : nil))
  }

  /// What the receipt says; nil for another word or none.
  private var receiptKind: ReceiptKind? {
    switch record.receiptType.word {
    case .delivered: .delivered
    case .read: .read
    case .unread: .unread
    default: nil
    }
  }

  /// The field of the receipt's time.
  var receiptTimeField: csj_value {
    switch receiptKind {
    case .delivered: record.deliveredAt
    case .read: record.readAt
    case .unread: record.unreadAt
    case nil: csj_value()
    }
  }

  /// What is covered: exactly one of four fields says it.
  private func covers(
    _ kind: ReceiptKind, into event: inout Event
  ) throws(Invalid) -> Covers {
    try check(record.conversation, is: .bool, "conversation")
    var covers: Covers?
    if record.messageId.kind != .absent {
      covers = .upTo(try id(record.messageId, "messageId"))
    }
    if record.conversation.kind == .bool, record.conversation.payload != 0 {
      guard covers == nil, kind != .unread else { throw notOne("conversation") }
      covers = .conversation
    }
    if record.messageIds.kind != .absent {
      guard covers == nil, kind != .unread else { throw notOne("messageIds") }
      try messageIds(into: &event)
      covers = .ids
    }
    if record.messageUIds.kind != .absent {
      guard covers == nil, kind != .unread else { throw notOne("messageUIds") }
      try messageUIds(into: &event)
      covers = .messageUIds
    }
    guard let covers else { throw notOne("messageId") }
    return covers
  }

  private func notOne(_ field: StaticString) -> Invalid {
    Invalid(
      .badRecord, field: field,
      message: """
        Exactly one of messageId, conversation, messageIds and messageUIds says what is covered; \
        of unread, messageId.
        """)
  }

  private func messageIds(into event: inout Event) throws(Invalid) {
    try checkList(record.messageIds, "messageIds")
    unsafe csj_begin(parser, .messageIds)
    var value = csj_value()
    while unsafe csj_next_value(parser, &value) {
      guard value.kind == .integer, value.payload > 0 else {
        throw Invalid(.invalidMessageId, field: "messageIds")
      }
      event.ids.append(value.payload)
    }
  }

  private func messageUIds(into event: inout Event) throws(Invalid) {
    try checkList(record.messageUIds, "messageUIds")
    unsafe csj_begin(parser, .messageUIds)
    var value = csj_value()
    while unsafe csj_next_value(parser, &value) {
      event.messageUIds.append(try name(value, "messageUIds", into: &event))
    }
  }

  private func checkList(_ value: csj_value, _ field: StaticString) throws(Invalid) {
    guard value.kind == .array, value.count > 0, value.count <= Self.maxExact else {
      throw Invalid(
        .badRecord, field: field, message: "An array of 1 to 1000 entries is required here.")
    }
  }
}
