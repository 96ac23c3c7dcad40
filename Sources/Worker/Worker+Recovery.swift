import Core

/// One recovery path: whatever failed, what a transaction has touched is folded again.
extension Worker {
  /// Does what is needed before inputs are applied again.
  func recover(_ now: Instant) throws(LogFailure) {
    guard recovery.isDue(now), let need = recovery.need else { return }
    switch need {
    case .rebuild: try log.rebuild()
    case .abort: try log.abort()
    case .adopt: break
    }
    if need > .adopt { recovery.finish(need) }
    try adopt(now)
    recovery.finish(.adopt)
  }

  /// Decides what follows from a failure.
  func react(to failure: LogFailure, _ now: Instant) throws(WorkerFailure) {
    switch failure.disposition {
    case .exit:
      throw WorkerFailure(label: failure.label, detail: failure.detail)
    case .again:
      // The call is made again: by the next step, or by the recovery that it belongs to.
      if recovery.isNeeded { recovery.fail(now) }
      report.isHeldUp = true
      return
    case .abort, .retake:
      // An abort that has to be aborted leads nowhere.
      recovery.require(recovery.need == .abort ? .rebuild : .abort)
    case .rebuild:
      let isFencing = failure.label == LogFailure.fenced
      switch recovery.requireRebuild(now, isFencing: isFencing) {
      case .fenced:
        throw WorkerFailure(
          label: failure.label,
          detail:
            "another producer took this one's transactional id three times within a minute, or "
            + "the broker ended transactions that outlast transaction.timeout.ms: give every "
            + "worker of the pool an --instance-id of its own, and see that none is starved")
      case .failing:
        throw WorkerFailure(
          label: failure.label, detail: "new producers fail again and again: \(failure.detail)")
      case nil: break
      }
    }
    report.isHeldUp = true
    report.occurrences.append(.failed(failure))
    transaction.fail()
    unfinished = nil
    recovery.fail(now)
  }
}
