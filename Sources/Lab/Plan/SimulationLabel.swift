package import Core
package import Worker

/// What a simulation can see of reasons and outcomes: each has to be seen over the seeds that the
/// tests run, so that nothing is promised that was never tried.
package enum SimulationLabel: Hashable, Sendable {
  /// A fault was injected.
  case fault(SimulationFault)
  /// A worker died at a call.
  case crash(LogCall, SimulationPlace)
  /// A call failed, by its label.
  case failure(String)
  /// A call failed, by what followed.
  case disposition(LogFailure.Disposition)
  /// A worker recovered, or gave up.
  case recovery(SimulationRecovery)
  /// A worker said something.
  case occurrence(SimulationOccurrence)
  /// A partition was stopped.
  case stop(SimulationStop)
  /// An operator's mistake was noticed and mended.
  case mistake(SimulationMistake)
  /// A record was rejected.
  case rejection(ErrorCode)
  /// A receipt added nothing, by reason.
  case passedOver(String)
  /// Something followed from faults, or from nothing at all.
  case incident(SimulationIncident)
  /// An event was written.
  case event(SimulationEvent)
  /// Messages were announced, by what completed them.
  case cause(Cause)
  /// A message is not tracked, or not any more.
  case untracked(Tracking)

  /// All that there are.
  package static var all: [SimulationLabel] {
    let calls = LogCall.allCases
    let workersOwn = [
      "group_differs", "threads_changed", "partition_count_changed", "state_too_large",
    ]
    return SimulationFault.allCases.map(SimulationLabel.fault)
      + calls.flatMap { [.crash($0, .before), .crash($0, .after)] } + [.crash(.commit, .middle)]
      + SimulationFailure.allCases.map { .failure($0.rawValue) }
      + workersOwn.map(SimulationLabel.failure)
      + LogFailure.Disposition.allCases.map(SimulationLabel.disposition)
      + SimulationRecovery.allCases.map(SimulationLabel.recovery)
      // Whoever goes on behind a gap has lost what was there: no seed does. And a changelog whose
      // beginning is gone with nothing in it is none that a seed makes.
      + SimulationOccurrence.allCases.filter { $0 != .gap && $0 != .changelogBegins }.map(
        SimulationLabel.occurrence)
      + SimulationStop.allCases.map(SimulationLabel.stop)
      + SimulationMistake.allCases.map(SimulationLabel.mistake)
      + ErrorCode.allCases.map(SimulationLabel.rejection)
      + Tally().reasons.map { .passedOver($0.reason) }
      + SimulationIncident.allCases.map(SimulationLabel.incident)
      + SimulationEvent.allCases.map(SimulationLabel.event)
      + Cause.allCases.map(SimulationLabel.cause)
      + Tracking.allCases.filter { $0 != .on }.map(SimulationLabel.untracked)
  }

  /// The label as people read it, such as `failure fenced`.
  package var text: String {
    switch self {
    case .fault(let fault): "fault \(fault.rawValue)"
    case .crash(let call, let place): "crash \(place.rawValue) \(call.rawValue)"
    case .failure(let label): "failure \(label)"
    case .disposition(let disposition): "disposition \(disposition.rawValue)"
    case .recovery(let recovery): "recovery \(recovery.rawValue)"
    case .occurrence(let occurrence): "occurrence \(occurrence.rawValue)"
    case .stop(let stop): "stop \(stop.rawValue)"
    case .mistake(let mistake): "mistake \(mistake.rawValue)"
    case .rejection(let code): "rejection \(code.rawValue)"
    case .passedOver(let reason): "passed over \(reason)"
    case .incident(let incident): "incident \(incident.rawValue)"
    case .event(let event): "event \(event.rawValue)"
    case .cause(let cause): "cause \(cause.word)"
    case .untracked(let tracking): "\(tracking.word) \(tracking.reason ?? "")"
    }
  }
}

/// What comes out of workers, by the words that consumers see.
package enum SimulationEvent: String, CaseIterable, Sendable {
  case messagesDelivered, messagesRead, messagesDeliveredToAll, messagesReadByAll
  case readReceiptResponse, unreadChanged, threadUpdated, messageDeleted
}

/// Where in a call something goes wrong.
package enum SimulationPlace: String, CaseIterable, Sendable {
  case before, middle, after
}

/// How a worker gets over a failure, or does not.
package enum SimulationRecovery: String, CaseIterable, Sendable {
  /// It took partitions from their committed offsets.
  case adopt
  /// It aborted the transaction.
  case abort
  /// It began with a new producer.
  case rebuild
  /// It was fenced again and again.
  case fencedForever
  /// New producers failed again and again.
  case failingForever
}

/// What happens to workers in consequence of other things.
package enum SimulationIncident: String, CaseIterable, Sendable {
  /// The group takes a worker's partitions while a transaction of its is open.
  case rebalanceInTransaction
  /// A changelog is folded in several pieces, between which other things happen.
  case slowRestore
  /// An input record is given out and applied again, because a transaction failed.
  case redelivery
  /// Stream time is moved on by the clock.
  case tick
}

/// What workers say.
package enum SimulationOccurrence: String, CaseIterable, Sendable {
  case taken, givenUp, lost, restored, stopped, committed, failed, outputTooLarge, partitionerDoubt
  case gap, rulesChanged, changelogBegins, idJump, pinned, unpinned, retaken
  case topicsMissing, topicsFound

  /// Of what a simulation can see; its clocks are never set.
  init?(_ occurrence: Occurrence) {
    switch occurrence {
    case .taken: self = .taken
    case .givenUp(_, let lost): self = lost ? .lost : .givenUp
    case .restored: self = .restored
    case .stopped: self = .stopped
    case .committed: self = .committed
    case .failed: self = .failed
    case .outputTooLarge: self = .outputTooLarge
    case .partitionerDoubt: self = .partitionerDoubt
    case .gap: self = .gap
    case .rulesChanged: self = .rulesChanged
    case .changelogBegins: self = .changelogBegins
    case .idJump: self = .idJump
    case .pinned: self = .pinned
    case .unpinned: self = .unpinned
    case .retaken: self = .retaken
    case .topicsMissing: self = .topicsMissing
    case .topicsFound: self = .topicsFound
    case .clockSet: return nil
    }
  }
}

/// Why partitions are stopped.
package enum SimulationStop: String, CaseIterable, Sendable {
  case offsetsDiffer, offsetWithoutState, versionsDiffer, beyondEnd, belowStart, unreadableState
  case madeAnew, stateIncomplete

  init(_ fault: PartitionFault) {
    self =
      switch fault {
      case .offsetsDiffer: .offsetsDiffer
      case .offsetWithoutState: .offsetWithoutState
      case .versionsDiffer: .versionsDiffer
      case .beyondEnd: .beyondEnd
      case .belowStart: .belowStart
      case .unreadableState: .unreadableState
      case .madeAnew: .madeAnew
      case .stateIncomplete: .stateIncomplete
      }
  }
}

extension Tally {
  /// The counts with the names of their reasons.
  package var reasons: [(reason: String, count: Int)] {
    [
      ("covered", covered), ("own", own), ("notInAudience", notInAudience),
      ("notTracked", notTracked), ("tooOld", tooOld),
    ]
  }
}
