import Core
import Wire

/// How long the longest of each kind of step is: what a wish to end waits for.
extension Benchmarks {
  private static let stepWork = 1_000_000

  static func measureSteps() {
    measureLargeGroup()
    measureManyGroups()
    measureDue()
  }

  /// A group of 3000 with 5000 open messages: its restore, and the largest single records.
  private static func measureLargeGroup() {
    for (name, record) in [
      ("a roster that ends 2999 memberships", Records.roster(0, 1, id: 5002)),
      ("a roster past the second limit", Records.roster(0, 6001, id: 5002)),
    ] {
      let run = Run(rules: Rules())
      let changelog = Changelog()
      run.apply(.messages, key(0), Records.roster(0, 3000))
      for message in 2..<5002 { run.apply(.messages, key(0), Records.message(0, message)) }
      for member in 1..<3000 { run.apply(.receipts, key(0), Records.read(0, member, member + 1)) }
      take(run, changelog)
      let time = ContinuousClock().measure { run.apply(.messages, key(0), record) }
      tell("\(name), 5000 open messages", [time])
      tell("the state that it has changed", [ContinuousClock().measure { _ = run.drain() }])
      fill(changelog, "restoring a group of 3000 with 5000 open messages")
    }
  }

  /// 200,000 groups: their restore, the state that a transaction writes, their memory given back.
  private static func measureManyGroups() {
    let run = Run(rules: Rules())
    let changelog = Changelog()
    var drains: [Duration] = []
    for group in 0..<200_000 {
      run.apply(.messages, key(group), Records.roster(group, 2))
      run.apply(.messages, key(group), Records.message(group, 2))
      guard run.machine.changeCount >= 20_000 else { continue }
      drains.append(ContinuousClock().measure { take(run, changelog) })
    }
    take(run, changelog)
    tell("encoding and folding 20,000 pieces of state", drains)
    fill(changelog, "restoring 200,000 groups")
    var drops: [Duration] = []
    var isGone = false
    while !isGone {
      drops.append(
        ContinuousClock().measure {
          var budget = stepWork
          isGone = run.machine.drop(on: &budget)
        })
    }
    tell("giving back 200,000 groups", drops)
  }

  /// 100,000 open messages, all due at once.
  private static func measureDue() {
    let run = Run(rules: Rules())
    for group in 0..<1000 {
      run.apply(.messages, key(group), Records.roster(group, 50))
      for message in 2..<102 { run.apply(.messages, key(group), Records.message(group, message)) }
    }
    run.drain()
    var ticks: [Duration] = []
    var isMore = true
    while isMore {
      ticks.append(
        ContinuousClock().measure {
          isMore = run.tick(to: Instant(milliseconds: 1_781_586_000_000), limit: 1000)
        })
    }
    tell("1000 of 100,000 things due", ticks)
  }

  private static func fill(_ changelog: Changelog, _ name: String) {
    var steps: [Duration] = []
    do {
      var isDone = false
      while !isDone {
        try steps.append(
          ContinuousClock().measure {
            var budget = stepWork
            isDone = try changelog.fold.fill(rules: Rules(), partition: 0, on: &budget) != nil
          })
      }
    } catch {
      print("unreadable state: \(error)")
    }
    tell(name, steps)
  }

  private static func take(_ run: Run, _ changelog: Changelog) {
    run.drain { key, value in
      do { try changelog.fold.take(key: key, value: value) } catch {
        print("unreadable state: \(error)")
      }
    }
  }

  private static func tell(_ name: String, _ steps: [Duration]) {
    let longest = (steps.max() ?? .zero) / .milliseconds(1)
    print("\(name): \(steps.count) steps, the longest \(format(longest)) ms")
  }
}

/// The changelog of a run, folded.
private final class Changelog {
  var fold = StateFold()
}
