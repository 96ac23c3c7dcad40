import Core
import Foundation
import Testing
import Wire

@testable import Lab
@testable import Worker

/// A broker in memory, the workers on it, and their clock, which moves only when a test says so.
final class Pool {
  let broker: MemoryBroker
  var now = Instant(milliseconds: 1_771_586_000_000) { didSet { broker.clock = now } }
  var rules = Rules()
  var limits = TransactionLimits(interval: 100)
  var skips: Set<WorkerConfiguration.Skip> = []
  private(set) var logs: [String: MemoryLog] = [:]
  private(set) var workers: [String: Worker<MemoryLog>] = [:]
  /// What the workers said, in order.
  private(set) var occurrences: [(worker: String, Occurrence)] = []
  private(set) var restoredRecords: [String: Int] = [:]
  private(set) var rejections: [ErrorCode: Int] = [:]
  private(set) var ticks = 0
  private(set) var takenOver: [StateMove] = []
  private(set) var vainTakeovers: [String] = []

  init(partitionCount: Int32 = 1) {
    broker = MemoryBroker(partitionCount: partitionCount)
    broker.clock = now
  }

  /// Starts a worker; another one under the same name begins a new life of it.
  @discardableResult
  func start(
    _ name: String, maxOutputBytes: Int? = nil, group: String? = nil,
    partitionCount: Int32? = nil, _ configure: (inout WorkerConfiguration) -> Void = { _ in }
  ) -> MemoryLog {
    let log = MemoryLog(broker, name: name, group: group)
    var configuration = WorkerConfiguration(
      rules: rules, partitionCount: partitionCount ?? broker.partitionCount,
      writer: "\(name)/\(occurrences.count)", limits: limits)
    configuration.skips = skips
    if let maxOutputBytes { configuration.maxOutputBytes = maxOutputBytes }
    if let group { configuration.group = group }
    configure(&configuration)
    logs[name] = log
    workers[name] = Worker(log: log, configuration: configuration)
    return log
  }

  /// Ends a worker well.
  func stop(_ name: String) {
    guard let worker = workers.removeValue(forKey: name) else { return }
    note(worker.drain(now: now), of: name)
    logs[name] = nil
  }

  /// A worker is gone without a word: what it left open stays open.
  func crash(_ name: String) {
    workers[name] = nil
    logs[name] = nil
  }

  /// Lets one worker do one step.
  func step(_ name: String) throws {
    guard let worker = workers[name] else { return }
    note(try worker.step(now: now), of: name)
  }

  /// Lets all workers go on until none of them has anything to do or to say any more, for longer
  /// than any wait between two attempts.
  func settle() throws {
    var quiet = 0
    for _ in 0..<100_000 where quiet < 40 {
      now = now.advanced(byMilliseconds: 60)
      let before = occurrences.count
      var isBusy = false
      for name in workers.keys.sorted() {
        guard let worker = workers[name] else { continue }
        let report = try worker.step(now: now)
        note(report, of: name)
        let hasApplied = report.inputRecords.contains { $0 > 0 }
        if hasApplied || report.restoredRecords > 0 || report.work > 0 || report.ticks > 0 {
          isBusy = true
        }
      }
      quiet = isBusy || occurrences.count > before ? 0 : quiet + 1
    }
    #expect(quiet == 40, "the pool comes to rest")
  }

  /// Lets so many milliseconds pass, in steps that are short against any wait.
  func pass(_ milliseconds: Int64) throws {
    let end = now.advanced(byMilliseconds: milliseconds)
    while now < end {
      now = min(end, now.advanced(byMilliseconds: max(100, milliseconds / 600)))
      for name in workers.keys.sorted() { try step(name) }
    }
  }

