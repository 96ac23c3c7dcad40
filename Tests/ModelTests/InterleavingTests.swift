import Testing

@Suite("The order between topics")
struct InterleavingTests {
  /// What must not depend on the order.
  struct Result: Equatable {
    /// How often each message was announced, by conversation, kind and id.
    var announced: [String: Int] = [:]
    /// The counts of each message's last status.
    var counts: [Bytes: [JSON?]] = [:]
  }

  @Test(
    "any order announces the same messages, each once, with the same final counts",
    arguments: History.seeds(120))
  func interleavings(_ seed: UInt64) throws {
    let history = HistoryGenerator.historyFreeOfOrder(seed)
    var random = HistoryRandom(seed: ~seed)
    let expected = try result(history.lines, history.options)
    #expect(expected.announced.values.allSatisfy { $0 == 1 }, "\(history.command)")
    for turn in 0..<6 {
      let lines = Self.interleaved(history.lines, turn, &random)
      let other = try result(lines, history.options)
      #expect(other == expected, "order \(turn): \(history.command)")
    }
  }

  /// The lines with each topic in its own order: one topic after the other in the first turns,
  /// then at random, in runs of various length.
  private static func interleaved(
    _ lines: [History.HistoryLine], _ turn: Int, _ random: inout HistoryRandom
  ) -> [History.HistoryLine] {
    var topics = [History.HistoryLine.Source.messages, .receipts, .deletes].map { source in
      lines.filter { $0.source == source }[...]
    }
    if turn == 0 { return topics.flatMap(\.self) }
    if turn == 1 { return topics.reversed().flatMap(\.self) }
    var mixed: [History.HistoryLine] = []
    while mixed.count < lines.count {
      let topic = random.pick(topics.indices.filter { !topics[$0].isEmpty })
      let run = topics[topic].prefix(random.count(1...(turn * turn)))
      mixed += run
      topics[topic] = topics[topic].dropFirst(run.count)
    }
    return mixed
  }

  private func result(
    _ lines: [History.HistoryLine], _ options: [String: String]
  ) throws -> Result {
    var engine = try Engine(options)
    var result = Result()
    // In the end a crowd joins, past the second limit: each message's tracking ends with a status.
    for line in lines.map(\.text) + ["g", "h"].flatMap(Self.crowd) {
      for output in try engine.apply(line) { result.note(output) }
    }
    return result
  }

  private static func crowd(_ group: String) -> [Bytes] {
    do { return try ScenarioScript.lines("999 added x1..x40 @\(group)", at: 3600) } catch {
      return []
    }
  }
}

extension InterleavingTests.Result {
  fileprivate mutating func note(_ output: ModelOutput) {
    let value = output.value ?? .null
    if output.topic == "status", let key = output.key {
      let names: [Bytes] = [
        "deliveredCount", "undeliveredCount", "readCount", "unreadCount", "totalCount",
        "replyCount", "tracking", "reason",
      ]
      counts[key] = names.map { value[$0] }
    }
    guard case .string(let event)? = value["event"],
      ["messagesDeliveredToAll", "messagesReadByAll"].contains(event),
      case .array(let ids)? = value["receipt"]?["messageIds"]
    else { return }
    for id in ids {
      announced["\(output.key?.description ?? "") \(event) \(id)", default: 0] += 1
    }
  }
}
