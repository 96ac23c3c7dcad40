/// A record of an input topic as it lies there. Times are milliseconds.
struct ModelInput: Sendable {
  var topic: ModelRecord.Topic
  var partition: Int32
  var offset: Int64
  var timestamp: Int64?
  var key: [UInt8]?
  var value: [UInt8]?
}

extension Model {
  /// Applies a partition's next record and says what it causes.
  mutating func apply(_ input: ModelInput) -> [ModelOutput] {
    apply(input) { decoder, input in decoder.record(input) }
  }

  /// Applies a record that an operator has had skipped: nobody looks at it.
  mutating func skip(_ input: ModelInput) -> [ModelOutput] {
    apply(input) { _, input in
      ModelRecord(input, content: .fault(ModelFault("ERR_SKIPPED")))
    }
  }

  /// Moves stream time on without a record and says what falls due.
  mutating func tick(to time: Int64) -> [ModelOutput] {
    outputs = ModelOutputs()
    moveStreamTime(to: time)
    return outputs.inOrder { conversation, id in self.status(conversation, id) }
  }

  /// A record of another share of the conversations moves stream time on, and that is all.
  private mutating func apply(
    _ input: ModelInput, decode: (ModelDecoder, ModelInput) -> ModelRecord
  ) -> [ModelOutput] {
    let timestamp = input.timestamp ?? now
    guard isOurs(input.key ?? []) else { return tick(to: timestamp) }
    outputs = ModelOutputs()
    moveStreamTime(to: timestamp)
    apply(ModelSource(decode(decoder, input), at: timestamp))
    return outputs.inOrder { conversation, id in self.status(conversation, id) }
  }
}
