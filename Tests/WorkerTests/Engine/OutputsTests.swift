import Core
import Lab
import Testing

@testable import Worker

@Suite struct OutputsTests {
  /// What is not empty in outputs, by its name.
  private func filled(_ outputs: Outputs) -> Set<String> {
    let empty = Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: Outputs()).children.map {
        ($0.label ?? "", "\($0.value)")
      })
    return Set(
      Mirror(reflecting: outputs).children.compactMap { child in
        "\(child.value)" == empty[child.label ?? ""] ? nil : child.label
      })
  }

  @Test("Every list of the outputs is filled by some record, and emptied for the next")
  func emptied() {
    var workload = Workload(seed: 3, options: WorkloadOptions(.dirty), partitionCount: 1)
    var engine = Engine(rules: Rules())
    var machine = Machine(partition: 0, rules: Rules())
    // A jump of ids is no traffic of the workload's.
    let names = Set(Mirror(reflecting: Outputs()).children.compactMap(\.label))
      .subtracting(["hasIdJump"])
    var seen: Set<String> = []
    var offset: Int64 = 0
    while !names.isSubset(of: seen), offset < 20_000, let record = workload.next() {
      let source = Coordinates(
        topic: record.topic, partition: 0, offset: offset, timestamp: Workload.start)
      engine.apply(
        source, key: record.key.span, value: record.value.span, to: &machine,
        clock: .distantFuture)
      offset += 1
      let found = filled(engine.outputs)
      guard !found.isSubset(of: seen) else { continue }
      seen.formUnion(found)
      var outputs = engine.outputs
      outputs.removeAll()
      #expect(filled(outputs) == [])
    }
    #expect(names.subtracting(seen) == [])
  }
}
