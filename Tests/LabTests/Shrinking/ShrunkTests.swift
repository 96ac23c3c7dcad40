import Lab
import Testing

@Suite("Shrinking") struct ShrunkTests {
  private let thousand = Array(0..<1000)

  /// What is left of a list, and what was tried.
  private func shrunken<Element>(
    _ list: [Element], limit: Int = 10_000, _ fails: ([Element]) -> Bool
  ) -> (kept: [Element], tries: [[Element]]) {
    var tries: [[Element]] = []
    let kept = shrunk(list, limit: limit) { part in
      tries.append(part)
      return fails(part)
    }
    return (kept, tries)
  }

  @Test func `of a thousand elements the two that are needed are left, after a few tries`() {
    for pair in [[17, 983], [0, 999], [500, 501], [3, 4]] {
      let (kept, tries) = shrunken(thousand) { part in pair.allSatisfy(part.contains) }
      #expect(kept == pair)
      #expect(tries.count < 60)
    }
  }

  @Test func `the order is kept, in every try`() {
    let list = thousand.map { ($0 * 7) % 1000 }
    let needed: Set = [7, 14, 301, 990]
    let (kept, tries) = shrunken(list) { needed.isSubset(of: $0) }
    #expect(kept == list.filter(needed.contains))
    for part in tries {
      let places = part.compactMap(list.firstIndex)
      #expect(places == places.sorted())
    }
  }

  @Test func `no single element can be left out of what is left`() {
    func fails(_ part: [Int]) -> Bool {
      part.count { $0.isMultiple(of: 3) } >= 5 && part.reduce(0, +).isMultiple(of: 2)
    }
    #expect(fails(thousand))
    let (kept, _) = shrunken(thousand, fails)
    #expect(fails(kept) && kept.count < 1000)
    for place in kept.indices {
      var fewer = kept
      fewer.remove(at: place)
      #expect(!fails(fewer))
    }
  }

  @Test func `the same list and answers give the same tries`() {
    // An answer that depends on everything, as that of a whole simulation does.
    func fails(_ part: [Int]) -> Bool {
      var hash: UInt64 = 14_695_981_039_346_656_037
      for element in part { hash = (hash ^ UInt64(element)) &* 1_099_511_628_211 }
      return part.count == 1000 || hash % 3 > 0 && part.contains(400)
    }
    let (first, second) = (shrunken(thousand, fails), shrunken(thousand, fails))
    #expect(first.kept == second.kept && first.tries == second.tries)
    #expect(first.kept.contains(400) && first.kept.count < 1000)
  }

  @Test(arguments: 0...40)
  func `no more is tried than was allowed, and what was found is kept`(_ limit: Int) {
    let needed = [17, 500, 983]
    func fails(_ part: [Int]) -> Bool { needed.allSatisfy(part.contains) }
    let (kept, tries) = shrunken(thousand, limit: limit, fails)
    #expect(tries.count == limit)
    #expect(fails(kept))
    #expect((kept.count < 1000) == (tries.dropFirst().contains(where: fails)))
  }

  @Test func `what does not fail is given back after one try`() {
    let (kept, tries) = shrunken(thousand) { _ in false }
    #expect(kept == thousand && tries == [thousand])
  }

  @Test func `what fails whatever is left out is left empty`() {
    let (kept, tries) = shrunken(thousand) { _ in true }
    #expect(kept == [] && tries.count == 2)
    #expect(shrunken([Int]()) { _ in true }.kept == [])
  }

  @Test func `an error ends it`() {
    struct Broken: Error {}
    #expect(throws: Broken.self) {
      try shrunk(thousand, limit: 100) { part in
        if part.isEmpty { throw Broken() }
        return true
      }
    }
  }
}
