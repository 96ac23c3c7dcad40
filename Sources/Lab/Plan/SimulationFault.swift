import Worker

/// What a simulation lets go wrong.
package enum SimulationFault: String, CaseIterable, Sendable {
  // At a call of the log.
  /// The worker dies: before the call, after it, or in the middle of a commit.
  case crash
  /// The worker stands still, for less or more than it takes to be given up, and the others go on.
  case pause
  /// The call wants to be made again.
  case again
  /// The call fails, and its transaction can only be aborted.
  case abort
  /// The call fails, and only a new producer helps.
  case rebuild
  /// The call fails, and the worker has to end.
  case exit
  /// A lane cannot be read on.
  case gap
  /// The call is carried out and reported as failed.
  case unknown
  /// A fetch gives nothing although there is something.
  case hesitate

  // Between two steps.
  /// A worker comes.
  case join
  /// A worker goes, and ends well if it can.
  case leave
  /// A worker stands still, for less or more than it takes to be given up.
  case stall
  /// The group gives a worker up that is alive.
  case lose
  /// The broker gives a worker's transaction up.
  case expire
  /// Somebody else takes a worker's transactional id.
  case fence
  /// The broker is away for a while.
  case outage
  /// The changelogs are compacted.
  case compact
  /// The group's offsets vanish.
  case forget
  /// An operator makes a mistake, and mends it.
  case mistake

  /// A chat backend begins a transaction that stays open for a while.
  case pin
  /// Nobody writes anything for a while.
  case silence

  // At an input record.
  /// A chat backend writes a record twice.
  case double

  /// How often it happens where nothing else is asked for: so many times in 10,000 calls (of those
  /// that are made often; the others meet it more often), rounds or records.
  package var usualRatio: Int {
    switch self {
    case .crash, .again, .abort, .rebuild, .unknown: 8
    case .pause: 8
    case .exit, .gap: 4
    case .hesitate: 300
    case .join: 200
    case .leave, .stall, .lose, .expire: 60
    case .fence, .compact: 40
    case .outage, .forget: 10
    case .mistake: 180
    case .pin: 150
    case .silence: 100
    case .double: 100
    }
  }

  /// Those that happen at a call.
  static let atCalls: [SimulationFault] = [
    .crash, .pause, .again, .abort, .rebuild, .exit, .gap, .unknown, .hesitate,
  ]

  /// Those that happen between two steps.
  static let betweenSteps: [SimulationFault] = [
    .join, .leave, .stall, .lose, .expire, .fence, .outage, .compact, .forget, .mistake,
    .pin, .silence,
  ]
}

/// The failures that calls are made to meet, by the labels that Kafka gives them.
package enum SimulationFailure: String, CaseIterable, Sendable {
  case transport
  case loading = "coordinator_load_in_progress"
  case committedLate = "deadline_committed"
  case boundsLate = "deadline_watermarks"
  case illegalGeneration = "illegal_generation"
  case unknownProducer = "unknown_producer_id"
  case produceLate = "deadline_produce"
  case offsetsLate = "deadline_sendOffsets"
  case fenced
  case invalidTransaction = "invalid_txn_state"
  case commitLate = "deadline_commit"
  case abortLate = "deadline_abort"
  case idLate = "deadline_initTransactions"
  case groupForbidden = "group_authorization_failed"
  case topicForbidden = "topic_authorization_failed"
  case outOfRange = "offset_out_of_range"

  /// What the worker has to do about it.
  var disposition: LogFailure.Disposition {
    switch self {
    case .transport, .loading, .committedLate, .boundsLate: .again
    case .illegalGeneration, .unknownProducer, .produceLate, .offsetsLate: .abort
    case .fenced, .invalidTransaction, .commitLate, .abortLate, .idLate: .rebuild
    case .groupForbidden, .topicForbidden: .exit
    case .outOfRange: .retake
    }
  }

  /// The calls that meet it instead of being carried out.
  var calls: Set<LogCall> {
    switch self {
    case .transport:
      [.poll, .fetch, .assign, .revoke, .committed, .bounds, .produce, .abort, .rebuild]
    case .loading: [.committed, .commit, .rebuild]
    case .committedLate: [.committed]
    case .boundsLate: [.bounds]
    case .illegalGeneration, .offsetsLate: [.commit]
    case .unknownProducer: [.produce, .commit, .abort]
    case .produceLate: [.produce]
    case .fenced, .invalidTransaction: [.produce, .commit, .abort]
    case .commitLate: [.commit]
    case .abortLate: [.abort]
    case .idLate: [.rebuild]
    case .groupForbidden: [.poll, .committed, .commit]
    case .topicForbidden: [.fetch, .assign, .revoke, .bounds, .produce, .rebuild]
    case .outOfRange: [.fetch]
    }
  }

  /// What a call that was carried out may be reported to have met.
  static func ofUnknownOutcome(_ call: LogCall) -> SimulationFailure? {
    switch call {
    case .commit: .commitLate
    case .abort: .abortLate
    case .rebuild: .idLate
    case .produce: .produceLate
    case .assign, .revoke: .transport
    // Who asks and gets no answer has changed nothing; news and records cannot be lost.
    case .poll, .fetch, .committed, .bounds: nil
    }
  }

  /// The failure, as a worker meets it.
  var failure: LogFailure { LogFailure(disposition, label: rawValue, detail: "simulated") }
}

/// What operators get wrong. A worker has to notice it, and to go on once it is mended.
package enum SimulationMistake: String, CaseIterable, Sendable {
  /// A committed offset is not the changelog's.
  case offsetMoved
  /// The changelog is gone.
  case changelogLost
  /// The note beside the offset is another transaction's.
  case noteChanged
  /// An input topic is made anew.
  case inputEmptied
  /// An input topic is made anew, and filled beyond what was read of the old one.
  case inputRefilled
  /// Records are deleted before they are read.
  case inputDeleted
  /// The changelog's head is gone.
  case changelogCut
  /// The changelog holds what a later version wrote.
  case stateOfTheFuture
  /// A worker is of another group.
  case otherGroup
  /// A worker runs under another rule, which may be changed.
  case otherRules
  /// A worker runs under other rules for threads.
  case otherThreads
  /// A worker is told another number of partitions.
  case otherPartitionCount
  /// The topics take less than a piece of state.
  case smallTopics
  /// A topic is given more partitions while the pool works.
  case partitionsAdded
  /// A topic is deleted while the pool works, and made anew.
  case topicDeleted
  /// Two workers run under one transactional id.
  case sharedId
  /// The broker takes no producer any more.
  case deadCoordinator
}
