import Core
import Wire
import Worker

/// Does again, in one partition, what workers have committed there: in their order and by their
/// clocks, without a log, and each record once.
final class SimulationReplay {
  /// Something that was applied.
  enum Entry {
    /// With the worker's clock, which stream time does not pass.
    case record(InputTopic, MemoryRecord, clock: Instant)
    case tick(Instant)

    var isTick: Bool {
      if case .tick = self { true } else { false }
    }
  }

  /// A record that must lie in an output topic.
  struct Output: Equatable {
    var key: [UInt8]?
    var value: [UInt8]?
    var headers: [String: String]

    var size: Int {
      headers.reduce((key?.count ?? 0) + (value?.count ?? 0)) {
        $0 + $1.key.utf8.count + $1.value.utf8.count
      }
    }

    /// As people read it.
    var text: String {
      let parts = [key, value].map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "nil" }
      return (parts + headers.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
        .joined(separator: " ")
    }
  }

  /// The state.
  private(set) var machine: Machine
  /// All that was applied.
  private(set) var entries: [Entry] = []
  /// What must lie in the output topics.
  private(set) var expected: [Topic: [Output]] = [:]
  /// Where each input goes on.
  private(set) var positions: PerInput<Int64> = [0, 0, 0]
  /// Where each input goes on by the changelog, which knows of marks between the records; nil
  /// before the first transaction.
  private(set) var nextOffsets: PerInput<Int64>?
  /// How many records of each input were applied.
  private(set) var counts: PerInput<Int> = [0, 0, 0]
  /// How often each label was seen.
  private(set) var labels: [SimulationLabel: Int] = [:]
  /// Messages that were announced.
  private(set) var announcements = 0

  /// What cannot have been meant.
  private var problems: [String] = []
  /// The clock less the stream time when the newest record was applied: nothing but the time that
  /// passes moves stream time on after that.
  private var clockDistance: Int64?
  /// Stream time when it was.
  private var newestAt: Instant?

  private let partition: Int32
  private let skip: WorkerConfiguration.Skip
  private let maxOutputBytes: Int
  private var engine: Engine

  init(_ plan: SimulationPlan, partition: Int32) {
    self.partition = partition
    skip = plan.skip
    maxOutputBytes = plan.configuration(writer: "").maxOutputBytes
    machine = Machine(partition: partition, rules: plan.rules, isJournaled: false)
    engine = Engine(rules: plan.rules)
  }

  /// Applies the steps of a transaction, as far as they are this partition's.
  ///
  /// - Parameter saved: what the transaction has saved beside the state.
  /// - Returns: what cannot have been meant.
  func apply(_ steps: [SimulationSteps.Step], _ saved: PartitionRecord) -> [String] {
    problems = []
    for step in steps {
      for entry in step.entries {
        switch entry {
        case .record(let lane, let record, let idle) where lane.partition == partition:
          guard let topic = lane.topic.input else { continue }
          apply(topic, record, clock: step.clock, idle: idle)
        case .tick(let moved) where moved.partition == partition:
          tick(to: moved.to, clock: step.clock)
        case .record, .tick: break
        }
      }
    }
    // What a transaction has written is not written again.
    machine.drainChanges { _, _ in }
    nextOffsets = saved.nextOffsets
    // Only where stream time had to stand still is it more than it was at the newest record.
    if let clockDistance, saved.clockDistance ?? .min < clockDistance {
      problems.append(
        "\(partition): \(saved.clockDistance ?? 0) ms to the clock are saved, not \(clockDistance)")
    }
    return problems
  }

  /// Whether time alone still changes something. The machine itself looks at some things more often
  /// than that.
  func isAnythingDue(at clock: Instant) -> Bool {
    guard let due = machine.nextDue, let clockDistance else { return false }
    let now = clock.advanced(byMilliseconds: -clockDistance)
    guard due <= now else { return false }
    var copy = machine
    var outputs = Outputs()
    _ = copy.tick(to: now, limit: .max, into: &outputs)
    return copy.encodedState.bytes != machine.encodedState.bytes
  }

  /// A record that comes after an idle time is applied so much later than the one before it.
  private func checkPassed(_ idle: Int64) {
    guard let newestAt, let streamTime = machine.streamTime else { return }
    let missing = idle - streamTime.millisecondsSince(newestAt)
    if missing > 0 {
      problems.append("\(partition): stream time is \(missing) ms behind the time that has passed")
    }
  }

  private func apply(
    _ topic: InputTopic, _ record: MemoryRecord, clock: Instant, idle: Int64
  ) {
    counts[topic] += 1
    // What goes back, or comes twice, is not counted as new.
    if record.offset >= positions[topic] { positions[topic] = record.offset + 1 }
    entries.append(.record(topic, record, clock: clock))
    let source = Coordinates(
      topic: topic, partition: partition, offset: record.offset, timestamp: record.timestamp)
    let isSkipped =
      skip == WorkerConfiguration.Skip(topic: topic, partition: partition, offset: record.offset)
    engine.apply(
      source, key: record.key?.span, value: record.value?.span, isSkipped: isSkipped, to: &machine,
      clock: clock)
    checkPassed(idle)
    newestAt = machine.streamTime
    clockDistance = machine.streamTime.map { clock.millisecondsSince($0) }
    takeOutputs()
  }

  private func tick(to target: Instant, clock: Instant) {
    let latest = clock.advanced(byMilliseconds: -(clockDistance ?? 0))
    if target > latest {
      let excess = target.millisecondsSince(latest)
      problems.append("\(partition): stream time is \(excess) ms ahead of the time that has passed")
    }
    entries.append(.tick(target))
    labels[.incident(.tick), default: 0] += 1
    _ = engine.tick(&machine, to: target)
    takeOutputs()
  }

  private func takeOutputs() {
    for announcement in engine.outputs.deliveredToAll + engine.outputs.readByAll {
      announcements += announcement.ids.count
    }
    for label in SimulationLabel.labels(of: engine.outputs) { labels[label, default: 0] += 1 }
    let encoded = engine.records
    for record in encoded.records {
      let headers = encoded.headers[record.headers].map {
        ($0.name.description, String(decoding: $0.value, as: UTF8.self))
      }
      expect(
        Output(
          key: record.key.map { Array(encoded.bytes[$0]) },
          value: record.value.map { Array(encoded.bytes[$0]) },
          headers: Dictionary(uniqueKeysWithValues: headers)), in: record.topic)
    }
  }

  /// What no topic takes is rejected in its place.
  private func expect(_ output: Output, in topic: Topic) {
    guard output.size > maxOutputBytes else { return expected[topic, default: []].append(output) }
    var stub = output
    stub.value = nil
    if topic != .rejected {
      let source = engine.event.coordinates
      stub.headers = [
        "error.code": ErrorCode.recordTooLarge.rawValue,
        "error.message": "An output of this record is too large.",
        "source.topic": Topic(source.topic).defaultName,
        "source.partition": String(source.partition), "source.offset": String(source.offset),
        "source.timestamp": String(source.timestamp?.milliseconds ?? 0),
      ]
    }
    stub.headers["source.bytes"] = String(output.value?.count ?? output.size)
    expected[.rejected, default: []].append(stub)
  }
}

extension Machine {
  /// The whole state as the changelog has it; the same for machines in the same state.
  var encodedState: EncodedRecords {
    var records = EncodedRecords()
    forEachPiece { StateCodec.encode($0, into: &records) }
    return records
  }
}
