package import Core
package import Wire

/// The engine without a broker: lines in, lines out, one partition.
package struct Replay: ~Copyable {
  /// How many lines were read so far, which is the number of the next one.
  package private(set) var lines: Int64 = 0

  private(set) var machine: Machine
  private var decoder: Decoder
  private let encoder = Encoder()
  private var line = ReplayLine()
  private var event = Event(
    coordinates: Coordinates(topic: .messages, partition: 0, offset: 0, timestamp: nil))
  private var outputs = Outputs()
  private var records = EncodedRecords()

  /// An engine without any state.
  package init(rules: Rules) {
    machine = Machine(partition: 0, rules: rules, isJournaled: false)
    decoder = Decoder(rules: rules)
  }

  /// Applies one line and appends what it causes to `written`.
  ///
  /// - Parameter text: the line without its line feed.
  /// - Throws: where the line is not of the contract's form; nothing is applied then.
  package mutating func apply(
    _ text: Span<UInt8>, to written: inout [UInt8]
  ) throws(Malformed) {
    let kind = try line.read(text)
    defer { lines += 1 }
    outputs.removeAll()
    switch kind {
    case .empty: return
    case .tick(let instant): _ = machine.tick(to: instant, limit: .max, into: &outputs)
    case .record(let topic): apply(topic)
    }
    records.removeAll()
    encoder.encode(outputs, partition: 0, into: &records)
    records.appendLines(input: lines, to: &written)
  }

  private mutating func apply(_ topic: InputTopic) {
    let coordinates = Coordinates(
      topic: topic, partition: 0, offset: lines, timestamp: line.timestamp)
    // Held apart, so that they can be read while the rest is written.
    let value = line.value
    var key: [UInt8]?
    switch line.keySource {
    case .derived:
      decoder.decodeDerivingKey(coordinates, value: value.span, into: &event)
      key = decoder.derivedKey
    case .given, .absent:
      key = line.keySource == .given ? line.key : nil
      decoder.decode(coordinates, key: key?.span, value: value.span, into: &event)
    }
    event.coordinates.timestamp = event.coordinates.timestamp ?? event.ownTime
    machine.apply(event, key: key?.span, value: value.span, clock: .distantFuture, into: &outputs)
  }
}
