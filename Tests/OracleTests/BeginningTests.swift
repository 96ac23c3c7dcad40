import Core
import Lab
import Testing

@testable import Histories
@testable import Oracle
@testable import Scenarios

@Suite("An oracle that begins with a state") struct StartTests {
  @Test(arguments: History.seeds(60))
  func `what follows a state is right, to the letter`(_ seed: UInt64) {
    let failure = HistoryGenerator.history(seed).failure { history in
      let traffic = try Traffic(
        Traffic.records(of: history), options: history.options, pause: 400_000)
      for place in Self.places(in: traffic, count: 6) {
        guard let fault = try traffic.verdict(from: place, .merged).fault else { continue }
        return "from \(place): \(fault)"
      }
      return nil
    }
    #expect(failure == nil)
  }

  @Test(arguments: WorkloadCase.all)
  func `a workload goes on right behind a state`(_ workload: WorkloadCase) throws {
    let traffic = try workload.traffic()
    let whole = try traffic.verdict(.merged)
    for place in Self.places(in: traffic, count: 8) {
      for order in [OracleOrder.merged, .any] {
        let verdict = try traffic.verdict(from: place, order)
        try #require(verdict.faults == [], "from \(place)")
        #expect(verdict[.announced] == verdict[.expected])
        #expect(verdict[.reordered] == 0)
        #expect(verdict[.expected] <= whole[.expected])
      }
      let shares = try traffic.verdict(from: place, .merged, shares: 3)
      #expect(shares.faults == [])
      #expect(shares.counts == (try traffic.verdict(from: place, .merged).counts))
    }
  }

  @Test(arguments: WorkloadCase.dirty)
  func `behind a state a fault is one as before`(_ workload: WorkloadCase) throws {
    let traffic = try workload.traffic()
    let place = traffic.inputs.count / 2
    let (state, before) = try traffic.state(at: place)
    let outputs = Array(traffic.outputs[before...])
    func verdict(_ outputs: [OracleRecord]) throws -> OracleVerdict {
      Traffic.verdict(try traffic.oracle(from: state, place, .any), on: outputs)
    }
    try #require(try verdict(outputs).isRight)
    let announcement = try #require(
      outputs.lastIndex { $0.isAnnouncement(of: "messagesReadByAll") })
    var missing = outputs
    missing.remove(at: announcement)
    #expect(try verdict(missing)[.missing] > 0)
    var doubled = outputs
    doubled[announcement...].insert(outputs[announcement], at: announcement)
    #expect(try !verdict(doubled).isRight)
    // What was announced before the state is announced again behind it.
    let earlier = try #require(
      traffic.outputs[..<before].last { $0.isAnnouncement(of: "messagesReadByAll") })
    var again = earlier
    again.offset = (outputs.last { $0.topic == .events }?.offset ?? 0) + 1
    #expect(try !verdict(outputs + [again]).isRight)
    // A state that has forgotten everything explains nothing.
    let empty = Machine(partition: Traffic.partition, rules: state.rules)
    let lost = Traffic.verdict(try traffic.oracle(from: empty, place, .any), on: outputs)
    #expect(!lost.isRight)
  }

  /// Places among the inputs, at some distance from each other where there are enough.
  private static func places(in traffic: Traffic, count: Int) -> [Int] {
    (1...count).map { $0 * traffic.inputs.count / (count + 1) }
  }
}

extension Traffic {
  /// The engine's state once so many inputs are applied, and how many outputs it has made.
  func state(at place: Int) throws -> (machine: Machine, outputs: Int) {
    var run = TrafficRun(try ReplayEngine.rules(options), clockLag: nil)
    for input in inputs[..<place] { run.apply(input) }
    return (run.machine, run.outputs.count)
  }

  /// An oracle that begins with a state and knows what was applied since.
  func oracle(
    from state: Machine, _ place: Int, _ order: OracleOrder, share: Int = 0, of shares: Int = 1
  ) throws -> Oracle {
    var oracle = try Oracle(
      options: options, partition: Self.partition, share: share, of: shares, order: order)
    oracle.begin(with: state)
    for input in inputs[place...] { oracle.apply(input) }
    oracle.tick(to: end)
    return oracle
  }

  /// The verdict on the outputs behind a place among the inputs.
  func verdict(from place: Int, _ order: OracleOrder, shares: Int = 1) throws -> OracleVerdict {
    let (state, before) = try state(at: place)
    var verdict = OracleVerdict()
    for share in 0..<shares {
      let oracle = try oracle(from: state, place, order, share: share, of: shares)
      verdict += Self.verdict(oracle, on: Array(outputs[before...]))
    }
    return verdict
  }
}

extension OracleRecord {
  fileprivate func isAnnouncement(of event: String) -> Bool {
    topic == .events && String(decoding: value ?? [], as: UTF8.self).contains("\"\(event)\"")
  }
}
