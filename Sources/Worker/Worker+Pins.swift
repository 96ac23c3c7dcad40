import Core

extension Worker {
  /// An open transaction that lasts longer than this is told of, in milliseconds.
  private static var patienceWithTransactions: Int64 { 10_000 }

  /// The lanes that wait for the end of an open transaction upstream.
  package var pinned: [PinnedLane] {
    partitions.flatMap { partition in
      partition.isRunning ? partition.pinned : []
    }
  }

  /// Tells once of each transaction that holds a lane for long, and of its end.
  func watchPins() {
    guard let time else { return }
    for partition in partitions where partition.isRunning {
      for input in InputTopic.allCases {
        let (lane, pin) = (Lane(Topic(input), partition.number), partition.lanes[input].pin)
        if let told = partition.toldPins[input], pin?.stableOffset != told.stableOffset {
          partition.toldPins[input] = nil
          report.occurrences.append(
            .unpinned(lane, milliseconds: time.uptime - told.since.uptime))
        }
        guard let pin, partition.toldPins[input] == nil,
          time.uptime - pin.since.uptime >= Self.patienceWithTransactions
        else { continue }
        partition.toldPins[input] = pin
        report.occurrences.append(.pinned(PinnedLane(lane, pin)))
      }
    }
  }
}

extension Partition {
  fileprivate var pinned: [PinnedLane] {
    InputTopic.allCases.compactMap { input in
      lanes[input].pin.map { PinnedLane(Lane(Topic(input), number), $0) }
    }
  }
}

extension PinnedLane {
  fileprivate init(_ lane: Lane, _ pin: Pin) {
    self.init(
      lane: lane, stableOffset: pin.stableOffset, endOffset: pin.endOffset, since: pin.since.clock)
  }
}
