import Testing

@testable import Core

/// How far members have come in threads.
@Suite struct PositionsTests {
  @Test func `they hold what a dictionary holds, through adding and removing at random`() {
    var positions = Positions()
    var expected: [ThreadMember: Int64] = [:]
    var state: UInt64 = 42
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let member = ThreadMember(slot: Int32(state >> 33 & 15), parent: Int64(state >> 40 & 31) + 1)
      if state >> 60 < 9 {
        var position = ThreadProgress()
        position.progress.read.upTo = Int64(state >> 50 & 255)
        positions[member] = position
        expected[member] = position.progress.read.upTo
      } else {
        positions[member] = nil
        expected[member] = nil
      }
      #expect(positions[member]?.progress.read.upTo == expected[member])
    }
    #expect(positions.count == expected.count)
    #expect(positions.members == expected.keys.sorted())
    for slot in 0..<Int32(16) {
      let own = expected.keys.filter { $0.slot == slot }.sorted()
      #expect(positions.members(ofSlot: slot) == own)
      #expect(positions.count(ofSlot: slot) == own.count)
      #expect(positions.has(slot) == !own.isEmpty)
    }
    for parent in 1..<Int64(33) {
      let own = expected.keys.filter { $0.parent == parent }.sorted()
      #expect(positions.members(ofThread: parent) == own)
      #expect(positions.count(inThread: parent) == own.count)
    }
    for member in positions.members { positions[member] = nil }
    #expect(positions.placeCount == 0)
  }
}
