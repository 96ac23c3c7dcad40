import Core

/// What has to be put right before inputs are applied again, and when it is tried next.
///
///     rebuild ──▶ abort ──▶ adopt ──▶ (nothing)
///
/// A failure of a step sends it back to where its disposition says.
struct Recovery {
  /// What is needed, the least first; each implies the ones before it.
  enum Need: Int, Comparable {
    /// Ask for the committed offsets, keep what is current, restore the rest, assign.
    case adopt
    /// End the open transaction without its records.
    case abort
    /// Begin with a new producer.
    case rebuild

    static func < (a: Need, b: Need) -> Bool { a.rawValue < b.rawValue }
  }

  /// How long a rebuild counts against the limit, in milliseconds.
  private static let window: Int64 = 60_000
  /// The third fencing inside the window: two workers fence each other for ever.
  private static let fencingLimit = 3
  /// The most rebuilds inside the window: another one will not help.
  private static let rebuildLimit = 12
  /// The waits before the second and later attempts double, in milliseconds.
  private static let firstWait: Int64 = 50
  private static let longestWait: Int64 = 2000

  private(set) var need: Need?
  private var failures = 0
  private var resumeAt = Instant.distantPast
  private var rebuilds: [(at: Instant, isFencing: Bool)] = []

  /// Whether no input may be applied.
  var isNeeded: Bool { need != nil }

  /// Asks for at least this.
  mutating func require(_ least: Need) { need = max(need ?? least, least) }

  /// Goes on with what is left to do.
  mutating func finish(_ done: Need) { need = done == .adopt ? nil : .adopt }

  /// Whether it is time for the next attempt.
  func isDue(_ now: Instant) -> Bool { isNeeded && wait(now) == 0 }

  /// How long to wait for the next attempt, in milliseconds.
  func wait(_ now: Instant) -> Int64 {
    // A clock that was set back does not prolong the wait.
    min(Self.longestWait, max(0, resumeAt.millisecondsSince(now)))
  }

  /// Notes a failure: the next attempt is made later than the one before.
  mutating func fail(_ now: Instant) {
    let doublings = min(failures, 6)
    let wait = failures == 0 ? 0 : min(Self.longestWait, Self.firstWait << Int64(doublings))
    resumeAt = now.advanced(byMilliseconds: wait)
    failures += 1
  }

  /// Notes a success: the next failure is the first again.
  mutating func succeed() { failures = 0 }

  /// Why no further rebuild helps.
  enum Despair { case fenced, failing }

  /// Asks for a rebuild; says why not, where that has happened too often.
  ///
  /// - Parameter isFencing: another producer took this one's place.
  mutating func requireRebuild(_ now: Instant, isFencing: Bool) -> Despair? {
    rebuilds.removeAll { abs(now.millisecondsSince($0.at)) >= Self.window }
    rebuilds.append((now, isFencing))
    if rebuilds.count(where: \.isFencing) >= Self.fencingLimit { return .fenced }
    if rebuilds.count >= Self.rebuildLimit { return .failing }
    require(.rebuild)
    return nil
  }
}
