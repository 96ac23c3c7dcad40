import Core
import Worker

/// What goes wrong, and when.
extension Simulation {
  /// Draws whether a fault happens at one of its chances.
  func happens(_ fault: SimulationFault) -> Bool {
    guard isDisturbed else { return false }
    let ratio = plan.ratio(fault)
    return ratio > 0 && Int.random(in: 0..<10_000, using: &random) < ratio
  }

  /// Draws what goes wrong at a place in a call.
  func draw(at call: LogCall, _ place: SimulationPlace) -> SimulationFault? {
    guard isDisturbed else { return nil }
    var drawn = Int.random(in: 0..<10_000, using: &random)
    for fault in SimulationFault.atCalls where fault != .hesitate {
      let ratio = plan.ratio(fault) * call.rarity
      guard drawn < ratio else {
        drawn -= ratio
        continue
      }
      let isPossible =
        switch fault {
        case .crash: true
        case .pause: !isPausing
        case .unknown: place == .after && SimulationFailure.ofUnknownOutcome(call) != nil
        default: place != .after && SimulationFailure.of(fault, at: call).isEmpty == false
        }
      return isPossible ? fault : nil
    }
    return nil
  }

  /// The failure that a call meets by a fault.
  func failure(of fault: SimulationFault, at call: LogCall) -> SimulationFailure? {
    fault == .unknown
      ? SimulationFailure.ofUnknownOutcome(call)
      : SimulationFailure.of(fault, at: call).randomElement(using: &random)
  }

  /// A worker stands still in the middle of a call while the others go on.
  func pause(_ place: SimulationWorker) {
    isPausing = true
    let rounds = Int.random(in: 1...20, using: &random)
    let length = Int64.random(in: 0...(2 * SimulationPlan.sessionTimeout), using: &random)
    for _ in 0..<rounds {
      elapse(length / Int64(rounds))
      round()
    }
    isPausing = false
  }

  /// A call has waited in vain for the broker.
  func holdUp(_ place: SimulationWorker) {
    place.busyUntil = now.advanced(byMilliseconds: Int64.random(in: 100...1000, using: &random))
  }

  /// Lets happen what happens between two steps.
  func disturb() {
    for fault in SimulationFault.betweenSteps where happens(fault) {
      guard let place = places.randomElement(using: &random), carryOut(fault, place) else {
        continue
      }
      note(.fault(fault))
    }
  }

  private func carryOut(_ fault: SimulationFault, _ place: SimulationWorker) -> Bool {
    switch fault {
    case .join:
      guard !place.isAlive, place.beginsAt == nil else { return false }
      place.beginsAt = now
    case .leave:
      guard place.isAlive, !place.isStepping else { return false }
      retire(place)
    case .stall:
      guard place.isAlive, !place.isStepping else { return false }
      let length = Int64.random(in: 100...(3 * SimulationPlan.sessionTimeout), using: &random)
      place.stalledUntil = now.advanced(byMilliseconds: length)
    case .lose:
      guard place.isAlive else { return false }
      broker.expireMember(place.memberName)
    case .expire: broker.expireTransaction(of: place.name)
    case .fence:
      guard place.isAlive else { return false }
      broker.fence(place.name)
    case .outage:
      guard awayUntil == nil else { return false }
      let length = Int64.random(in: 50...(3 * SimulationPlan.sessionTimeout), using: &random)
      awayUntil = now.advanced(byMilliseconds: length)
    case .compact:
      for partition in 0..<options.partitions {
        broker.compactState(partition: partition, keepsTombstones: true)
      }
    case .forget:
      let partition = Int32.random(in: 0..<options.partitions, using: &random)
      guard broker.committedPosition(partition) != nil else { return false }
      forgetOffsets(partition)
    case .mistake:
      guard !isPausing, awayUntil == nil else { return false }
      return makeMistake()
    case .pin: return beginUpstream()
    case .silence:
      // Long enough that what waits where the grace is short is given up.
      let longest = plan.isShort ? 2 * plan.rules.grace : 10_000
      silentUntil = now.advanced(byMilliseconds: Int64.random(in: 1...longest, using: &random))
    case .crash, .pause, .again, .abort, .rebuild, .exit, .gap, .unknown, .hesitate, .double:
      return false
    }
    return true
  }

  /// Retention takes the offsets: all of them, or those of topics that nobody subscribes to.
  private func forgetOffsets(_ partition: Int32) {
    guard var position = broker.committedPosition(partition), Bool.random(using: &random) else {
      return broker.setCommitted(nil, partition: partition)
    }
    position.offsets[.receipts] = nil
    position.offsets[.deletes] = nil
    broker.setCommitted(position, partition: partition)
  }
}

extension LogCall {
  /// By how much more often it goes wrong than others, because it is made so much less often.
  fileprivate var rarity: Int {
    switch self {
    case .poll, .fetch, .produce: 1
    case .assign, .revoke, .committed, .bounds, .commit: 20
    case .abort, .rebuild: 150
    }
  }
}

extension SimulationFailure {
  /// The failures that a kind of fault can be at a call.
  static func of(_ fault: SimulationFault, at call: LogCall) -> [SimulationFailure] {
    let disposition: LogFailure.Disposition? =
      switch fault {
      case .again: .again
      case .abort: .abort
      case .rebuild: .rebuild
      case .exit: .exit
      case .gap: .retake
      default: nil
      }
    return allCases.filter { $0.disposition == disposition && $0.calls.contains(call) }
  }
}
