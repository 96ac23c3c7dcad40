import CSimdJSON
package import Core

/// Turns the bytes of an input record into an event. Total: any bytes give an event, at worst an
/// invalid one.
///
/// It fills the same event and its own buffers again and again, so that in the steady state no
/// record costs an allocation. Of a field name that comes twice in an object the last one counts.
@safe package struct Decoder: ~Copyable {
  private let rules: Rules
  /// What waits was good under the checks of its time, and stays so.
  private let isOfWhatWaits: Bool
  /// Owns the memory of simdjson; created and destroyed here only.
  let parser: OpaquePointer
  /// The known fields of the record in hand.
  var record = csj_record()
  /// The conversation id that the record's fields give; empty where they give none.
  private var conversation: [UInt8] = []

  /// A decoder that follows these rules (`maxRecordBytes`, `enhancedMessagingStatus`, `threads`).
  package init(rules: Rules) {
    self.init(rules: rules, isOfWhatWaits: false)
  }

  /// A decoder of records that were decoded before, under whatever rules, and have waited since.
  package init(ofWhatWaits rules: Rules) {
    var rules = rules
    rules.maxRecordBytes = .max
    rules.enhancedMessagingStatus = true
    self.init(rules: rules, isOfWhatWaits: true)
  }

  private init(rules: Rules, isOfWhatWaits: Bool) {
    self.rules = rules
    self.isOfWhatWaits = isOfWhatWaits
    unsafe parser = csj_create()
  }

  deinit { unsafe csj_destroy(parser) }

  /// Decodes a record as it lies in the log.
  package mutating func decode(
    _ coordinates: Coordinates, key: Span<UInt8>?, value: Span<UInt8>?, into event: inout Event
  ) {
    event.begin(coordinates)
    // Looked at first; but the value may still say the record's own time, and the right key.
    let isTooLong = (key?.count ?? 0) > Event.maxKeyBytes
    do throws(Invalid) {
      let body = try body(value, into: &event)
      guard let key, equals(key) else { throw Invalid(.wrongKey) }
      event.body = body
    } catch {
      let tooLong: StaticString =
        "The key is longer than any conversation id, so not the one that the record's fields give."
      refuse(&event, isTooLong ? Invalid(.wrongKey, message: tooLong) : error)
    }
  }

  /// Decodes a record that comes without a key; `derivedKey` is then what it should have been.
  package mutating func decodeDerivingKey(
    _ coordinates: Coordinates, value: Span<UInt8>?, into event: inout Event
  ) {
    event.begin(coordinates)
    do throws(Invalid) {
      event.body = try body(value, into: &event)
    } catch {
      refuse(&event, error)
    }
  }

  private func refuse(_ event: inout Event, _ error: Invalid) {
    event.body = .invalid(error.rejection)
    guard error.rejection.code == .wrongKey, !conversation.isEmpty else { return }
    event.expectedKey = Text(start: event.text.count, count: conversation.count)
    event.text.append(contentsOf: conversation)
  }

  /// The conversation id that the fields of the last record give, whether or not the record is
  /// good; nil where they give none.
  package var derivedKey: [UInt8]? { conversation.isEmpty ? nil : conversation }

  /// What the value says, once its fields are checked; the key is not looked at.
  private mutating func body(
    _ value: Span<UInt8>?, into event: inout Event
  ) throws(Invalid) -> Event.Body {
    conversation.removeAll(keepingCapacity: true)
    try parse(value)
    let topic = event.coordinates.topic
    event.ownTime = instant(timeField(of: topic))
    deriveConversation(actor: actor(of: topic))
    if record.conversationId.kind != .absent {
      guard record.conversationId.kind == .string else {
        throw Invalid(.badRecord, field: "conversationId")
      }
    }
    let body =
      switch topic {
      case .messages: try message(into: &event)
      case .receipts: try receipt(rules: rules, into: &event)
      case .deletes: try delete(into: &event)
      }
    // Receiver and actor are good here: only an ambiguous id is left out.
    guard !conversation.isEmpty else {
      throw Invalid(
        .badRecord, field: "receiverId",
        message: "The conversation id of these two uids could be read in two ways.")
    }
    if record.conversationId.kind == .string, !equals(record.conversationId) {
      throw Invalid(
        .wrongKey, field: "conversationId",
        message: "conversationId is not the conversation id that the record's fields give.")
    }
    return body
  }

  private mutating func parse(_ value: Span<UInt8>?) throws(Invalid) {
    guard let value, !value.isEmpty else {
      throw Invalid(.badRecord, message: "The value is null or empty.")
    }
    guard value.count <= rules.maxRecordBytes else { throw Invalid(.recordTooLarge) }
    let outcome = unsafe value.withUnsafeBufferPointer { bytes in
      unsafe csj_parse_record(parser, bytes.baseAddress, bytes.count, &record)
    }
    switch outcome {
    case .good: break
    case .badJSON: throw Invalid(.badJSON)
    case .notObject: throw Invalid(.badRecord, message: "The value is not a JSON object.")
    case .tooLarge: throw Invalid(.recordTooLarge)
    }
  }

  /// The field of the record's own time.
  private func timeField(of topic: InputTopic) -> csj_value {
    switch topic {
    case .messages: record.sentAt
    case .receipts: receiptTimeField
    case .deletes: record.deletedAt
    }
  }

  /// The uid of who acts, which a one-to-one conversation id is made of.
  private func actor(of topic: InputTopic) -> csj_value {
    switch topic {
    case .messages: record.category.word == .action ? record.actionBy.uid : record.sender.uid
    case .receipts: record.sender.uid
    case .deletes: record.deletedBy.uid
    }
  }

  /// The most that a backend's time may lie after its record's Kafka timestamp, in milliseconds: a
  /// day. What lies further is mostly milliseconds in the place of seconds.
  private static var latest: Int64 { 24 * 60 * 60 * 1000 }

  /// A time that a backend gives, if it is there and can be one.
  func backendTime(
    _ value: csj_value, _ field: StaticString, of event: Event
  ) throws(Invalid) -> Instant? {
    let time = try time(value, field)
    guard let time, let timestamp = event.coordinates.timestamp, !isOfWhatWaits else { return time }
    guard time.millisecondsSince(timestamp) <= Self.latest else {
      throw Invalid(
        .badRecord, field: field,
        message: "A time in seconds lies at most a day after the record's Kafka timestamp.")
    }
    return time
  }

  /// A time that a device gives, if it is there: a clock ahead of the record's Kafka timestamp
  /// counts as that.
  func deviceTime(
    _ value: csj_value, _ field: StaticString, of event: Event
  ) throws(Invalid) -> Instant? {
    let time = try time(value, field)
    guard let time, let timestamp = event.coordinates.timestamp else { return time }
    return min(time, timestamp)
  }

  private mutating func deriveConversation(actor: csj_value) {
    guard isName(record.receiverId) else { return }
    switch record.receiverType.word {
    case .group:
      unsafe ConversationId.group(bytes(of: record.receiverId), into: &conversation)
    case .user:
      guard isName(actor) else { return }
      unsafe ConversationId.pair(
        bytes(of: actor), bytes(of: record.receiverId), into: &conversation)
      if ConversationId.isAmbiguous(conversation) { conversation.removeAll(keepingCapacity: true) }
    default: return
    }
  }

  private func equals(_ key: Span<UInt8>) -> Bool {
    guard key.count == conversation.count else { return false }
    for index in conversation.indices where key[index] != conversation[index] { return false }
    return true
  }

  private func equals(_ value: csj_value) -> Bool {
    unsafe bytes(of: value).elementsEqual(conversation)
  }
}

/// Why a record is invalid, on its way out of the decoder.
struct Invalid: Error {
  let rejection: Rejection

  init(_ code: ErrorCode, field: StaticString? = nil, message: StaticString? = nil) {
    rejection = Rejection(code, field: field, message: message)
  }
}

extension Event {
  /// Becomes a record that nobody has looked at, for an operator had it skipped.
  package mutating func skip(_ coordinates: Coordinates) {
    begin(coordinates)
    body = .invalid(Rejection(.skipped))
  }

  /// Forgets the former record, but not the memory that it took.
  fileprivate mutating func begin(_ coordinates: Coordinates) {
    self.coordinates = coordinates
    text.removeAll(keepingCapacity: true)
    // Nearly always empty, and then not worth the call.
    if !ids.isEmpty { ids.removeAll(keepingCapacity: true) }
    if !messageUIds.isEmpty { messageUIds.removeAll(keepingCapacity: true) }
    if !members.isEmpty { members.removeAll(keepingCapacity: true) }
    ownTime = nil
    expectedKey = nil
  }
}
