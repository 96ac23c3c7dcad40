/// How far timestamps are out of order within a topic: they are not when records were written, but
/// that much earlier.
///
/// Between topics it decides then what waits for longer than the grace. Merged by timestamp, each
/// record is applied at the earliest stream time that there is for it, the newest of its own topic.
/// A worker that was there when the records came may have applied it, or what it waits for, later
/// by as much as timestamps lie behind: then it has kept what the model gives up, or the other way
/// round.
struct OracleDisorder {
  private var newest: [ModelRecord.Topic: Int64] = [:]
  private var lag: Int64 = 0

  /// By how much another order may move stream time at a record, in milliseconds: a quarter more
  /// than what was seen, as that need not be the most there is.
  var reach: Int64 { lag.addingReportingOverflow(lag / 4).overflow ? .max : lag + lag / 4 }

  mutating func note(_ input: ModelInput, latestClock: Int64?) {
    guard let time = input.timestamp, time <= latestClock ?? .max else { return }
    let newest = max(newest[input.topic] ?? time, time)
    self.newest[input.topic] = newest
    let (behind, isFar) = newest.subtractingReportingOverflow(time)
    lag = max(lag, isFar ? .max : behind)
  }
}

/// What the model has given up, so that a worker may have kept it.
struct OracleGivenUp {
  var source: OracleSource
  /// Stream time when it was applied, at the earliest.
  var since: Int64
  /// Stream time when what it waited for came; nil: it has not.
  var until: Int64?
}

extension OracleConversation {
  /// - Parameter targets: nil stands for a membership.
  mutating func note(_ found: OracleGivenUp, waitingFor targets: [ModelTarget?]) {
    if found.since >= lastGivenUp?.since ?? .min { lastGivenUp = found }
    for target in targets where found.since >= givenUp[target]?.since ?? .min {
      givenUp[target] = found
    }
  }

  mutating func noteArrival(of target: ModelTarget?, _ now: Int64) {
    guard var found = givenUp[target] else { return }
    found.until = now
    if let closest = closestGivenUp, closest.slack <= found.slack { return }
    closestGivenUp = found
  }
}

extension OracleGivenUp {
  /// For how long it would have to be kept.
  fileprivate var slack: Int128 { Int128(until ?? .max) - Int128(since) }
}
