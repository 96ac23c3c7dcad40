@testable import Histories
@testable import Oracle
@testable import Scenarios

/// What the model makes of a history, and what that says of every other order of its topics.
struct InterleavingOutcomes {
  private var messages: [MessageKey: ModelOutcome] = [:]
  private var threads: [MessageKey: ModelThreadOutcome] = [:]

  init(_ history: History) throws {
    var replay = try ModelReplay(history.options)
    for line in history.lines.map(\.text) + [InterleavingResult.end] {
      _ = try replay.apply(line)
      for outcome in replay.model.outcomes {
        messages[.message(outcome.status.conversation, outcome.status.id)] = outcome
      }
      for outcome in replay.model.threadOutcomes {
        threads[.message(outcome.conversation, outcome.parent)] = outcome
      }
    }
  }

  /// Whether only a scope decides how many replies there are.
  func isExcepted(thread: MessageKey) -> Bool { threads[thread]?.isExcepted ?? false }

  /// Where an order of the topics gives what the model says it cannot, in words.
  func faults(of result: InterleavingResult) -> [String] {
    messages.keys.sorted().flatMap { key in
      messages[key].map { faults(of: key, $0, result) } ?? []
    } + faultsOfThreads(result)
  }

  private func faults(
    of key: MessageKey, _ outcome: ModelOutcome, _ result: InterleavingResult
  ) -> [String] {
    var faults: [String] = []
    for (kind, event) in InterleavingResult.announcements {
      let fact = outcome.facts[kind]
      let applied = result.announced[key]?[event]
      if outcome.passedSecondLimit { continue }
      if outcome.hasDelete {
        if applied != nil, !fact.isPossible { faults.append("\(event) of \(key), impossible") }
      } else if (applied != nil) != (fact.announcement != nil) {
        faults.append("\(event) of \(key): \(applied != nil)")
      }
      if let applied, let needed = fact.lastNeededReceipt, !applied.contains(Int(needed)) {
        faults.append("\(event) of \(key) before the receipt of line \(needed)")
      }
    }
    let status = InterleavingResult.counts(of: WrittenRecord(.status(outcome.status)).value)
    if !outcome.hasDelete, !outcome.passedSecondLimit, result.counts[key] != status {
      faults.append("status of \(key): \(status)")
    }
    return faults
  }

  private func faultsOfThreads(_ result: InterleavingResult) -> [String] {
    threads.keys.sorted().compactMap { key in
      guard let thread = threads[key], !thread.isExcepted else { return nil }
      let count = result.replies[key]?["replyCount"] ?? 0
      return count == .int(Int64(thread.replyCount)) ? nil : "replies of \(key): \(count)"
    }
  }
}
