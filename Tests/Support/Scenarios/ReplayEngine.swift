import Core
import Wire

@testable import Oracle
@testable import Worker

/// The engine under test: the whole path of `rollcall replay`, lines in and lines out.
struct ReplayEngine: ~Copyable {
  private var replay: Replay
  private var written: [UInt8] = []
  private var lines: Int64 = 0

  /// A line of output that is not of the contract's form.
  struct Misshapen: Error { var line: String }

  init(_ options: [String: String]) throws {
    replay = Replay(rules: try ReplayEngine.rules(options))
  }

  /// What is wrong with the engine's state.
  var violations: [String] { replay.machine.violations() }

  /// Applies one line and gives what was written, byte for byte.
  mutating func write(_ line: Bytes) throws -> [UInt8] {
    written.removeAll(keepingCapacity: true)
    try replay.apply(line.bytes.span, to: &written)
    lines += 1
    return written
  }

  /// Applies one line and gives the outputs.
  mutating func apply(_ line: Bytes) throws -> [WrittenRecord] {
    try outputs(Bytes(try write(line)))
  }

  /// The outputs in what was written for the last line.
  func outputs(_ written: Bytes) throws -> [WrittenRecord] {
    try written.bytes.split(separator: UInt8(ascii: "\n")).map { text in
      try ReplayEngine.output(Bytes(text), of: lines - 1)
    }
  }

  private static func output(_ text: Bytes, of number: Int64) throws -> WrittenRecord {
    let line = try JSON.parse(text)
    guard case .string(let topic)? = line["topic"], line["input"] == .int(number) else {
      throw Misshapen(line: text.description)
    }
    var output = WrittenRecord(topic: topic.description)
    output.line = text
    switch line["key"] {
    case .string(let key)?: output.key = key
    case .null?: break
    default: throw Misshapen(line: text.description)
    }
    output.value = line["value"]
    if case .string(let raw)? = line["raw"] { output.raw = raw }
    if case .object(let members)? = line["headers"] {
      var headers: [String: String] = [:]
      for member in members {
        guard case .string(let header) = member.value else {
          throw Misshapen(line: text.description)
        }
        headers[member.name.description] = header.description
      }
      // The sentence for people is free, but must be there.
      guard headers.removeValue(forKey: "error.message")?.isEmpty == false else {
        throw Misshapen(line: text.description)
      }
      output.headers = headers
    }
    return output
  }

  /// The rules that options give; what they may say is read by the model's own reader.
  static func rules(_ options: [String: String]) throws -> Rules {
    let model = try ModelRules(options)
    var rules = Rules()
    rules.maxGroupMembers = model.maxGroupMembers
    rules.leavers = Rules.Leavers(rawValue: model.leavers) ?? .release
    rules.threads = Rules.Threads(rawValue: model.threads) ?? .inline
    rules.trackingWindow = model.trackingWindow
    rules.grace = model.grace
    rules.enhancedMessagingStatus = model.enhancedMessagingStatus
    rules.maxWaitingPerConversation = model.maxWaitingPerConversation
    rules.maxWaitingPerPartition = model.maxWaitingPerPartition
    rules.maxRecordBytes = model.maxRecordBytes
    rules.receiptEvents = Rules.ReceiptEvents(rawValue: model.receiptEvents) ?? .all
    rules.unreadEvents = Rules.UnreadEvents(rawValue: model.unreadEvents) ?? .all
    return rules
  }
}
