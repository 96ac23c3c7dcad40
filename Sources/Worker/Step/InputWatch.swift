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
    if let key, probe.isOpen(source.topic),
      let doubt = probe.observe(
        key, topic: source.topic, partition: source.partition, count: partitionCount)
    {
      report.occurrences.append(.partitionerDoubt(Topic(source.topic), likely: doubt.likely))
    }
    if hasIdJump, !hasToldIdJump {
      hasToldIdJump = true
      report.occurrences.append(.idJump(partition: source.partition, offset: source.offset))
    }
  }
}
