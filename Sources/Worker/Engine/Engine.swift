package import Core
package import Wire

/// The engine line: decode, apply, encode, drain. What the worker does to a partition, and all that
/// do the same again without a log: replay, verify, the simulation, benchmarks and tests.
///
/// Its buffers are filled again and again, so that no record costs an allocation. It has no state
/// of its own: one serves any number of machines, one after the other.
package struct Engine: ~Copyable {
  /// What the last record said.
  package private(set) var event = Event(
    coordinates: Coordinates(topic: .messages, partition: 0, offset: 0, timestamp: nil))
  /// What the last call has caused.
  package private(set) var outputs = Outputs()
  /// The same as records to be written.
  package private(set) var records = EncodedRecords()

  private var decoder: Decoder
  private let encoder: Encoder
  private let isEncoding: Bool

  /// An engine for machines of these rules.
  ///
  /// - Parameters:
  ///   - topicNames: the whole names of the input topics, for the headers of rejections.
  ///   - isEncoding: whether what is caused is wanted as records, too.
  package init(
    rules: Rules, topicNames: PerInput<String> = PerInput<String> { Topic($0).defaultName },
    isEncoding: Bool = true
  ) {
    decoder = Decoder(rules: rules)
    encoder = Encoder(topicNames: topicNames)
    self.isEncoding = isEncoding
  }

  /// Applies one record.
  ///
  /// - Parameters:
  ///   - isSkipped: an operator leaves it out: it is rejected unread.
  ///   - clock: stream time moves on at most to here.
  ///   - limit: how much work may be done, about.
  /// - Returns: whether more is to be done: then nothing is encoded yet, and `resume` has to be
  ///   called, with the same machine, before anything else.
  @discardableResult
  package mutating func apply(
    _ source: Coordinates, key: Span<UInt8>?, value: Span<UInt8>?, isSkipped: Bool = false,
    to machine: inout Machine, clock: Instant, limit: Int = .max
  ) -> Bool {
    if isSkipped {
      event.skip(source)
    } else {
      decoder.decode(source, key: key, value: value, into: &event)
    }
    outputs.removeAll()
    let isMore = machine.apply(
      event, key: key, value: value, within: Bounds(clock: clock, work: limit), into: &outputs)
    if !isMore { encode(machine.partition) }
    return isMore
  }

  /// Goes on with the last record.
  ///
  /// - Returns: whether more is to be done.
  package mutating func resume(_ machine: inout Machine, limit: Int) -> Bool {
    let isMore = machine.resume(limit: limit, into: &outputs)
    if !isMore { encode(machine.partition) }
    return isMore
  }

  /// Applies one line of `rollcall replay`, whose time is the record's own where it has no other.
  package mutating func apply(
    _ line: borrowing ReplayLine, _ topic: InputTopic, offset: Int64, to machine: inout Machine
  ) {
    let source = Coordinates(
      topic: topic, partition: machine.partition, offset: offset, timestamp: line.timestamp)
    // Held apart, so that they can be read while the rest is written.
    let value = line.value
    var key: [UInt8]?
    switch line.keySource {
    case .derived:
      decoder.decodeDerivingKey(source, value: value.span, into: &event)
      key = decoder.derivedKey
    case .given, .absent:
      key = line.keySource == .given ? line.key : nil
      decoder.decode(source, key: key?.span, value: value.span, into: &event)
    }
    event.coordinates.timestamp = event.coordinates.timestamp ?? event.ownTime
    outputs.removeAll()
    _ = machine.apply(
      event, key: key?.span, value: value.span, within: Bounds(clock: .distantFuture),
      into: &outputs)
    encode(machine.partition)
  }

  /// Moves stream time on and does what is due, at most `limit` things.
  ///
  /// - Returns: whether more is due.
  package mutating func tick(
    _ machine: inout Machine, to time: Instant, limit: Int = .max
  ) -> Bool {
    outputs.removeAll()
    let isMore = machine.tick(to: time, limit: limit, into: &outputs)
    encode(machine.partition)
    return isMore
  }

  /// Hands out the pieces of state that have changed, as far as the budget lasts. Nothing may be
  /// applied before all are.
  ///
  /// - Parameters:
  ///   - tally: the count of live pieces, which is kept with them.
  ///   - body: is lent each piece as a record.
  /// - Returns: whether all are handed out.
  package mutating func drain<E: Error>(
    _ machine: inout Machine, _ tally: inout StateTally, on budget: inout Int,
    _ body: (borrowing EncodedRecords) throws(E) -> Void
  ) throws(E) -> Bool {
    // As in the other calls, nothing of an earlier one is left when a call fails.
    try machine.drainChanges(on: &budget) { change, isNew throws(E) in
      records.removeAll()
      StateCodec.encode(change, isNew: isNew, into: &records, &tally)
      try body(records)
    }
  }

  /// Hands out all pieces of state that have changed.
  package mutating func drain<E: Error>(
    _ machine: inout Machine, _ tally: inout StateTally,
    _ body: (borrowing EncodedRecords) throws(E) -> Void
  ) throws(E) {
    var budget = Int.max
    while try !drain(&machine, &tally, on: &budget, body) {}
  }

  /// Encodes a partition's own record.
  package mutating func encode(_ record: PartitionRecord) {
    records.removeAll()
    StateCodec.encode(record, into: &records)
  }

  /// What stands in the place of an output of the last record that no topic takes.
  package func rejection(
    for record: EncodedRecords.Record, of records: EncodedRecords
  ) -> EncodedRecords {
    encoder.encode(tooLarge: record, of: records, source: event.coordinates)
  }

  private mutating func encode(_ partition: Int32) {
    guard isEncoding else { return }
    records.removeAll()
    encoder.encode(outputs, partition: partition, into: &records)
  }
}
