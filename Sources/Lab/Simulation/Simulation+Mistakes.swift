import Core
import Wire
import Worker

/// Operators' mistakes: all workers are gone, something is changed, a worker has to notice it, the
/// change is taken back, and the pool goes on.
extension Simulation {
  /// What a mistake is made of.
  private struct Mistake {
    /// How a worker says that it has noticed.
    var notice: SimulationLabel
    /// What is changed on the broker.
    var change: (Simulation) -> Void = { _ in }
    /// It is changed under a worker that works already and stands still meanwhile, within its
    /// session.
    var isInPause = false
    /// What the worker is told.
    var configure: (inout WorkerConfiguration) -> Void = { _ in }
    /// What goes on while it works.
    var disturb: (Simulation, SimulationWorker) -> Void = { _, _ in }
  }

  /// How many steps a worker does before it stands still.
  private static let roundsBeforePause = 50

  /// Makes one of the mistakes.
  ///
  /// - Returns: false where there is nothing yet that it could harm.
  func makeMistake() -> Bool {
    guard let place = places.first, traffic.leftCount > 20 else { return false }
    // In turn, so that few seeds see all.
    let kinds = SimulationMistake.allCases
    let kind = kinds[Int((seed &+ UInt64(mistakes)) % UInt64(kinds.count))]
    mistakes += 1
    for place in places { place.end(next: nil) }
    endUpstreams(until: .distantFuture)
    defer { places[0].beginsAt = now }
    waitForTimeouts()
    guard let (partition, position) = someCommittedPosition(),
      let mistake = mistake(kind, partition, position)
    else { return false }
    (isDisturbed, isMistaken) = (false, true)
    // What has to happen within a minute is not held up by slow restores.
    broker.restoreLimit = .max
    defer {
      (isDisturbed, isMistaken) = (true, false)
      broker.restoreLimit = plan.restoreLimit
    }
    let state = Lane(.state, partition)
    let messages = Lane(.messages, partition)
    let former = (broker[state], broker[messages])
    if !mistake.isInPause { mistake.change(self) }
    let seen = result.labels[mistake.notice] ?? 0
    begin(place, mistake.configure)
    for round in 0..<1000 where result.labels[mistake.notice] ?? 0 == seen {
      elapse(100)
      if mistake.isInPause, round == Self.roundsBeforePause {
        mistake.change(self)
        elapse(SimulationPlan.sessionTimeout / 2)
      }
      // It may have ended for another reason.
      if !place.isAlive { begin(place, mistake.configure) }
      mistake.disturb(self, place)
      step(place)
    }
    let isNoticed = result.labels[mistake.notice] ?? 0 > seen
    if !isNoticed { result.problems.append("nobody notices \(kind.rawValue)") }
    place.end(next: nil)
    broker.changedCounts = [:]
    waitForTimeouts()
    if case .stop = mistake.notice {
      broker[messages] = former.1
      // What a worker that worked already has committed by then is right, and stays.
      if !mistake.isInPause {
        broker[state] = former.0
        broker.setCommitted(position, partition: partition)
      }
    }
    note(.mistake(kind))
    return true
  }

  /// A member that is gone is given up, and so is what it left open.
  private func waitForTimeouts() {
    elapse(max(SimulationPlan.sessionTimeout, plan.transactionTimeout))
  }

  /// A partition of which offsets of all three inputs are committed, and messages are read.
  private func someCommittedPosition() -> (Int32, CommittedPosition)? {
    for partition in (0..<options.partitions).shuffled(using: &random) {
      if let position = broker.committedPosition(partition), !position.offsets.contains(nil),
        position.offsets[.messages] ?? 0 > 0
      {
        return (partition, position)
      }
    }
    return nil
  }

  /// What a partition's last transaction has written beside its state.
  private func lastRecord(of partition: Int32) -> PartitionRecord? {
    let found = broker.committedRecords(.state, partition: partition).last { $0.key == [0] }
    guard let key = found?.key, let value = found?.value,
      case .success(.partition(let record)) = StateCodec.decoded(key, value)
    else { return nil }
    return record
  }

  private var hasStateEverywhere: Bool {
    (0..<options.partitions).allSatisfy {
      !broker.committedRecords(.state, partition: $0).isEmpty
    }
  }

  private func mistake(
    _ kind: SimulationMistake, _ partition: Int32, _ position: CommittedPosition
  ) -> Mistake? {
    switch kind {
    case .offsetMoved, .noteChanged: changedPosition(kind, partition, position)
    case .changelogLost, .inputEmptied, .inputRefilled, .changelogCut, .inputDeleted,
      .stateOfTheFuture, .smallTopics:
      changedTopic(kind, partition)
    case .otherGroup, .otherRules, .otherThreads, .otherPartitionCount: changedWorker(kind)
    case .partitionsAdded, .topicDeleted, .sharedId, .deadCoordinator: changedUnderWork(kind)
    }
  }

  /// The group's committed position is changed.
  private func changedPosition(
    _ kind: SimulationMistake, _ partition: Int32, _ position: CommittedPosition
  ) -> Mistake? {
    var changed = position
    switch kind {
    case .offsetMoved:
      changed.offsets[.receipts] = (position.offsets[.receipts] ?? 0) + 1
      return Mistake(
        notice: .stop(.offsetsDiffer),
        change: { $0.broker.setCommitted(changed, partition: partition) })
    case .noteChanged:
      changed.metadata = "99 somebody"
      return Mistake(
        notice: .stop(.versionsDiffer),
        change: { $0.broker.setCommitted(changed, partition: partition) })
    default: return nil
    }
  }

