extension ExampleTraffic {
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