  /// Goes on until a worker ends with a failure of this label, whose detail has these words.
  func settleUntilFailure(
    _ label: String, _ words: String? = nil, at place: SourceLocation = #_sourceLocation
  ) {
    let end = #expect(throws: WorkerFailure.self, sourceLocation: place) { try settle() }
    #expect(end?.label == label, sourceLocation: place)
    if let words { #expect(end?.detail.contains(words) == true, sourceLocation: place) }
  }

  func note(_ report: StepReport, of name: String) {
    occurrences += report.occurrences.map { (name, $0) }
    restoredRecords[name, default: 0] += report.restoredRecords
    ticks += report.ticks
    takenOver += report.takenOver
    if let former = report.vainTakeover { vainTakeovers.append(former) }
    for (code, count) in report.rejections { rejections[code, default: 0] += count }
  }

  /// The failures that workers ran into.
  var failures: [LogFailure] {
    occurrences.compactMap { if case .failed(let failure) = $0.1 { failure } else { nil } }
  }

  /// Partitions that workers stopped.
  var faults: [PartitionFault] {
    occurrences.compactMap { if case .stopped(_, let fault) = $0.1 { fault } else { nil } }
  }

  /// The input records of each transaction that was committed.
  var committedInputs: [Int] {
    occurrences.compactMap { if case .committed(let inputs, _, _) = $0.1 { inputs } else { nil } }
  }
}

/// What a chat backend writes.
extension Pool {
  /// Writes a roster, id 1, of members called by single letters.
  func roster(
    _ members: String, in group: String = "g1", id: Int64 = 1, partition: Int32 = 0,
    at timestamp: Instant?? = nil
  ) {
    let uids = members.map { #"{"uid":"\#($0)"}"# }.joined(separator: ",")
    write(
      .messages, group, partition,
      #"""
      {"id":\#(id),"category":"action","type":"groupMember","action":"roster",\#
      "actionBy":{"uid":"A"},"actionOn":[\#(uids)],"receiverId":"\#(group)",\#
      "receiverType":"group","sentAt":\#(seconds)}
      """#,
      at: timestamp)
  }

  /// Writes a message, or a reply.
  func message(
    _ id: Int64, from sender: String = "A", in group: String = "g1", partition: Int32 = 0,
    parent: Int64 = 0, sentAt: Int64? = nil, at timestamp: Instant?? = nil,
    upstream: String? = nil
  ) {
    write(
      .messages, group, partition,
      #"""
      {"id":\#(id),"sender":{"uid":"\#(sender)"},"receiverId":"\#(group)",\#
      "parentMessageId":\#(parent),\#
      "receiverType":"group","category":"message","sentAt":\#(sentAt ?? seconds)}
      """#,
      at: timestamp, upstream: upstream)
  }

  /// Writes a cumulative read receipt.
  func read(
    upTo id: Int64, by uid: String, in group: String = "g1", partition: Int32 = 0,
    at timestamp: Instant?? = nil
  ) {
    write(
      .receipts, group, partition,
      #"""
      {"receiptType":"read","messageId":\#(id),"sender":{"uid":"\#(uid)"},\#
      "receiverId":"\#(group)","receiverType":"group","readAt":\#(seconds)}
      """#,
      at: timestamp)
  }

  /// Writes a read receipt for all that was sent up to a time, in seconds.
  func read(sentUpTo time: Int64, by uid: String, in group: String = "g1", partition: Int32 = 0) {
    write(
      .receipts, group, partition,
      #"""
      {"receiptType":"read","conversation":true,"sender":{"uid":"\#(uid)"},\#
      "receiverId":"\#(group)","receiverType":"group","readAt":\#(time)}
      """#)
  }

  /// Writes an exact read receipt.
  func read(exactly ids: [Int64], by uid: String, in group: String = "g1", partition: Int32 = 0) {
    write(
      .receipts, group, partition,
      #"""
      {"receiptType":"read","messageIds":\#(ids),"sender":{"uid":"\#(uid)"},\#
      "receiverId":"\#(group)","receiverType":"group","readAt":\#(seconds)}
      """#)
  }

  /// Messages of A to B that are read at once, behind a roster if they are the first, are applied.
  ///
  /// - Parameter worker: starts first.
  func traffic(_ ids: ClosedRange<Int64>, by worker: String? = nil) throws {
    if let worker { start(worker) }
    if ids.lowerBound == 2 { roster("AB") }
    for id in ids {
      message(id)
      read(upTo: id, by: "B")
    }
    try settle()
  }

  /// A worker starts, applies two such messages, and ends.
  func passingWorker() throws {
    try traffic(2...3, by: "w")
    stop("w")
  }

  /// A worker starts and applies a roster.
  @discardableResult
  func idleWorker() throws -> MemoryLog {
    let log = start("w")
    roster("AB")
    try settle()
    return log
  }

  /// The announcements of such messages.
  static func announced(_ ids: ClosedRange<Int64>) -> [String] {
    ids.flatMap { ["delivered g1 \($0) A", "read g1 \($0) A"] }
  }

  /// Writes what a changelog says of its partition; `bytes` may change it.
  func write(_ record: PartitionRecord, _ bytes: ([UInt8]) -> [UInt8] = { $0 }) throws {
    var records = EncodedRecords()
    StateCodec.encode(record, into: &records)
    let value = Array(records.bytes[try #require(records.records[0].value)])
    broker.append(.state, key: [0], value: bytes(value), timestamp: now)
  }

  /// Writes a record, now or with another timestamp or none, and in the open transaction of a
  /// backend where one is named.
  func write(
    _ topic: Topic, _ group: String, _ partition: Int32, _ value: String,
    at timestamp: Instant?? = nil, upstream: String? = nil
  ) {
    let (key, value) = (Array("group_\(group)".utf8), Array(value.utf8))
    let timestamp = timestamp ?? now
    if let upstream {
      broker.appendUpstream(
        upstream, topic, partition: partition, key: key, value: value, timestamp: timestamp)
    } else {
      broker.append(topic, partition: partition, key: key, value: value, timestamp: timestamp)
    }
  }

  /// The time, in seconds.
  var seconds: Int64 { now.milliseconds / 1000 }
}

/// What a reader of the output topics sees.
extension Pool {
  /// The announcements, such as `read g1 2 A`, in the order of the partitions' logs.
  var announcements: [String] {
    get throws {
      var found: [String] = []
      for partition in 0..<broker.partitionCount {
        for event in try events(partition) {
          guard let name = event["event"] as? String, name.hasSuffix("All"),
            let receipt = event["receipt"] as? [String: Any],
            let ids = receipt["messageIds"] as? [Int], let group = receipt["receiverId"] as? String,
            let to = (event["to"] as? [String: [String]])?["uids"]
          else { continue }
          let kind = name == "messagesReadByAll" ? "read" : "delivered"
          for id in ids { found.append("\(kind) \(group) \(id) \(to.joined())") }
        }
      }
      return found
    }
  }

  func events(_ partition: Int32 = 0) throws -> [[String: Any]] {
    try broker.committedRecords(.events, partition: partition).map { record in
      let value = try #require(record.value)
      return try #require(try JSONSerialization.jsonObject(with: Data(value)) as? [String: Any])
    }
  }

  /// What the changelog says last of its partition.
  func partitionRecord() throws -> PartitionRecord {
    let found = broker.committedRecords(.state).last { $0.key == [0] }
    return try #require(try PartitionRecord(key: found?.key?.span, value: found?.value?.span))
  }

  /// The codes in the rejections of a partition.
  func rejectedCodes(_ partition: Int32 = 0) -> [String] {
    broker.committedRecords(.rejected, partition: partition).map {
      $0.headers["error.code"] ?? "none"
    }
  }
}
