import Core

/// What is odd in the inputs, and told once.
struct InputWatch {
  private var probe = PartitionerProbe()
  private let partitionCount: Int32
  private var hasToldIdJump = false

  init(partitionCount: Int32) { self.partitionCount = partitionCount }

  /// Looks at a record that was applied.
  mutating func note(
    _ source: Coordinates, key: Span<UInt8>?, hasIdJump: Bool, _ report: inout StepReport
  ) {
    let lane = Int(source.topic.rawValue)
    if let key, probe.isOpen(lane),
      let doubt = probe.observe(
        key, topic: lane, partition: source.partition, count: partitionCount)
    {
      report.occurrences.append(.partitionerDoubt(Topic(source.topic), likely: doubt.likely))
    }
    if hasIdJump, !hasToldIdJump {
      hasToldIdJump = true
      report.occurrences.append(.idJump(partition: source.partition, offset: source.offset))
    }
  }
}
