import Core
import Testing

@testable import Lab

@Suite struct SimulationMixTests {
  @Test("Every rule is drawn otherwise than its default by some seed") func everyRule() {
    let usual = Rules().texts
    var drawn: Set<String> = []
    for seed: UInt64 in 0..<200 {
      var random = SplitMix64(seed: seed)
      let texts = SimulationMix.rules(using: &random).texts
      drawn.formUnion(texts.keys.filter { texts[$0] != usual[$0] })
    }
    #expect(drawn == Set(usual.keys))
    #expect(usual.count == Mirror(reflecting: Rules()).children.count)
  }
}
