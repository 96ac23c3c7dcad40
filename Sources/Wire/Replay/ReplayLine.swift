package import Core

/// One line of the input of `replay`: a record, or a tick.
///
/// One value is filled again and again.
package struct ReplayLine {
  /// What the line is.
  package enum Kind: Equatable {
    /// Nothing: it is passed over, and counted.
    case empty
    /// Stream time moves on.
    case tick(Instant)
    /// A record of an input topic.
    case record(InputTopic)
  }

  /// Where the record's key comes from.
  package enum KeySource {
    /// It is the conversation id that the record's fields give.
    case derived
    /// It is `key`.
    case given
    /// The line says that the record has none.
    case absent
  }

  /// The record's timestamp, where the line names one.
  package private(set) var timestamp: Instant?
  /// The record's value, byte for byte.
  package private(set) var value: [UInt8] = []
  /// Where the record's key comes from.
  package private(set) var keySource = KeySource.derived
  /// The record's key, if it is given.
  package private(set) var key: [UInt8] = []
  private var name: [UInt8] = []

  /// A line to be filled.
  package init() {}

  /// Reads one line, without its line feed.
  package mutating func read(_ line: Span<UInt8>) throws(Malformed) -> Kind {
    timestamp = nil
    keySource = .derived
    key.removeAll(keepingCapacity: true)
    value.removeAll(keepingCapacity: true)
    var fields = Fields()
    var scanner = JSONScanner()
    if scanner.next(line) == nil { return .empty }
    try scanner.forEachMember(line) { scanner, name throws(Malformed) in
      try readMember(name, line, &scanner, &fields)
    }
    try scanner.expectEnd(line)
    return try kind(fields)
  }

  /// What was seen of the members of a line.
  private struct Fields {
    var topic: InputTopic?
    var tick: Instant?
    var values = 0
  }

  private mutating func kind(_ fields: Fields) throws(Malformed) -> Kind {
    if let tick = fields.tick {
      guard fields.topic == nil, fields.values == 0 else {
        throw Malformed(reason: "A tick has no topic and no value.")
      }
      return .tick(tick)
    }
    guard let topic = fields.topic else {
      throw Malformed(reason: "The line has neither topic nor tick.")
    }
    guard fields.values == 1 else {
      throw Malformed(reason: "The line needs one of value and raw.")
    }
    return .record(topic)
  }

  private mutating func readMember(
    _ name: Range<Int>, _ line: Span<UInt8>, _ scanner: inout JSONScanner, _ fields: inout Fields
  ) throws(Malformed) {
    switch text(name, line) {
    case "topic":
      fields.topic = try topic(line, &scanner)
    case "tick":
      fields.tick = try instant(line, &scanner)
    case "timestamp":
      timestamp = scanner.next(line) == UInt8(ascii: "n") ? nil : try instant(line, &scanner)
      if timestamp == nil { _ = try scanner.value(line) }
    case "key":
      key.removeAll(keepingCapacity: true)
      keySource = scanner.next(line) == UInt8(ascii: "n") ? .absent : .given
      if keySource == .absent {
        _ = try scanner.value(line)
      } else {
        try appendString(line, &scanner, to: &key, or: "The key is not a string.")
      }
    case "raw":
      value.removeAll(keepingCapacity: true)
      try appendString(line, &scanner, to: &value, or: "What raw holds is not a string.")
      fields.values += 1
    case "value":
      value.removeAll(keepingCapacity: true)
      let range = try scanner.value(line)
      value.reserveCapacity(range.count)
      for index in range { value.append(line[index]) }
      fields.values += 1
    default:
      _ = try scanner.value(line)
    }
  }

  /// A short string's text, for comparison with a word.
  private mutating func text(_ range: Range<Int>, _ line: Span<UInt8>) -> String {
    name.removeAll(keepingCapacity: true)
    JSONScanner.appendUnescaped(range, of: line, to: &name)
    return String(decoding: name, as: UTF8.self)
  }

  private mutating func topic(
    _ line: Span<UInt8>, _ scanner: inout JSONScanner
  ) throws(Malformed) -> InputTopic {
    let malformed = Malformed(reason: "The topic is none of messages, receipts and deletes.")
    guard scanner.next(line) == UInt8(ascii: "\"") else { throw malformed }
    switch text(try scanner.string(line), line) {
    case "messages": return .messages
    case "receipts": return .receipts
    case "deletes": return .deletes
    default: throw malformed
    }
  }

  private func instant(
    _ line: Span<UInt8>, _ scanner: inout JSONScanner
  ) throws(Malformed) -> Instant {
    let range = try scanner.value(line)
    var digits = ""
    for index in range { digits.unicodeScalars.append(Unicode.Scalar(line[index])) }
    // The lowest Int64 stands for "never" inside.
    guard let milliseconds = Int64(digits), milliseconds != .min else {
      throw Malformed(reason: "A time is not a whole number of milliseconds.")
    }
    return Instant(milliseconds: milliseconds)
  }

  private func appendString(
    _ line: Span<UInt8>, _ scanner: inout JSONScanner, to result: inout [UInt8],
    or reason: String
  ) throws(Malformed) {
    guard scanner.next(line) == UInt8(ascii: "\"") else { throw Malformed(reason: reason) }
    JSONScanner.appendUnescaped(try scanner.string(line), of: line, to: &result)
  }
}
