package import Core
import Worker

/// What a fetch has given in a simulation; notes which records are looked at.
package final class SimulationBatch: RecordBatch {
  let memory: MemoryLog.Batch
  private unowned let log: SimulationLog
  /// The lane that was fetched last.
  var lane: Lane?

  init(_ memory: MemoryLog.Batch, of log: SimulationLog) {
    self.memory = memory
    self.log = log
  }

  /// The number of records.
  package var count: Int { memory.count }
  /// Whether the lane is read to its end after these records.
  package var reachedEnd: Bool { memory.reachedEnd }
  /// Where the lane really ends, open transactions included.
  package var endOffset: Int64? { log.seenEnd(of: memory, lane) }
  /// Where the lane goes on after these records.
  package var nextOffset: Int64? { memory.nextOffset }
  /// The offset of a record.
  package func offset(_ index: Int) -> Int64 { memory.offset(index) }
  /// The timestamp of a record.
  package func timestamp(_ index: Int) -> Instant? { memory.timestamp(index) }

  /// Lends key and value of a record: the worker applies it.
  package func withRecord<R>(_ index: Int, _ body: (Span<UInt8>?, Span<UInt8>?) -> R) -> R {
    if let lane { log.noteRecord(lane, memory.record(index)) }
    if lane?.topic == .state, let seen = log.blindness?.seen(memory.record(index)) {
      return body(memory.record(index).key?.span, seen.span)
    }
    return memory.withRecord(index, body)
  }
}
