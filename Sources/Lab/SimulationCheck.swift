import Core
import Wire
import Worker

/// Holds what workers wrote against what the inputs ask for.
struct SimulationCheck {
  /// What is wrong, in words.
  private(set) var problems: [String] = []
  /// Input records in the topics.
  private(set) var inputs = 0
  /// What was announced.
  private(set) var announcements = 0

  private let broker: MemoryBroker
  private let plan: SimulationPlan
  private let expected: Set<ExampleTraffic.Announcement>
  /// Stream time was moved on to these.
  private var ticks: [Instant] = []

  init(_ simulation: Simulation) {
    broker = simulation.broker
    plan = simulation.plan
    expected = simulation.traffic.expected
  }

  /// Checks all topics, all inputs being applied.
  ///
  /// - Parameter tick: what was due until then is done since the last check.
  mutating func run(until tick: Instant?) {
    if let tick { ticks.append(tick) }
    inputs = 0
    var announced: [ExampleTraffic.Announcement] = []
    var eventIds: Set<ArraySlice<UInt8>> = []
    for partition in 0..<broker.partitionCount {
      let events = broker.committedRecords(.events, partition: partition).compactMap(\.value)
      for event in events {
        if !eventIds.insert(event.eventId).inserted {
          fail("the event \(String(decoding: event.eventId, as: UTF8.self)) came again")
        }
      }
      let found = events.filter(\.isAnnouncement).flatMap {
        ExampleTraffic.announcements(inEvent: String(decoding: $0, as: UTF8.self))
      }
      checkOrder(found)
      let replay = replay(partition, below: nil)
      inputs += replay.records
      compare(found.map(\.text), replay.announcements, "announced in partition \(partition)")
      compare(rejections(partition), replay.rejections, "rejected in partition \(partition)")
      checkState(partition, replay.state)
      announced += found
    }
    announcements = announced.count
    compare(announced.map(\.text), expected.map(\.text), "announced")
  }

  /// Checks that a partition's changelog and its committed offsets belong together, in the middle
  /// of everything: what would be left if all workers died now.
  mutating func runMidway(_ partition: Int32) {
    let survivors = broker.survivingRecords(.state, partition: partition)
    guard !survivors.isEmpty else { return }
    guard case .success(let (machine, record?)) = Self.fold(survivors, partition, plan.rules) else {
      return fail("midway: the state of \(partition) cannot be read")
    }
    checkOffsets(partition, record)
    let replay = replay(partition, below: record.nextOffsets)
    let differences = StateSummary(machine).differences(from: replay.state)
    if !differences.isEmpty {
      fail("midway: state of \(partition), \(Self.text(differences))")
    }
  }

  /// Folds records of a partition's changelog.
  static func fold(
    _ records: [MemoryRecord], _ partition: Int32, _ rules: Rules
  ) -> Result<(Machine, PartitionRecord?), StateError> {
    do throws(StateError) {
      var fold = StateFold()
      for record in records {
        try fold.take(key: record.key?.span, value: record.value?.span)
      }
      let (machine, record) = try fold.finish(rules: rules, partition: partition)
      return .success((machine, record))
    } catch {
      return .failure(error)
    }
  }

  private static func text(_ differences: [String]) -> String {
    "\(differences.count) differences, found / expected:\n    "
      + differences.prefix(3).joined(separator: "\n    ")
  }

  private mutating func checkState(_ partition: Int32, _ expected: StateSummary) {
    switch Self.fold(
      broker.committedRecords(.state, partition: partition), partition, plan.rules)
    {
    case .failure(let error): fail("the state of \(partition) cannot be read: \(error.label)")
    case .success((_, nil)): fail("the changelog of \(partition) has no record of its own")
    case .success((let machine, let record?)):
      for violation in machine.violations() { fail("state of \(partition): \(violation)") }
      let differences = StateSummary(machine).differences(from: expected)
      if !differences.isEmpty {
        fail("state of \(partition), \(Self.text(differences))")
      }
      checkOffsets(partition, record)
      let ends = InputTopic.allCases.map { broker.bounds(Lane(LogTopic($0), partition)).upperBound }
      if record.nextOffsets != ends { fail("\(partition) goes on at \(record.nextOffsets)") }
    }
  }

  /// The group may have forgotten offsets, and knows no others than the changelog's.
  private mutating func checkOffsets(_ partition: Int32, _ record: PartitionRecord) {
    for (committed, kept) in zip(
      broker.committedPosition(partition)?.offsets ?? [], record.nextOffsets)
    where committed != nil && committed != kept {
      fail("\(partition): \(kept) in the changelog, \(committed ?? 0) committed")
    }
  }

