import Testing

@testable import Oracle
@testable import Scenarios

@Suite("Outcomes of messages") struct OutcomeTests {
  /// What becomes of the messages of the group `g` and of its threads, in steps as scenarios have
  /// them; the offset of a record is the number of its step.
  private struct Outcomes {
    var messages: [Int64: ModelOutcome] = [:]
    var threads: [Int64: ModelThreadOutcome] = [:]

    init(_ options: [String: String] = [:], _ steps: String...) throws {
      var replay = try ModelReplay(options)
      for (second, step) in steps.enumerated() {
        for line in try ScenarioScript.lines(step, at: Int64(second)) {
          _ = try replay.apply(line)
          for outcome in replay.model.outcomes { try add(outcome) }
          for outcome in replay.model.threadOutcomes { try add(outcome) }
        }
      }
      var remaining: [ModelOutcome] = []
      var threads: [ModelThreadOutcome] = []
      replay.model.forEachRemaining {
        remaining.append($0)
      } thread: {
        threads.append($0)
      }
      for outcome in remaining { try add(outcome) }
      for outcome in threads { try add(outcome) }
    }

    private mutating func add(_ outcome: ModelOutcome) throws {
      try #require(messages.updateValue(outcome, forKey: outcome.status.id) == nil, "twice")
    }

    private mutating func add(_ outcome: ModelThreadOutcome) throws {
      try #require(threads.updateValue(outcome, forKey: outcome.parent) == nil, "twice")
    }

    subscript(id: Int64) -> ModelOutcome { get throws { try #require(messages[id]) } }
  }

  private static func second(_ second: Int64) -> Int64 { (ScenarioScript.start + second) * 1000 }

  @Test("the announcement is told with its cause and time, and the last receipt that it needs")
  func announcement() throws {
    let outcome = try Outcomes(
      [:], "1 roster A B C", "2 from A", "B reads 2", "C receives 2", "B reads 2", "C reads 2")[2]
    #expect(outcome.audienceSize == 2)
    #expect(outcome.facts.delivered.announcement == .init(cause: .receipt, at: Self.second(3)))
    #expect(outcome.facts.delivered.lastNeededReceipt == 3)
    #expect(outcome.facts.read.announcement == .init(cause: .receipt, at: Self.second(5)))
    #expect(outcome.facts.read.lastNeededReceipt == 5)
    #expect(outcome.status.counts.done == ModelByKind(delivered: 2, read: 2))
    #expect(outcome.facts.read.isPossible && !outcome.isOrderSensitive && !outcome.hasDelete)
    #expect(!outcome.passedSecondLimit && !outcome.leaverInAudience)
  }

  @Test("of a message deleted before it was complete is told what would have been announced")
  func deleteBefore() throws {
    let outcomes = try Outcomes(
      [:], "1 roster A B C", "2 from A", "3 from A", "B reads 3", "A deletes 2", "A deletes 3",
      "C receives 2")
    let first = try outcomes[2]
    #expect(first.hasDelete && first.facts.delivered.isPossible && !first.facts.read.isPossible)
    #expect(first.facts.delivered.announcement == nil)
    #expect(first.facts.delivered.lastNeededReceipt == nil)
    #expect(first.status.counts.done == ModelByKind(delivered: 1, read: 1))
    #expect(first.deletes == [.init(offset: 4, by: "A", verdict: .accepted)])
    let second = try outcomes[3]
    #expect(second.hasDelete && !second.facts.delivered.isPossible)
  }

  @Test func `a leaver completes what would have been announced of a deleted message`() throws {
    let outcome = try Outcomes(
      [:], "1 roster A B C", "2 from A", "B reads 2", "A deletes 2", "3 left C")[2]
    #expect(outcome.facts.read.isPossible && outcome.facts.read.announcement == nil)
  }

  @Test func `a message deleted after it was announced was announced`() throws {
    let outcome = try Outcomes([:], "1 roster A B", "2 from A", "B reads 2", "A deletes 2")[2]
    #expect(outcome.facts.read.announcement == .init(cause: .receipt, at: Self.second(2)))
    #expect(outcome.hasDelete && outcome.status.tracking == .ended(.deleted))
  }

  @Test("deletes are told with what was decided, and whether a scope could decide otherwise")
  func deletes() throws {
    let outcomes = try Outcomes(
      [:], "1 roster A B C:admin", "2 from A", "3 from A", "B deletes 2", "A deletes 2",
      "A deletes 2 at=+4", "C deletes 2", "A deletes 3")
    let denied = ModelOutcome.Delete.Verdict.rejected(code: "ERR_PERMISSION_DENIED")
    let late = ModelOutcome.Delete.Verdict.rejected(code: "ERR_MESSAGE_ALREADY_DELETED")
    #expect(
      try outcomes[2].deletes == [
        .init(offset: 3, by: "B", verdict: denied, dependsOnOrder: true),
        .init(offset: 4, by: "A", verdict: .accepted, dependsOnOrder: true),
        .init(offset: 5, by: "A", verdict: .repeated, dependsOnOrder: true),
        .init(offset: 6, by: "C", verdict: late, dependsOnOrder: true),
      ])
    #expect(try outcomes[3].deletes.map(\.dependsOnOrder) == [false])
  }

