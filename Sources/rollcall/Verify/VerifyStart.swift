import Core
import Lab
import Wire
import Worker

/// A moment in a partition with which a verification begins, and the state that was folded then.
struct VerifyStart {
  let cut: VerifyCut
  let machine: Machine
}

extension VerifyCut {
  /// What has come since another moment.
  ///
  /// - Throws: `gone` where the first of it is gone already.
  func since(_ start: VerifyCut, _ cutter: VerifyCutter) throws(VerifyFailure) -> VerifyCut {
    VerifyCut(
      partition: partition, rules: rules, record: record, committed: committed,
      inputs: try Self.since(start.inputs, inputs, of: Topic.inputs, partition, cutter),
      outputs: try Self.since(start.outputs, outputs, of: Topic.judged, partition, cutter),
      notApplied: notApplied, violations: violations, earlierGaps: start.record?.gaps)
  }

  /// How many gaps of each input the pool has gone on behind, in what is judged.
  var gaps: PerInput<Int64> {
    PerInput<Int64> { (record?.gaps[$0] ?? 0) - (earlierGaps?[$0] ?? 0) }
  }

  private static func since(
    _ before: [Range<Int64>], _ now: [Range<Int64>], of topics: [Topic], _ partition: Int32,
    _ cutter: VerifyCutter
  ) throws(VerifyFailure) -> [Range<Int64>] {
    var found: [Range<Int64>] = []
    for (topic, (before, now)) in zip(topics, zip(before, now)) {
      let first = before.upperBound
      guard now.lowerBound <= first else {
        throw .gone(cutter.name(topic, partition), below: now.lowerBound)
      }
      found.append(first..<max(first, now.upperBound))
    }
    return found
  }
}
