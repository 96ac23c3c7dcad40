@testable import Oracle

/// The model with the lines of `rollcall replay`.
struct ModelReplay {
  var model: Model
  private var lines: Int64 = 0

  /// A line that is not of the form of `replay`.
  struct Misshapen: Error { var line: Bytes }

  init(_ options: [String: String]) throws { model = try Model(options) }

  /// Applies one line and gives what must be written.
  mutating func apply(_ text: Bytes) throws -> [WrittenRecord] {
    let line = try JSONText(text.bytes).root
    let number = lines
    lines += 1
    if let time = line["tick"]?.int { return model.tick(to: time).map(WrittenRecord.init) }
    let record = try model.decoder.record(line, number: number)
    return model.apply(record).map(WrittenRecord.init)
  }
}

extension ModelReplay {
  /// The tracked messages whose counts are not what the memberships and marks of their audiences
  /// come to.
  func miscounted() -> [Int64] {
    model.conversations.values.flatMap(\.messages)
      .filter { $0.tracking == .on && $0.counts != recount($0) }.map(\.id)
  }

  private func recount(_ message: ModelMessage) -> ModelCounts {
    var counts = ModelCounts(waitingFor: 0)
    for membership in message.audience {
      for kind in [ModelReceiptRecord.Kind.delivered, .read] {
        if message.has(kind, membership.member) {
          counts.done[kind] += 1
        } else if membership.end == nil || model.rules.waitsForLeavers {
          counts.waiting[kind] += 1
        }
      }
    }
    return counts
  }
}

extension ModelDecoder {
  /// Decodes a line's record.
  func record(_ line: JSONNode, number: Int64) throws -> ModelRecord {
    guard
      let topic = line["topic"]?.string.flatMap({ ModelRecord.Topic(rawValue: $0.description) }),
      let value = line["raw"]?.string ?? line["value"]?.source
    else { throw ModelReplay.Misshapen(line: line.source) }
    var input = ModelInput(
      topic: topic, partition: 0, offset: number, timestamp: line["timestamp"]?.int,
      value: value.bytes)
    var fault: ModelFault?
    do throws(ModelFault) {
      let root = try root(of: value.bytes)
      var fields = ModelFields(topic: topic, root: root, timestamp: input.timestamp)
      fields.readLoosely(&input)
      if let key = line["key"]?.string { input.key = key.bytes }
      _ = try content(&fields)
    } catch {
      if let key = line["key"]?.string { input.key = key.bytes }
      fault = error
    }
    if input.hasOverlongKey { return record(input) }
    if let fault { return ModelRecord(input: input, content: .fault(fault)) }
    return record(input)
  }
}

extension ModelFields {
  /// Reads what a line may leave out, and what a rejected record needs too: its own time as its
  /// timestamp, and its conversation as its key.
  fileprivate mutating func readLoosely(_ input: inout ModelInput) {
    var timeField = "sentAt"
    var actorField = root["category"]?.isString("action") == true ? "actionBy" : "sender"
    switch topic {
    case .messages: break
    case .receipts:
      if let kind = root["receiptType"]?.string { timeField = kind.description + "At" }
    case .deletes:
      timeField = "deletedAt"
      actorField = "deletedBy"
    }
    let own = readable { () throws(ModelFault) in try optionalTime(timeField) } ?? nil
    input.timestamp = input.timestamp ?? own
    let actor = readable { () throws(ModelFault) in try uid(actorField) }
    let name = readable { () throws(ModelFault) in try conversation(of: actor) }
    input.key = name?.id.bytes
  }

  private func readable<Value>(_ read: () throws(ModelFault) -> Value) -> Value? {
    do { return try read() } catch { return nil }
  }
}
