extension ExampleTraffic {
  /// What a record of `chat.events` announces: each message of it; empty for other events.
  ///
  /// It reads what Rollcall writes for this traffic, whose names need no escaping; it is no JSON
  /// parser.
  package static func announcements(inEvent text: String) -> [Announcement] {
    let kind: Announcement.Kind
    if text.hasPrefix(#"{"event":"messagesDeliveredToAll""#) {
      kind = .delivered
    } else if text.hasPrefix(#"{"event":"messagesReadByAll""#) {
      kind = .read
    } else {
      return []
    }
    guard let conversation = text.between(#""conversationId":""#, "\""),
      let ids = text.between(#""messageIds":["#, "]")
    else { return [] }
    return ids.split(separator: ",").compactMap { Int64($0) }.map {
      Announcement(kind: kind, conversation: String(conversation), messageId: $0)
    }
  }

  /// How what was announced compares with what had to be.
  package struct Tally: Sendable {
    private let expected: Set<Announcement>
    private var counts: [Announcement: Int] = [:]

    /// Nothing counted yet.
    package init(expected: Set<Announcement>) { self.expected = expected }

    /// Counts an announcement.
    package mutating func add(_ announcement: Announcement) {
      counts[announcement, default: 0] += 1
    }

    /// How many different announcements came that had to.
    package var found: Int { counts.keys.count { expected.contains($0) } }

    /// The same of one kind.
    package func found(_ kind: Announcement.Kind) -> Int {
      counts.keys.count { $0.kind == kind && expected.contains($0) }
    }

    /// How many had to come and did not.
    package var missing: Int { expected.count - found }
    /// How many came again.
    package var duplicates: Int { counts.values.reduce(0) { $0 + $1 - 1 } }
    /// How many came that had not to.
    package var unexpected: Int { counts.count - found }
  }
}

extension String {
  /// What stands between the first `start` and the next `end`.
  fileprivate func between(_ start: String, _ end: Character) -> Substring? {
    guard let rest = firstRange(of: start).map({ self[$0.upperBound...] }) else { return nil }
    return rest.firstIndex(of: end).map { rest[..<$0] }
  }
}
