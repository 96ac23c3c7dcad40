import Core
import Worker

/// The lives of the workers.
extension Simulation {
  func begin(_ place: SimulationWorker, _ change: (inout WorkerConfiguration) -> Void = { _ in }) {
    place.begin(on: broker, in: self) { name in
      var configuration = plan.configuration(writer: name)
      change(&configuration)
      return configuration
    }
  }

  /// Lets a worker do one step; one that fails or dies is begun again after a while.
  ///
  /// - Returns: the failure that the worker ended with.
  @discardableResult
  func step(_ place: SimulationWorker) -> WorkerFailure? {
    guard let worker = place.worker, let log = place.log else { return nil }
    place.isStepping = true
    defer { place.isStepping = false }
    log.beginStep(now)
    do throws(WorkerFailure) {
      let report = try worker.step(now: now)
      log.endStep(report)
      note(report, of: place)
    } catch {
      if !log.isDead { noteEnd(error, log) }
      log.close()
      if !isLate { checkMidway() }
      place.end(next: now.advanced(byMilliseconds: Int64.random(in: 0...4000, using: &random)))
      return error
    }
    return nil
  }

  /// A worker goes, and ends well if it can.
  func retire(_ place: SimulationWorker) {
    guard let worker = place.worker, let log = place.log else { return }
    place.isStepping = true
    log.beginFarewell(now)
    note(worker.drain(now: now), of: place)
    place.isStepping = false
    place.end(next: nil)
  }

  /// What a crash leaves behind is whole, whenever it comes.
  private func checkMidway() {
    var check = SimulationCheck(self)
    check.checkState(Int32.random(in: 0..<options.partitions, using: &random))
    result.problems += check.problems
  }

  private func noteEnd(_ failure: WorkerFailure, _ log: SimulationLog) {
    guard let last = log.lastFailure, last.label == failure.label else {
      // One of the worker's own does not come by the log.
      note(.failure(failure.label))
      note(.disposition(.exit))
      return
    }
    guard last.disposition == .rebuild else { return }
    note(.recovery(failure.label == LogFailure.fenced ? .fencedForever : .failingForever))
  }

  private func note(_ report: StepReport, of place: SimulationWorker) {
    for (code, count) in report.rejections { result.labels[.rejection(code), default: 0] += count }
    for (reason, count) in report.passedOver.reasons where count > 0 {
      result.labels[.passedOver(reason), default: 0] += count
    }
    for occurrence in report.occurrences {
      if let seen = SimulationOccurrence(occurrence) { note(.occurrence(seen)) }
      tell(place.memberName, "\(occurrence)")
      switch occurrence {
      case .taken: note(.recovery(.adopt))
      case .stopped(let partition, let fault):
        // Who has lost the partition in a pause sees what its new owner has written since, stops
        // it, and gives it up with the next news.
        if !isMistaken, broker.group.isCurrent(place.memberName) {
          fail("\(place.memberName) stops partition \(partition): \(fault)")
        }
        note(.stop(SimulationStop(fault)), of: place.memberName)
      case .committed: result.commits += 1
      case .failed(let failure) where failure.label == "not_assigned":
        result.problems.append(failure.detail)
      case .givenUp, .restored, .failed, .outputTooLarge, .partitionerDoubt, .gap, .rulesChanged,
        .changelogBegins, .idJump, .pinned, .unpinned, .clockSet, .retaken, .topicsMissing,
        .topicsFound:
        break
      }
    }
  }
}