  @Test func `a delete that nothing could have allowed is no exception`() throws {
    let outcome = try Outcomes([:], "2 from A with B", "B deletes 2 with A")[2]
    #expect(!outcome.hasDelete && outcome.deletes.count == 1 && !outcome.isGroup)
    #expect(try Outcomes([:], "1 roster A B", "2 from A", "B deletes 2")[2].hasDelete)
  }

  @Test func `a delete accepted before its message belongs to the message's outcome`() throws {
    let outcome = try Outcomes(
      ["grace": "2s"], "1 roster A B", "A deletes 3 original=A", "tick +5", "A deletes 3",
      "3 from A",
      "B reads 3")[3]
    #expect(outcome.deletes.map(\.offset) == [1, 3] && outcome.hasDelete)
    #expect(outcome.facts.read.isPossible && outcome.facts.read.announcement == nil)
  }

  @Test func `a thread is excepted while only a scope decides about one of its replies`() throws {
    let outcomes = try Outcomes(
      [:], "1 roster A B:admin", "2 from A", "3 from A parent=2", "4 from A", "5 from A parent=4",
      "B deletes 3", "B deletes 5", "A deletes 5")
    #expect(outcomes.threads[2]?.isExcepted == true && outcomes.threads[4]?.isExcepted == false)
    #expect(outcomes.threads[2]?.replyCount == 0 && outcomes.threads[2]?.conversation == "group_g")
  }

  @Test("what was known when the second limit was passed is told, and what may have been missed")
  func secondLimit() throws {
    let outcomes = try Outcomes(
      ["maxGroupMembers": "2"], "1 roster A B", "2 from A", "3 added u1..u3", "4 from A",
      "B reads all", "5 roster A B", "6 from A sent=+2", "7 from A", "B reads 7")
    #expect(try outcomes[2].passedSecondLimit && outcomes[4].passedSecondLimit)
    #expect(try outcomes[2].status.tracking == .ended(.groupTooLarge))
    // Sent before the time that a receipt covered past the limit, and after it.
    #expect(try outcomes[6].passedSecondLimit && !outcomes[7].passedSecondLimit)
    #expect(try outcomes[7].facts.read.announcement?.cause == .receipt)
  }

  @Test func `a leaver is told, and his receipt is not needed`() throws {
    let outcomes = try Outcomes(
      [:], "1 roster A B C", "2 from A", "B reads 2", "C reads 2", "3 left C", "4 from A",
      "B reads 4")
    let first = try outcomes[2]
    #expect(first.leaverInAudience && first.isOrderSensitive)
    #expect(first.facts.read.announcement?.cause == .receipt)
    #expect(first.facts.read.lastNeededReceipt == nil)
    #expect(try !outcomes[4].leaverInAudience && outcomes[4].facts.read.lastNeededReceipt == 6)
  }

  @Test func `who is held is needed although he has left`() throws {
    let outcome = try Outcomes(
      ["leavers": "hold"], "1 roster A B C", "2 from A", "3 left C", "B reads 2", "C reads 2")[2]
    #expect(outcome.leaverInAudience && outcome.facts.read.lastNeededReceipt == 4)
  }

  @Test
  func `what waited makes a message sensitive to the order, and is not told as needed`() throws {
    let outcomes = try Outcomes(
      [:], "1 roster A B C", "2 from A", "B reads 3", "B reads 2", "C reads 2", "3 from A",
      "C reads 3")
    // While one of his waits, an earlier one than the one that was applied may cover it.
    #expect(try outcomes[2].facts.read.lastNeededReceipt == 4)
    #expect(try !outcomes[2].isOrderSensitive && outcomes[3].isOrderSensitive)
    #expect(try outcomes[3].facts.read.lastNeededReceipt == 6)
  }

  @Test("a message that is covered when it comes names no receipt of those who were there first")
  func coveredBefore() throws {
    let outcome = try Outcomes([:], "1 roster A B", "3 from A", "B reads 3", "2 from A")[2]
    #expect(outcome.facts.read.announcement?.cause == .message)
    #expect(outcome.facts.read.lastNeededReceipt == nil && outcome.isOrderSensitive)
  }

  @Test func `an outcome is handed out once, when the message expires or at the end`() throws {
    let outcomes = try Outcomes(
      ["trackingWindow": "10s"], "1 roster A B", "2 from A", "3 from A parent=2", "tick +20",
      "4 from A sent=+20", "tick +25")
    #expect(outcomes.messages.keys.sorted() == [2, 3, 4] && outcomes.threads.keys.sorted() == [2])
    #expect(try outcomes[2].status.tracking == .ended(.expired))
    #expect(try outcomes[2].status.replyCount == 1 && outcomes[4].status.tracking == .on)
  }
}
