import Core

/// What a worker has in hand, for whoever looks after it.
package struct WorkerStatus: Sendable {
  /// A partition that is stopped.
  package struct Stop: Equatable, Sendable {
    /// The partition's number.
    package var partition: Int32
    /// Why.
    package var fault: PartitionFault
  }

  /// How far a lane is applied.
  package struct Position: Equatable, Sendable {
    /// The lane.
    package var lane: Lane
    /// The next offset; of a lane that nothing is applied of yet what the group has committed, or
    /// the beginning.
    package var offset: Int64
    /// Where the lane ended when its partition was taken, where nothing is read of it.
    package var end: Int64?
  }

  /// The partitions that the group has given to it.
  package var partitions: [Int32] = []
  /// Those that are stopped.
  package var stopped: [Stop] = []
  /// How far the others have come that are being restored.
  package var restores: [RestoreProgress] = []
  /// How far the inputs are applied, of all partitions: also of those that are stopped or being
  /// restored.
  package var positions: [Position] = []
  /// The lanes that wait for the end of an open transaction upstream.
  package var pinned: [PinnedLane] = []
  /// How many records of these inputs are given out and not applied, of stopped and restoring
  /// partitions too, as far as somebody knows where the inputs end; what open transactions hold
  /// back from partitions that run is not among them.
  package var lagRecords: Int64?
  /// How many conversations are known, in the partitions that run.
  package var conversations = 0
  /// How many messages and action records of the tracking window are known there.
  package var messages = 0
  /// How many messages have their receipts counted there.
  package var openMessages = 0
  /// How many records wait there for a message or a membership.
  package var waitingRecords = 0
}

extension Worker {
  /// What it has in hand now; costs a look at each partition.
  package var status: WorkerStatus {
    var status = WorkerStatus(partitions: assignment, restores: restores, pinned: pinned)
    for partition in partitions {
      switch partition.phase {
      case .stopped(let fault):
        status.stopped.append(.init(partition: partition.number, fault: fault))
        status.positions += partition.standing
      case .restoring: status.positions += partition.standing
      case .running:
        status.conversations += partition.machine.conversationCount
        status.messages += partition.machine.messageCount
        status.openMessages += partition.machine.openMessageCount
        status.waitingRecords += partition.machine.waitingCount
        for input in InputTopic.allCases {
          status.positions.append(
            .init(
              lane: Lane(Topic(input), partition.number), offset: partition.lanes[input].position))
        }
      case .claiming: status.positions += partition.standing
      }
    }
    return status
  }

  /// Tells of the records to be skipped that lie before what a partition goes on with.
  func tellPassedSkips(_ partition: Partition<Log>) {
    for input in InputTopic.allCases {
      for offset in partition.skips[input].sorted() where offset < partition.lanes[input].position {
        report.skipsPassed.append(
          .init(topic: input, partition: partition.number, offset: offset))
      }
    }
  }
}

extension Partition {
  /// Where its inputs stand while nothing of them is read.
  fileprivate var standing: [WorkerStatus.Position] {
    InputTopic.allCases.map { input in
      WorkerStatus.Position(
        lane: Lane(Topic(input), number),
        offset: max(lanes[input].position, taken[input].position), end: taken[input].end)
    }
  }
}
