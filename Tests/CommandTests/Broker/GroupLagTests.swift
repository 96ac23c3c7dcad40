import Testing

@testable import rollcall

@Suite("The lag of a group") struct GroupLagTests {
  @Test(
    "what is gone is not behind, what is beyond the end is nothing, and nothing committed is all",
    arguments: [
      (nil, 4..<10, 6), (2, 4..<10, 6), (4, 4..<10, 6), (7, 4..<10, 3), (10, 4..<10, 0),
      (12, 4..<10, 0), (.max, 4..<10, 0), (nil, 0..<0, 0), (nil, 0..<(.max), .max),
    ] as [(Int64?, Range<Int64>, Int64)])
  func records(offset: Int64?, bounds: Range<Int64>, lag: Int64) {
    #expect(GroupLag.records(after: offset, in: bounds) == lag)
  }
}
