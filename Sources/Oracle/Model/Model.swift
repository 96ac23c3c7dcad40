/// A simple model of the whole contract: it keeps what was applied and is not forgotten, and says
/// what follows from each record.
///
/// One partition, one record at a time. It knows nothing of the engine.
struct Model {
  let rules: ModelRules
  let decoder: ModelDecoder
  /// Whether the model decides about the conversations with this key.
  private let isOurs: @Sendable ([UInt8]) -> Bool
  /// The newest timestamp applied; nil before there is any time.
  private(set) var streamTime: Int64?
  /// Nobody knows when the records without a timestamp were applied: they wait without an end, and
  /// what they bring never expires.
  var isPatient = false
  /// Whether the record in hand is one of these.
  private(set) var isTimeless = false
  var conversations: [Bytes: ModelConversation] = [:]
  var waiting = ModelPartitionRoom()
  var due = ModelDue()
  var outputs = ModelOutputs()
  /// What was given up when the last record was applied.
  var givenUp: [ModelWaiting] = []
  /// In which conversations something was applied with it that had waited, and for how long.
  var waited: [(conversation: Bytes, time: Int64)] = []
  /// The messages that were forgotten when the last record was applied, and the threads.
  var outcomes: [ModelOutcome] = []
  var threadOutcomes: [ModelThreadOutcome] = []

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

  /// Applies the partition's next record and says what it causes. A record of another share of the
  /// conversations moves stream time on, and that is all.
  ///
  /// - Parameter clock: what a worker's clock said: stream time is moved on at most to it; nil: it
  ///   stays where it is.
  mutating func apply(_ input: ModelInput, clock: Int64? = .max) -> [ModelOutput] {
    guard isOurs(input) else { return pass(input, clock) }
    return apply(decoder.record(input), clock: clock)
  }

  /// Applies a record that an operator has had skipped: nobody looks at it.
  mutating func skip(_ input: ModelInput, clock: Int64? = .max) -> [ModelOutput] {
    guard isOurs(input) else { return pass(input, clock) }
    let fault = ModelFault("ERR_SKIPPED")
    return apply(ModelRecord(input: input, content: .fault(fault)), clock: clock)
  }

  /// A key that can be no conversation's is nobody's.
  private func isOurs(_ input: ModelInput) -> Bool {
    isOurs(input.hasOverlongKey ? [] : input.key ?? [])
  }

  /// Applies a record that was decoded.
  mutating func apply(_ record: ModelRecord, clock: Int64? = .max) -> [ModelOutput] {
    begin(at: time(of: record.input, clock))
    isTimeless = isPatient && record.input.timestamp == nil
    apply(record, ModelSource(record.input, at: record.input.timestamp ?? now))
    return outputs.inOrder(rules)
  }

  /// Moves stream time on for a record of another share.
  private mutating func pass(_ input: ModelInput, _ clock: Int64?) -> [ModelOutput] {
    begin(at: time(of: input, clock))
    return outputs.inOrder(rules)
  }

  /// Where a record takes stream time. One without a timestamp is as new as the newest; the first
  /// of all, where a clock is known, as new as that. Nil: there is no time yet.
  private func time(of input: ModelInput, _ clock: Int64?) -> Int64? {
    guard let clock else { return streamTime }
    guard let time = input.timestamp ?? streamTime else { return clock == .max ? nil : clock }
    return min(time, clock)
  }

  /// Moves stream time on without a record and says what falls due.
  mutating func tick(to time: Int64) -> [ModelOutput] {
    begin(at: time)
    return outputs.inOrder(rules)
  }

  private mutating func begin(at time: Int64?) {
    outputs = ModelOutputs()
    givenUp.removeAll()
    waited.removeAll()
    outcomes.removeAll()
    threadOutcomes.removeAll()
    guard let time else { return }
    if streamTime == nil {
      // What came before there was any time counts as applied now.
      waiting.all.forEach { $0.begin(at: time) }
      due.messages.update { $0.at = time }
      due.memberships.update { $0.at = time }
      conversations.values.forEach { $0.lastRecordAt = time }
    }
    streamTime = max(streamTime ?? time, time)
    closeWhatIsDue()
  }

  private mutating func apply(_ record: ModelRecord, _ source: ModelSource) {
    let name = record.content.conversation
    guard let conversation = name.map({ conversation($0) }) else {
      if case .fault(let fault) = record.content { reject(source, fault) }
      return
    }
    conversation.lastRecordAt = now
    if isTimeless { conversation.isTimeless = true }
    schedule(conversation)
    switch record.content {
    case .fault, .edit: break
    case .message(let message): apply(message, source, in: conversation)
    case .membership(let membership): apply(membership, source, in: conversation)
    case .action(let id, _, let sentAt): applyAction(id, sentAt, source, in: conversation)
    case .receipt(let receipt): applyOrWait(.receipt(receipt), source, in: conversation)
    case .delete(let delete): applyOrWait(.delete(delete), source, in: conversation)
    }
  }

  mutating func reject(_ source: ModelSource, _ fault: ModelFault) {
    outputs.reject(source, fault, maxRecordBytes: rules.maxRecordBytes)
  }

  /// The conversation of this name, with whatever came to it.
  mutating func conversation(_ name: ModelConversationName) -> ModelConversation {
    if let conversation = conversations[name.id] { return conversation }
    let conversation = ModelConversation(name: name, at: now)
    conversations[name.id] = conversation
    return conversation
  }
}