  /// A topic holds something else than before.
  private func changedTopic(_ kind: SimulationMistake, _ partition: Int32) -> Mistake? {
    switch kind {
    case .changelogLost:
      return Mistake(
        notice: .stop(.offsetWithoutState),
        change: { $0.broker.recreate(.state, partition: partition) })
    case .inputEmptied:
      return Mistake(
        notice: .stop(.beyondEnd), change: { $0.broker.recreate(.messages, partition: partition) })
    case .inputRefilled:
      // A record without a time cannot be told from another one.
      guard lastRecord(of: partition)?.lastApplied[.messages]?.timestamp != nil else { return nil }
      return Mistake(
        notice: .stop(.madeAnew),
        change: { simulation in
          let lane = Lane(.messages, partition)
          let end = simulation.broker.bounds(lane).upperBound
          simulation.broker.recreate(.messages, partition: partition)
          for _ in 0...end {
            simulation.broker.append(
              .messages, partition: partition, key: nil, value: nil,
              timestamp: simulation.now.advanced(byMilliseconds: 1))
          }
        },
        // What the worker applies before it stands still must have a time, too.
        isInPause: mistakes.isMultiple(of: 2) && !plan.isTimeless)
    case .changelogCut:
      guard let record = lastRecord(of: partition), (record.tally?.total ?? 0) > 0 else {
        return nil
      }
      return Mistake(notice: .stop(.stateIncomplete)) { simulation in
        let last = simulation.broker.committedRecords(.state, partition: partition).last
        simulation.broker.truncate(.state, partition: partition, before: last?.offset ?? 0)
      }
    case .inputDeleted:
      return Mistake(notice: .stop(.belowStart)) { simulation in
        let broker = simulation.broker
        broker.appendInTransaction(
          .messages, partition: partition, key: nil, value: nil, timestamp: simulation.now)
        broker.truncate(
          .messages, partition: partition,
          before: broker.bounds(Lane(.messages, partition)).upperBound)
      }
    case .stateOfTheFuture:
      return Mistake(notice: .stop(.unreadableState)) { simulation in
        simulation.broker.append(
          .state, partition: partition, key: [0], value: [250, 1], timestamp: simulation.now)
      }
    case .smallTopics:
      // Narrow topics are what this seed's workers are used to, or the record may not wait for long
      // enough to become a piece of state.
      if plan.isNarrow || plan.isShort || plan.rules.isTight { return nil }
      let record = SimulationOddities.bulky(91_000 + Int64(mistakes))
      return Mistake(
        notice: .failure("state_too_large"), change: { $0.write(record) },
        configure: { $0.maxOutputBytes = SimulationOddities.narrowOutputBytes })
    default: return nil
    }
  }

  /// A worker is started with other options.
  private func changedWorker(_ kind: SimulationMistake) -> Mistake? {
    // What has no state yet can be begun under any rules, and would then stay under the wrong ones.
    guard hasStateEverywhere || kind == .otherRules else { return nil }
    switch kind {
    case .otherGroup:
      return Mistake(notice: .failure("group_differs"), configure: { $0.group = "stranger" })
    case .otherRules:
      // One that no record meets: what is applied before it is noticed stays right.
      return Mistake(
        notice: .occurrence(.rulesChanged), configure: { $0.rules.maxRecordBytes += 1 })
    case .otherThreads:
      return Mistake(
        notice: .failure("threads_changed"),
        configure: { $0.rules.threads = $0.rules.threads == .inline ? .separate : .inline })
    case .otherPartitionCount:
      return Mistake(
        notice: .failure("partition_count_changed"), configure: { $0.partitionCount += 1 })
    default: return nil
    }
  }

  /// Something is done while the pool works.
  private func changedUnderWork(_ kind: SimulationMistake) -> Mistake? {
    switch kind {
    case .partitionsAdded:
      let changedAt = now.advanced(byMilliseconds: 5000)
      return Mistake(
        notice: .failure("partition_count_changed"),
        disturb: { simulation, _ in
          guard simulation.now >= changedAt else { return }
          simulation.broker.changedCounts[.receipts] = simulation.options.partitions + 1
        })
    case .topicDeleted:
      let topic = Topic.allCases.randomElement(using: &random) ?? .state
      let (goneAt, backAt) = (
        now.advanced(byMilliseconds: 5000), now.advanced(byMilliseconds: 75_000)
      )
      return Mistake(
        notice: .occurrence(.topicsFound),
        disturb: { simulation, _ in
          let isGone = goneAt <= simulation.now && simulation.now < backAt
          simulation.broker.changedCounts[topic] = isGone ? .some(nil) : nil
        })
    case .sharedId:
      return Mistake(
        notice: .recovery(.fencedForever),
        disturb: { simulation, place in
          if let record = simulation.traffic.next() { simulation.write(record) }
          simulation.broker.fence(place.name)
        })
    case .deadCoordinator:
      return Mistake(
        notice: .recovery(.failingForever),
        disturb: { simulation, place in
          guard !place.cannotRebuild else { return }
          if let record = simulation.traffic.next() { simulation.write(record) }
          simulation.broker.fence(place.name)
          place.cannotRebuild = true
        })
    default: return nil
    }
  }
}
