import Core
import Lab
import Testing
import Worker

/// The engine over one partition's workload, and what came of it.
struct WorkloadRun: ~Copyable {
  private(set) var deliveredToAll = 0
  private(set) var readByAll = 0
  /// How often each message was announced.
  private(set) var announced: [String: Int] = [:]
  private(set) var causes: Set<UInt8> = []
  private(set) var rejections: [ErrorCode: Int] = [:]
  private(set) var trackings: Set<Tracking> = []
  private(set) var threads = 0
  private(set) var unread = 0

  var workload: Workload
  private let rules: Rules
  private var machine: Machine
  private var engine: Engine
  private var offsets: [Int64] = [0, 0, 0]
  private var clock = Workload.start

  init(seed: UInt64, options: WorkloadOptions, grace: Int64 = 300_000) {
    var rules = Rules()
    rules.maxGroupMembers = options.maxGroupMembers
    rules.grace = grace
    rules.maxWaitingPerConversation = 100_000
    self.rules = rules
    workload = Workload(seed: seed, options: options, partitionCount: 1)
    machine = Machine(partition: 0, rules: rules)
    engine = Engine(rules: rules, isEncoding: false)
  }

  /// Applies the next `count` records.
  mutating func apply(_ count: Int) {
    for _ in 0..<count {
      guard let record = workload.next() else { return }
      apply(record)
    }
  }

  /// Applies a record, stamped when it was made.
  mutating func apply(_ record: WorkloadRecord) {
    let coordinates = Coordinates(
      topic: record.topic, partition: 0, offset: offsets[Int(record.topic.rawValue)],
      timestamp: record.time)
    offsets[Int(record.topic.rawValue)] += 1
    clock = max(clock, record.time)
    engine.apply(
      coordinates, key: record.key.span, value: record.value.span, to: &machine,
      clock: .distantFuture)
    note()
  }

  /// Lets all that waits wait in vain.
  mutating func finish() {
    _ = engine.tick(&machine, to: clock.advanced(byMilliseconds: rules.grace + 1))
    note()
  }

  private mutating func note() {
    let outputs = engine.outputs
    for announcement in outputs.deliveredToAll + outputs.readByAll {
      causes.insert(announcement.cause.rawValue)
      let isRead = announcement.kind == .read
      if isRead {
        readByAll += announcement.ids.count
      } else {
        deliveredToAll += announcement.ids.count
      }
      let conversation = String(
        decoding: outputs.text[announcement.conversation.range], as: UTF8.self)
      for id in outputs.ids[announcement.ids] {
        announced["\(conversation) \(isRead) \(id)", default: 0] += 1
      }
    }
    for rejected in outputs.rejected { rejections[rejected.rejection.code, default: 0] += 1 }
    for status in outputs.statuses { trackings.insert(status.tracking) }
    threads += outputs.threads.count
    unread += outputs.unread.count
  }
}
