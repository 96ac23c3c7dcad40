import Testing

@testable import rollcall

@Suite("The number of partitions of the topics") struct PartitionCountsTests {
  private func counts(_ numbers: [Int32]) -> PartitionCounts {
    var counts = PartitionCounts()
    for (index, number) in numbers.enumerated() { counts.note("t\(index)", number) }
    return counts
  }

  @Test(
    arguments: [
      ([3, 3, 3], 3), ([3], 3), ([3, 2], nil), ([3, 0], nil), ([0, 0], nil), ([], nil),
    ] as [([Int32], Int32?)])
  func `it is common where all have it`(numbers: [Int32], common: Int32?) {
    #expect(counts(numbers).common == common)
    #expect(counts(numbers).areEqual == (Set(numbers).count < 2))
  }

  @Test func `the sentence names every topic with its number, and says which is missing`() {
    #expect(
      counts([3, 2]).complaint
        == "the topics must have the same number of partitions: t0 has 3, t1 has 2")
    #expect(
      counts([3, 0]).complaint
        == """
        the topics must be there and have the same number of partitions: t0 has 3, t1 is missing
        """)
  }
}
