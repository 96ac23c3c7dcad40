import Testing

@testable import Core

/// Names as small integers.
@Suite struct NameTableTests {
  @Test func `A table holds what a dictionary holds, through adding and removing at random`() {
    var table = NameTable()
    var slots: [String: Int32] = [:]
    var state: UInt64 = 42
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let name = "user-\(state >> 33 & 255)"
      if state >> 60 < 10 {
        let slot = table.intern(Array(name.utf8).span)
        #expect(slots[name] == nil || slots[name] == slot)
        slots[name] = slot
      } else if let slot = slots.removeValue(forKey: name) {
        table.remove(slot)
      }
    }
    #expect(table.count == slots.count)
    #expect(Set(slots.values).count == slots.count)
    for number in 0..<256 {
      #expect(table.find(Array("user-\(number)".utf8).span) == slots["user-\(number)"])
    }
  }

  @Test func `The lowest free slot is given out first, also after a restore`() {
    var live = NameTable()
    for name in ["a", "b", "c", "d"] { _ = live.intern(Array(name.utf8).span) }
    live.remove(2)
    live.remove(0)
    var restored = NameTable()
    for slot: Int32 in [3, 1] { restored.restore(live[Int(slot)], at: slot) }
    for name in ["e", "f", "g"] {
      let slot = live.intern(Array(name.utf8).span)
      #expect(slot == restored.intern(Array(name.utf8).span))
    }
    #expect(live.find(Array("e".utf8).span) == 0)
    #expect(live.find(Array("f".utf8).span) == 2)
    #expect(live.find(Array("g".utf8).span) == 4)
  }
}
