import Testing

@testable import ModelTests
@testable import Oracle

@Suite("Planted faults")
struct PlantedFaultTests {
  @Test("each is found, and named by its counter", arguments: WorkloadCase.dirty)
  func found(_ workload: WorkloadCase) throws {
    let traffic = try workload.traffic()
    let right = PlantedFault.Outputs(traffic.outputs)
    var random = HistoryRandom(seed: workload.seed)
    let oracle = try traffic.oracle(.merged)
    for fault in PlantedFault.all {
      for _ in 0..<2 {
        guard let records = fault.plant(right, &random) else {
          Issue.record("there is no place for: \(fault)")
          break
        }
        let verdict = Traffic.verdict(oracle, on: PlantedFault.renumbered(records))
        #expect(
          fault.counters.allSatisfy { verdict[$0] > 0 },
          "\(fault): \(verdict.examples.prefix(3)) \(workload)")
      }
    }
  }
}