  private mutating func checkOrder(_ announced: [ExampleTraffic.Announcement]) {
    var delivered: Set<ExampleTraffic.Announcement> = []
    for var announcement in announced {
      if announcement.kind == .delivered {
        delivered.insert(announcement)
      } else {
        announcement.kind = .delivered
        if !delivered.contains(announcement) {
          fail("\(announcement.text) comes after it was read")
        }
      }
    }
  }

  /// Compares two lists in which the order says nothing.
  private mutating func compare(_ found: [String], _ expected: [String], _ what: String) {
    var balance: [String: Int] = [:]
    for text in found { balance[text, default: 0] += 1 }
    for text in expected { balance[text, default: 0] -= 1 }
    let wrong = balance.filter { $0.value != 0 }
    guard let first = wrong.keys.min(), let count = wrong[first] else { return }
    let times = count > 0 ? "too often" : "missing"
    fail("\(what): \(wrong.count) differences, such as \(first), \(times)")
  }

  private mutating func fail(_ problem: String) {
    // One fault causes many; the first tell enough.
    if problems.count < 20 { problems.append(problem) }
  }
}

/// What a partition's inputs ask for.
extension SimulationCheck {
  private struct Outcome {
    var records: Int
    var state: StateSummary
    var announcements: [String]
    var rejections: [String]
  }

  private func replay(_ partition: Int32, below offsets: [Int64]?) -> Outcome {
    let topics = InputTopic.allCases.map { topic in
      broker.committedRecords(LogTopic(topic), partition: partition).filter { record in
        offsets.map { record.offset < $0[Int(topic.rawValue)] } ?? true
      }.map { record in
        let source = Coordinates(
          topic: topic, partition: partition, offset: record.offset, timestamp: record.timestamp)
        // What is skipped is no record; the code is put right below.
        return InputReplay.Record(
          source: source, key: record.key, value: isSkipped(source) ? nil : record.value)
      }
    }
    var replay = InputReplay(partition: partition, rules: plan.rules)
    let records = InputReplay.merged(topics)
    for record in records { replay.apply(record) }
    if offsets == nil { for tick in ticks { replay.tick(to: tick) } }
    var rejections = replay.findings.rejections.map { source, code in
      Self.text(source, isSkipped(source) ? .skipped : code)
    }
    if records.contains(where: isOversized) {
      rejections += Array(repeating: Self.oversized, count: SimulationOddities.oversizedOutputs)
    }
    return Outcome(
      records: records.count, state: StateSummary(replay.machine),
      announcements: replay.findings.announcements.map(\.text), rejections: rejections)
  }

  private func isSkipped(_ source: Coordinates) -> Bool {
    plan.skip.topic == source.topic && plan.skip.partition == source.partition
      && plan.skip.offset == source.offset
  }

  private func isOversized(_ record: InputReplay.Record) -> Bool {
    plan.isNarrow && record.value == SimulationOddities.oversized.value
  }

  private func rejections(_ partition: Int32) -> [String] {
    broker.committedRecords(.rejected, partition: partition).map { record in
      // Where the delete has waited for its message, that is the record that caused the outputs.
      if plan.isNarrow, record.headers["error.code"] == ErrorCode.recordTooLarge.rawValue,
        record.headers["source.topic"] != "chat.receipts"
      {
        return Self.oversized
      }
      return ["source.topic", "source.offset", "error.code"].map { record.headers[$0] ?? "?" }
        .joined(separator: " ")
    }
  }

  private static let oversized = "an output that is too large"

  private static func text(_ source: Coordinates, _ code: ErrorCode) -> String {
    "chat.\(source.topic) \(source.offset) \(code.rawValue)"
  }
}

extension ExampleTraffic.Announcement {
  fileprivate var text: String { "\(conversation) \(kind.rawValue) \(messageId)" }
}

/// An event, as it is written: its name and its id come first.
extension [UInt8] {
  fileprivate var eventId: ArraySlice<UInt8> { field(3) }
  fileprivate var isAnnouncement: Bool { field(1).ends(with: "All") }

  /// The n-th text of an object whose first members are texts without escapes: 0 is the first
  /// name, 1 its value, and so on.
  private func field(_ number: Int) -> ArraySlice<UInt8> {
    split(separator: UInt8(ascii: "\""), maxSplits: 2 * number + 2)[...]
      .dropFirst(2 * number + 1).first ?? []
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with text: StaticString) -> Bool {
    suffix(text.utf8CodeUnitCount).elementsEqual(text.description.utf8)
  }
}
