import Core
import Worker

/// What a fetch has given in a simulation; notes which records are looked at.
final class SimulationBatch: RecordBatch {
  let memory: MemoryLog.Batch
  private unowned let log: SimulationLog
  /// The lane that was fetched last.
  var lane: Lane?

  init(_ memory: MemoryLog.Batch, of log: SimulationLog) {
    self.memory = memory
    self.log = log
  }

  var count: Int { memory.count }
  var reachedEnd: Bool { memory.reachedEnd }
  var endOffset: Int64? { log.seenEnd(of: memory, lane) }
  var nextOffset: Int64? { memory.nextOffset }
  func offset(_ index: Int) -> Int64 { memory.offset(index) }
  func timestamp(_ index: Int) -> Instant? { memory.timestamp(index) }

  /// Lends key and value of a record: the worker applies it.
  func withRecord<R>(_ index: Int, _ body: (Span<UInt8>?, Span<UInt8>?) -> R) -> R {
    if let lane { log.noteRecord(lane, memory.record(index)) }
    if lane?.topic == .state, let seen = log.blindness?.seen(memory.record(index)) {
      return body(memory.record(index).key?.span, seen.span)
    }
    return memory.withRecord(index, body)
  }
}
