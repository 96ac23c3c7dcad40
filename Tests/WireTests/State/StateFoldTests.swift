import Testing
import Wire

@testable import Core

@Suite("Folding the changelog") struct FoldingChangelogTests {
  @Test func `Gives an empty machine from an empty log`() throws {
    var fold = StateFold()
    let restored = try fold.finish(rules: Rules(), partition: 4)
    #expect(restored.partition == nil)
    #expect(restored.machine.partition == 4)
    restored.machine.forEachPiece { Issue.record("\($0)") }
  }

  @Test func `Keeps no more than the live pieces`() throws {
    var fold = StateFold()
    let (key, value) = encoded(.removed(.waiting(ticket: 1)))
    for _ in 0..<10 { try fold.take(key: key.span, value: [1].span) }
    #expect(fold.count == 1)
    #expect(value == nil)
    try fold.take(key: key.span, value: nil)
    #expect(fold.count == 0)
  }

  @Test func `Refuses what it does not understand`() throws {
    var fold = StateFold()
    #expect(throws: StateError.malformed) { try fold.take(key: nil, value: [1].span) }
    try fold.take(key: [1, 0].span, value: [9].span)
    #expect(throws: StateError.unknownVersion(9)) {
      try fold.finish(rules: Rules(), partition: 0)
    }
  }

  @Test func `Refuses a waiting record that is none`() throws {
    var fold = StateFold()
    let waiting = WaitingState(
      ticket: 0, source: Coordinates(topic: .receipts, partition: 0, offset: 0, timestamp: nil),
      key: Array("group_g1".utf8), value: Array("{".utf8), appliedAt: Instant(milliseconds: 0),
      missing: [0], eventsSoFar: 0)
    let (key, value) = encoded(.waiting(waiting))
    try fold.take(key: key.span, value: value?.span)
    #expect(throws: StateError.malformed) { try fold.finish(rules: Rules(), partition: 0) }
  }
}
