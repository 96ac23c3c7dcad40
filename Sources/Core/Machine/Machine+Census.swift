/// How much a machine holds, by what it is: what is on lists, and places of tables, also free ones.
/// Lists that go at the beginning hold at most twice as much, and 64.
package struct Census: Equatable, Sendable {
  /// The places of each kind.
  package private(set) var places: [String: Int] = [:]

  mutating func count(_ kind: String, _ number: Int) { places[kind, default: 0] += number }

  /// The kinds of which there are more than `slack` more here than there, with both numbers.
  package func growth(since earlier: Census, slack: Int) -> [String] {
    places.keys.sorted().compactMap { kind in
      let (before, now) = (earlier.places[kind, default: 0], places[kind, default: 0])
      return now > before + slack ? "\(kind): \(before), then \(now)" : nil
    }
  }
}

extension Machine {
  /// Counts everything that it holds. For tests: it looks at everything.
  package func census() -> Census {
    var census = Census()
    census.count("conversation names", names.capacity)
    census.count("conversations", conversations.count)
    census.count("changed conversations", changed.count)
    census.count("removed pieces", removed.count)
    census.count("what waits", room.placeCount)
    census.count("what expires", expiries.count)
    census.count("what falls due", due.count)
    census.count("what is restored", restoring.placeCount)
    for conversation in conversations where !conversation.id.isEmpty {
      conversation.count(in: &census)
    }
    return census
  }
}

extension Conversation {
  fileprivate func count(in census: inout Census) {
    census.count("uids", uids.capacity)
    census.count("members", members.count)
    census.count("memberships", members.reduce(0) { $0 + $1.periods.count })
    census.count("positions", positions.placeCount)
    census.count("known ids", timeline.indices.count)
    census.count("marks", timeline.marks.count { $0 != nil })
    census.count("messageUIds", messageUIds.capacity + messageUIdOwners.count)
    census.count("threads", threads.count)
    census.count("replies", threads.values.reduce(0) { $0 + $1.replies.placeCount })
    census.count("deletes", deletions.count)
    census.count("waiting lists", waiting?.placeCount ?? 0)
    census.count("unread lists", unread.placeCount)
    census.count("unwritten pieces", unwritten.count)
  }
}
