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
      for (index, topic) in InputTopic.allCases.enumerated() {
        let (lane, pin) = (Lane(Topic(topic), partition.number), partition.lanes[index].pin)
        if let told = partition.toldPins[index], pin?.stableOffset != told.stableOffset {
          partition.toldPins[index] = nil
          report.occurrences.append(
            .unpinned(lane, milliseconds: time.uptime - told.since.uptime))
        }
        guard let pin, partition.toldPins[index] == nil,
          time.uptime - pin.since.uptime >= Self.patienceWithTransactions
        else { continue }
        partition.toldPins[index] = pin
        report.occurrences.append(.pinned(PinnedLane(lane, pin)))
      }
    }
  }
}

extension Partition {
  fileprivate var pinned: [PinnedLane] {
    zip(InputTopic.allCases, lanes).compactMap { topic, cursor in
      cursor.pin.map { PinnedLane(Lane(Topic(topic), number), $0) }
    }
  }
}

extension PinnedLane {
  fileprivate init(_ lane: Lane, _ pin: Pin) {
    self.init(
      lane: lane, stableOffset: pin.stableOffset, endOffset: pin.endOffset, since: pin.since.clock)
  }
}
