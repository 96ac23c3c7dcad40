/// A slow and obvious model of the whole contract: it keeps every record that was applied and
/// derives what follows by looking at all of them.
///
/// One partition, one line at a time. It knows nothing of the engine.
struct Model {
  let rules: ModelRules
  let decoder: ModelDecoder
  /// The newest timestamp applied.
  var streamTime: Int64?
  var conversations: [Bytes: ModelConversation] = [:]
  /// What waits, in the order in which it was applied.
  var waiting: [ModelWaiting] = []
  var outputs = ModelOutputs()
  /// Whether the model decides about the conversations with this key.
  let isOurs: @Sendable ([UInt8]) -> Bool
  private var lines: Int64 = 0

  /// A model without any state.
  ///
  /// - Parameter isOurs: says by the key of a record whether its conversation is among those that
  ///   are looked at. With a share of them only, the bound on all that waits in the partition is
  ///   not known.
  init(
    _ options: [String: String] = [:], isOurs: @escaping @Sendable ([UInt8]) -> Bool = { _ in true }
  ) throws {
    rules = try ModelRules(options)
    self.isOurs = isOurs
    decoder = ModelDecoder(
      maxRecordBytes: rules.maxRecordBytes, enhancedMessagingStatus: rules.enhancedMessagingStatus)
  }

  /// Stream time, once something was applied.
  var now: Int64 { streamTime ?? 0 }

  /// Applies the next line and says what it causes.
  mutating func apply(_ text: Bytes) throws -> [ModelOutput] {
    let line = try decoder.line(text, number: lines)
    lines += 1
    switch line {
    case .tick(let time): return tick(to: time)
    case .record(let record):
      outputs = ModelOutputs()
      let timestamp = record.timestamp ?? streamTime ?? 0
      moveStreamTime(to: timestamp)
      apply(ModelSource(record, at: timestamp))
      return outputs.inOrder { conversation, id in self.status(conversation, id) }
    }
  }

  mutating func moveStreamTime(to time: Int64) {
    streamTime = max(streamTime ?? time, time)
    closeWhatIsDue()
  }

  mutating func apply(_ source: ModelSource) {
    if let name = source.record.content.conversation { conversation(name).lastRecordAt = now }
    switch source.record.content {
    case .fault(let fault): reject(source, fault)
    case .edit: break
    case .message(let message): apply(message, source)
    case .membership(let membership): apply(membership)
    case .action(let id, let name, let sentAt): applyAction(id, sentAt, conversation(name))
    case .receipt(let receipt): applyOrWait(.receipt(receipt), source)
    case .delete(let delete): applyOrWait(.delete(delete), source)
    }
  }

  mutating func reject(_ source: ModelSource, _ fault: ModelFault) {
    outputs.reject(source.record, at: source.timestamp, fault, rules.maxRecordBytes)
  }

  /// The conversation of this name, with whatever came to it.
  mutating func conversation(_ name: ModelConversationName) -> ModelConversation {
    if let conversation = conversations[name.id] { return conversation }
    let conversation = ModelConversation(name: name, at: now)
    conversations[name.id] = conversation
    return conversation
  }
}

/// A record that is applied, and what it has caused so far.
final class ModelSource {
  let record: ModelRecord
  /// The Kafka timestamp that counts for it.
  let timestamp: Int64
  private var events = 0

  init(_ record: ModelRecord, at timestamp: Int64) {
    self.record = record
    self.timestamp = timestamp
  }

  /// The id of its next event.
  func nextEventId(_ event: String, _ conversation: ModelConversationName) -> String {
    defer { events += 1 }
    return "\(conversation.id)/\(event)/\(record.topic.letter)/\(record.partition)"
      + "/\(record.offset)/\(events)"
  }
}
