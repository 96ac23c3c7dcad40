import Core
import Foundation
import Wire

/// How long the longest of each kind of step is: what a request to stop waits for.
extension Benchmarks {
  private static let stepWork = 1_000_000

  static func measureSteps() {
    measureLargeGroup()
    measureDue()
    measureThreads()
    for threads in Rules.Threads.allCases { measureTimes(threads) }
    for threads in Rules.Threads.allCases { measureMarks(threads) }
    measureWaiting()
    for count in [200_000, 1_000_000] { measureManyGroups(count) }
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
      let time = measured { run.apply(.messages, key(0), record) }
      tell("\(name), 5000 open messages", [time])
      tell("the state that it has changed", [measured { _ = run.drain() }])
      fill(changelog, "restoring a group of 3000 with 5000 open messages")
    }
  }

  /// Small groups: the records that make them, the state that a transaction writes, their restore,
  /// their memory given back.
  private static func measureManyGroups(_ count: Int) {
    let run = Run(rules: Rules())
    let changelog = Changelog()
    var drains: [StepTime] = []
    var records: [StepTime] = []
    for group in 0..<count {
      let roster = Records.roster(group, 2)
      let message = Records.message(group, 2)
      let longest = records.last?.processor ?? 0
      let time = measured {
        run.apply(.messages, key(group), roster)
        run.apply(.messages, key(group), message)
      }
      // A million times are too many to be kept.
      if time.processor > longest { records.append(time) }
      guard run.machine.changeCount >= 20_000 else { continue }
      drains.append(measured { take(run, changelog) })
    }
    take(run, changelog)
    tell("a roster and a message of one of \(count) groups", records)
    tell("encoding and folding 20,000 pieces of state", drains)
    fill(changelog, "restoring \(count) groups")
    var drops: [StepTime] = []
    var isGone = false
    var givingBack = GivingBack()
    while !isGone {
      drops.append(
        measured {
          var budget = stepWork
          isGone = givingBack.go(on: &budget) { run.machine.drop(on: &$0) }
        })
    }
    tell("giving back \(count) groups", drops)
  }

  /// 100,000 open messages, all due at once.
  private static func measureDue() {
    let run = Run(rules: Rules())
    for group in 0..<1000 {
      run.apply(.messages, key(group), Records.roster(group, 50))
      for message in 2..<102 { run.apply(.messages, key(group), Records.message(group, message)) }
    }
    run.drain()
    var ticks: [StepTime] = []
    var isMore = true
    while isMore {
      ticks.append(
        measured {
          isMore = run.tick(to: Instant(milliseconds: 1_781_586_000_000), limit: 1000)
        })
    }
    tell("1000 of 100,000 things due", ticks)
  }

  /// A group of 3000 with separate threads, in which everybody has come far in 20 of 500 threads:
  /// everybody leaves, and is forgotten.
  private static func measureThreads() {
    var rules = Rules()
    rules.threads = .separate
    let run = Run(rules: rules)
    let changelog = Changelog()
    run.apply(.messages, key(0), Records.roster(0, 3000))
    for id in 2..<2502 { run.apply(.messages, key(0), Records.message(0, id)) }
    for id in 2502..<5002 {
      run.apply(.messages, key(0), Records.message(0, id, parent: 2 + id % 500))
    }
    for member in 1..<3000 {
      for thread in 0..<20 {
        run.apply(.receipts, key(0), Records.read(0, member, 2502 + (member + 25 * thread) % 500))
      }
      if member % 500 == 0 { take(run, changelog) }
    }
    take(run, changelog)
    fill(changelog, "restoring a group of 3000 with 60,000 positions in threads", rules)
    let roster = Records.roster(0, 1, id: 5002)
    tell(
      "a roster that ends 2999 memberships, 2500 of 5000 messages in 500 threads",
      [measured { run.apply(.messages, key(0), roster) }])
    run.drain()
    var ticks: [StepTime] = []
    var isMore = true
    while isMore {
      ticks.append(
        measured { isMore = run.tick(to: Instant(milliseconds: 1_791_586_000_000), limit: 1000) })
    }
    tell("forgetting them, with 60,000 positions", ticks)
  }

  /// A group of 3000 with 5000 open messages, in whatever order they were sent: everybody has
  /// marked the conversation, each at another time, and leaves.
  private static func measureTimes(_ threads: Rules.Threads) {
    for (name, isOrdered) in [
      ("one of 5000 open messages sent long ago", true), ("5000 sent in no order", false),
    ] {
      var rules = Rules()
      rules.threads = threads
      let run = Run(rules: rules)
      run.apply(.messages, key(0), Records.roster(0, 3000))
      for id in 2..<5002 {
        let time = !isOrdered ? id * 7919 % 5000 : id == 2500 ? 0 : id
        let parent = id < 2502 ? 0 : 2 + id % 20
        let message = Records.message(0, id, parent: parent, sentAt: 1_771_500_000 + time)
        run.apply(.messages, key(0), message)
      }
      var marks: [StepTime] = []
      for member in 1..<3000 {
        let receipt = Records.readAll(0, member, at: 1_771_500_000 + member)
        marks.append(measured { run.apply(.receipts, key(0), receipt) })
      }
      tell("marking 5000 messages by time, threads \(threads)", marks)
      run.drain()
      let roster = Records.roster(0, 1, id: 5002)
      tell(
        "a roster that ends 2999 memberships, \(name), threads \(threads)",
        [measured { run.apply(.messages, key(0), roster) }])
    }
  }

  /// A group of 3000 with 5000 open messages, all of which everybody has read exactly.
  private static func measureMarks(_ threads: Rules.Threads) {
    var rules = Rules()
    rules.threads = threads
    rules.receiptEvents = .none
    let run = Run(rules: rules)
    run.apply(.messages, key(0), Records.roster(0, 3000))
    for id in 2..<5002 {
      run.apply(.messages, key(0), Records.message(0, id, parent: id < 2502 ? 0 : 2 + id % 20))
    }
    var receipts: [StepTime] = []
    for member in 1..<2999 {
      for start in stride(from: 2, to: 5002, by: 1000) {
        let receipt = Records.read(0, member, exactly: start..<(start + 1000))
        receipts.append(measured { run.apply(.receipts, key(0), receipt) })
      }
      if member % 100 == 0 { run.drain() }
    }
    tell("an exact receipt for 1000 of 5000 messages, threads \(threads)", receipts)
    run.drain()
    let roster = Records.roster(0, 1, id: 5002)
    tell(
      "a roster that ends 2999 memberships, 5000 messages read exactly, threads \(threads)",
      [measured { run.apply(.messages, key(0), roster) }])
  }

  /// A group of 3000 with 5000 open messages: what waits, of everybody, for one record.
  private static func measureWaiting() {
    var rules = Rules()
    rules.receiptEvents = .none
    for (name, receipt) in [
      ("for an id and cover 5000 messages", { Records.read(0, $0, 5002) }),
      ("for an id and name 1000 messages", { Records.read(0, $0, exactly: 4003..<5003) }),
    ] {
      let run = Run(rules: rules)
      run.apply(.messages, key(0), Records.roster(0, 3000))
      for id in 2..<5002 { run.apply(.messages, key(0), Records.message(0, id)) }
      for member in 1..<3000 { run.apply(.receipts, key(0), receipt(member)) }
      run.drain()
      let message = Records.message(0, 5002)
      tell(
        "a message, 2999 receipts wait \(name)",
        [measured { run.apply(.messages, key(0), message) }])
    }
    for (name, receipt) in [
      ("cover by id", { Records.read(0, $0, 5001) }),
      ("cover by time", { Records.readAll(0, $0, at: 1_771_590_000) }),
    ] {
      let run = Run(rules: rules)
      run.apply(.messages, key(0), Records.roster(0, 2))
      for id in 2..<5002 {
        run.apply(.messages, key(0), Records.message(0, id, sentAt: 1_771_500_000))
      }
      for member in 2..<3000 { run.apply(.receipts, key(0), receipt(member)) }
      run.drain()
      let roster = Records.roster(0, 3000, id: 5002)
      tell(
        "a roster, 2998 receipts that \(name) 5000 messages wait for it",
        [measured { run.apply(.messages, key(0), roster) }])
    }
  }

  private static func fill(_ changelog: Changelog, _ name: String, _ rules: Rules = Rules()) {
    var steps: [StepTime] = []
    var filled: Machine?
    do {
      while filled == nil {
        try steps.append(
          measured {
            var budget = stepWork
            filled = try changelog.fold.fill(rules: rules, partition: 0, on: &budget)?.machine
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

  private static func tell(_ name: String, _ steps: [StepTime]) {
    let longest = steps.map(\.processor).max() ?? 0
    let wall = steps.map(\.wall).max() ?? 0
    print(
      "\(name): \(steps.count) steps, the longest \(format(longest)) ms of processor time,",
      "\(format(wall)) ms by the clock")
  }

  private static func measured(_ body: () throws -> Void) rethrows -> StepTime {
    let processor = processorMilliseconds()
    let wall = try ContinuousClock().measure(body)
    return StepTime(
      processor: processorMilliseconds() - processor, wall: wall / .milliseconds(1))
  }

  private static func processorMilliseconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

/// What one step took, in milliseconds.
private struct StepTime {
  /// Of the processor: what other processes leave of it does not count.
  var processor: Double
  var wall: Double
}

/// The changelog of a run, folded.
private final class Changelog {
  var fold = StateFold()
}
