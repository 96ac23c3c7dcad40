/// A slow and obvious model of the contract's group part: it keeps every record that was applied
/// and derives what follows by looking at all of them.
///
/// One partition, one line at a time. It knows nothing of the engine.
struct Model {
  let rules: ModelRules
  let decoder: ModelDecoder
  /// The newest timestamp applied.
  var streamTime: Int64?
  var groups: [Bytes: ModelGroup] = [:]
  /// What waits, in the order in which it was applied.
  var waiting: [ModelWaiting] = []
  var outputs = ModelOutputs()
  private var lines: Int64 = 0

  init(_ options: [String: String] = [:]) throws {
    rules = try ModelRules(options)
    decoder = ModelDecoder(
      maxRecordBytes: rules.maxRecordBytes, enhancedMessagingStatus: rules.enhancedMessagingStatus)
  }

  /// Applies the next line and says what it causes.
  mutating func apply(_ text: Bytes) throws -> [ModelOutput] {
    let line = try decoder.line(text, number: lines)
    lines += 1
    outputs = ModelOutputs()
    switch line {
    case .tick(let time):
      moveStreamTime(to: time)
    case .record(let record):
      let timestamp = record.timestamp ?? streamTime ?? 0
      moveStreamTime(to: timestamp)
      apply(record, timestamp)
    }
    return outputs.inOrder { conversation, id in self.status(conversation, id) }
  }

  private mutating func moveStreamTime(to time: Int64) {
    let now = max(streamTime ?? time, time)
    streamTime = now
    for record in waiting where now - record.appliedAt >= rules.grace {
      waitedInVain(record)
    }
  }

  private mutating func apply(_ record: ModelRecord, _ timestamp: Int64) {
    switch record.content {
    case .fault(let fault): outputs.reject(record, at: timestamp, fault, rules.maxRecordBytes)
    case .edit: break
    case .message(let message): apply(message)
    case .membership(let membership): apply(membership)
    case .action(let id, let name, _):
      guard name.guid != nil else { return }
      applyAction(id, to: group(name))
    case .receipt(let receipt): apply(receipt, record, timestamp)
    case .delete: break
    }
  }

  /// The group of this name, with whatever came to it.
  mutating func group(_ name: ModelConversationName) -> ModelGroup {
    if let group = groups[name.id] { return group }
    let group = ModelGroup(name: name)
    groups[name.id] = group
    return group
  }
}
