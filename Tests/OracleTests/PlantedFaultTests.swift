import Testing

@testable import Histories
@testable import Oracle

@Suite("Planted faults") struct PlantedFaultTests {
  @Test(arguments: WorkloadCase.dirty)
  func `each is found, and named by its counter`(_ workload: WorkloadCase) throws {
    try forEachFault(in: workload, .merged) { fault, verdict in
      let isNamed = fault.counters.allSatisfy { verdict[$0] > 0 }
      #expect(isNamed, "\(fault): \(verdict.examples.prefix(3))")
    }
  }

  @Test(arguments: WorkloadCase.dirty)
  func `none goes unseen if the order may have been any`(_ workload: WorkloadCase) throws {
    var all = 0
    var found = 0
    try forEachFault(in: workload, .any) { fault, verdict in
      all += 1
      found += verdict.isRight ? 0 : 1
      #expect(!verdict.isRight || verdict[.reordered] > 0 || verdict.exceptions != [:], "\(fault)")
    }
    // The rest can be told from another order only if that order is known.
    #expect(found * 10 > all * 8, "\(found) of \(all)")
  }

  private func forEachFault(
    in workload: WorkloadCase, _ order: OracleOrder,
    _ body: (PlantedFault, OracleVerdict) -> Void
  ) throws {
    let traffic = try workload.traffic()
    let right = PlantedFault.Outputs(traffic.outputs)
    var random = HistoryRandom(seed: workload.seed)
    let oracle = try traffic.oracle(order)
    for fault in PlantedFault.all {
      guard let records = fault.plant(right, &random) else {
        Issue.record("there is no place for: \(fault)")
        continue
      }
      body(fault, Traffic.verdict(oracle, on: PlantedFault.renumbered(records)))
    }
  }
}
