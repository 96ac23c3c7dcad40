/// A receipt or a delete that was applied, with what it still waits for.
final class ModelWaiting {
  enum Record {
    case receipt(ModelReceiptRecord)
    case delete(ModelDeleteRecord)
  }

  let record: Record
  let source: ModelSource
  let conversation: ModelConversation
  /// Stream time when it was applied.
  private(set) var appliedAt: Int64
  /// Of an exact receipt, the messages that have not come.
  var missing: Set<ModelTarget> = []
  /// Whether it waits for a membership of its sender.
  var waitsForMembership = false
  /// Its place among all that has waited in its conversation; nil before it waits.
  fileprivate(set) var ticket: Int?
  /// Nobody knows when it was applied: it is never given up.
  var isTimeless = false
  /// It waits no more.
  var isOver = false

  init(
    _ record: Record, _ source: ModelSource, in conversation: ModelConversation, appliedAt: Int64
  ) {
    self.record = record
    self.source = source
    self.conversation = conversation
    self.appliedAt = appliedAt
    if case .receipt(let receipt) = record, case .exactly(let targets) = receipt.covers {
      missing = Set(targets)
    }
  }

  /// There is a time now, where there was none when it came.
  func begin(at time: Int64) {
    appliedAt = time
    source.begin(at: time)
  }

  /// The messages for which it waits.
  var awaited: [ModelTarget] { missing.isEmpty ? record.targets : Array(missing) }

  var isDelete: Bool { if case .delete = record { true } else { false } }

  /// Whether it has waited, and maybe does still.
  var hasWaited: Bool { ticket != nil }
}

extension ModelWaiting.Record {
  /// The messages that it names.
  var targets: [ModelTarget] {
    switch self {
    case .delete(let delete): return [.id(delete.messageId)]
    case .receipt(let receipt):
      switch receipt.covers {
      case .upTo(let id): return [.id(id)]
      case .conversation: return []
      case .exactly(let targets): return targets
      }
    }
  }

  /// Whose receipt it is.
  var receiver: Bytes? { if case .receipt(let receipt) = self { receipt.sender } else { nil } }
}

/// What waits in one conversation.
struct ModelWaitingRoom {
  /// In the order in which they came; some may be over.
  private var queue = ModelQueue<ModelWaiting>()
  private var byTarget: [ModelTarget: [ModelWaiting]] = [:]
  private var byReceiver: [Bytes: Int] = [:]
  private var tickets = 0
  private(set) var count = 0

  /// What has waited longest.
  var oldest: ModelWaiting? { queue.first }

  /// How many receipts of a uid wait.
  func count(of uid: Bytes) -> Int { byReceiver.isEmpty ? 0 : byReceiver[uid] ?? 0 }

  /// What waits for one of these, in the order in which it came.
  func waiters(for targets: [ModelTarget], isMembership: Bool) -> [ModelWaiting] {
    var found = targets.flatMap { byTarget[$0] ?? [] }
    if isMembership { found += queue.all.filter { $0.waitsForMembership && !$0.isOver } }
    var tickets: Set<Int> = []
    return found.sorted { ($0.ticket ?? 0) < ($1.ticket ?? 0) }
      .filter { tickets.insert($0.ticket ?? 0).inserted }
  }

  mutating func add(_ waiter: ModelWaiting) {
    waiter.ticket = tickets
    tickets += 1
    count += 1
    queue.append(waiter)
    for target in waiter.awaited { byTarget[target, default: []].append(waiter) }
    if let uid = waiter.record.receiver { byReceiver[uid, default: 0] += 1 }
  }

  /// Takes out one that is over.
  mutating func remove(_ waiter: ModelWaiting) {
    count -= 1
    queue.removeFirst(while: \.isOver)
    for target in waiter.record.targets {
      byTarget[target]?.removeAll { $0 === waiter }
      if byTarget[target]?.isEmpty == true { byTarget[target] = nil }
    }
    guard let uid = waiter.record.receiver, let count = byReceiver[uid] else { return }
    byReceiver[uid] = count > 1 ? count - 1 : nil
  }
}

/// What waits in the partition, in the order in which it came.
struct ModelPartitionRoom {
  /// Some may be over.
  private var queue = ModelQueue<ModelWaiting>()
  /// What waits without an end.
  private var timeless = ModelQueue<ModelWaiting>()
  /// How many wait that are given up once.
  private(set) var count = 0

  /// What has waited longest of what is given up once.
  var oldestInTime: ModelWaiting? { queue.first }

  /// What is given up once, in the order in which it came.
  var allInTime: [ModelWaiting] { queue.all.filter { !$0.isOver } }

  /// What still waits.
  var all: [ModelWaiting] { allInTime + timeless.all.filter { !$0.isOver } }

  mutating func add(_ waiter: ModelWaiting) {
    if waiter.isTimeless { return timeless.append(waiter) }
    queue.append(waiter)
    count += 1
  }

  /// Takes out one that is over.
  mutating func remove(_ waiter: ModelWaiting) {
    if waiter.isTimeless { return timeless.removeFirst(while: \.isOver) }
    count -= 1
    queue.removeFirst(while: \.isOver)
  }
}
