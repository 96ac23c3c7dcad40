import Testing

@testable import Core

/// No single change of what a partition holds moves more than a bounded part of it, at any size.
@Suite struct BoundedMoveTests {
  /// What an addition or a removal may move: a part of a table that is divided when it is twice as
  /// full as the others, each half put in place again as it grows.
  private static let most = 8192

  @Test func `a table of names moves a bounded number of names with each that comes and goes`() {
    var table = NameTable()
    var most = 0
    func change(_ body: (inout NameTable) -> Void) {
      let before = table.moves
      body(&table)
      most = max(most, table.moves - before)
    }
    let count = 100_000
    for number in 0..<count { change { _ = $0.intern(Array("group_\(number)".utf8).span) } }
    #expect(table.count == count)
    for number in stride(from: 0, to: count, by: 777) {
      #expect(table.find(Array("group_\(number)".utf8).span) == Int32(number))
    }
    for number in 0..<(count - 1) { change { $0.remove(Int32(number), trimming: 16) } }
    #expect(table.count == 1)
    #expect(table.find(Array("group_\(count - 1)".utf8).span) == Int32(count - 1))
    #expect(most > 0)
    #expect(most <= Self.most)
    // Each comes and goes once, and is moved a few times.
    #expect(table.moves < 2 * 4 * count)
  }

  @Test func `the last of many names that goes gives up a bounded number of slots`() {
    var table = NameTable()
    let count = 10_000
    for number in 0..<count { _ = table.intern(Array("group_\(number)".utf8).span) }
    for number in 0..<count { table.remove(Int32(number), trimming: 16) }
    #expect(table.count == 0)
    #expect(table.slotCount == count - 16)
    table.trim(atMost: 100)
    #expect(table.slotCount == count - 116)
    // The lowest is given out first, however many free ones are kept behind it.
    #expect(table.intern(Array("next".utf8).span) == 0)
    table.trim(atMost: .max)
    #expect(table.slotCount == 1)
  }

  @Test func `a table of slots finds what it has, whichever of them share their hashes`() {
    var index = SlotIndex()
    var hashes: [Int32: Int] = [:]
    var state: UInt64 = 7
    for step in 0..<60_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let slot = Int32(state >> 33 & 8191)
      if let hash = hashes[slot] {
        #expect(index.find(hash) { $0 == slot } == slot)
        if step % 3 > 0 || step > 40_000 {
          index.remove(slot, hash)
          hashes[slot] = nil
        }
      } else {
        let hash = Int(state >> 40 & 0x7FF) << 8
        index.insert(slot, hash)
        hashes[slot] = hash
      }
    }
    #expect(index.count == hashes.count)
    for (slot, hash) in hashes { #expect(index.find(hash) { $0 == slot } == slot) }
  }

  @Test
  func `a sort in pieces moves one element for each of its budget, and gives all back like that`() {
    var elements = Chunks<Int>()
    let count = 10_000
    for number in 0..<count { elements.append(number &* 7919 % count) }
    var sort = GradualSort(elements)
    elements = Chunks()
    var calls = 0
    while !sort.isDone {
      var budget = 10
      sort.go(on: &budget) { a, b, _ in a < b }
      calls += 1
      #expect(budget >= -Work.output)
    }
    #expect(calls >= count * 13 / 10)
    #expect(sort.placeCount == count)
    for number in (0..<count).reversed() { #expect(sort.popLast() == number) }
    #expect(sort.popLast() == nil)
  }

  @Test func `the order of pieces is theirs, and is given back a little at a time`() {
    var table = PieceTable()
    let count = 5000
    for number in 0..<count {
      let id = Array("group_with_a_long_name_\(number &* 7919 % count)".utf8)
      for kind: UInt8 in [3, 1, 2] { table.add(([kind] + id).span, [kind], of: id) }
    }
    table.add([9].span, [9], of: nil)
    for isDropped in [false, true] {
      var (table, order) = (table, PieceOrder())
      var calls = 0
      while true {
        calls += 1
        var budget = 100
        if order.sortConversations(of: table, on: &budget) { break }
        #expect(budget > -Work.output)
      }
      #expect(calls > count * 13 / 100)
      guard !isDropped else {
        var drops = 0
        var isGone = false
        while !isGone {
          var budget = 100
          isGone = order.drop(on: &budget)
          drops += 1
          #expect(budget > -2 * Work.output)
        }
        #expect(drops >= count / 512)
        continue
      }
      var keys: [[UInt8]] = []
      var budget = Int.max
      while order.nextConversation(of: table, on: &budget) {
        #expect(order.sortPieces(of: table, on: &budget))
        while let place = order.nextPiece() { keys.append(table.take(place).key) }
      }
      #expect(keys.count == 3 * count + 1)
      #expect(keys.last == [9])
      let ids = keys.dropLast().map { Array($0.dropFirst()) }
      #expect(zip(ids, ids.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
      #expect(keys.dropLast().enumerated().allSatisfy { Int($1[0]) == $0 % 3 + 1 })
      #expect(table.count == 0)
    }
  }
}
