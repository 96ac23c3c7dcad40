import Core
import Wire

/// A planted fault, which the checks have to find: something that a worker is to look at is kept
/// from it, so that it does as one that does not look.
enum SimulationBlindness: String, CaseIterable {
  /// How many pieces the state of a partition has.
  case tally
  /// Which records were applied last: a topic that was made anew looks like the former one.
  case landmarks
  /// How far the clock was ahead of stream time: stream time is moved on to the clock.
  case distance
  /// The rules that a state was made with.
  case rules
  /// That a topic has more partitions than before, or none.
  case counts
  /// That all inputs of a partition are read to their ends, as long as nothing comes.
  case silence

  /// What the worker sees of a record of the changelog; nil: the record itself.
  func seen(_ found: MemoryRecord) -> [UInt8]? {
    guard self != .counts, self != .silence, let key = found.key, let value = found.value,
      case .success(.partition(var record)) = StateCodec.decoded(key, value)
    else { return nil }
    switch self {
    case .tally: record.tally = nil
    case .landmarks: record.lastApplied = [nil, nil, nil]
    case .distance: record.clockDistance = 0
    case .rules: record.rules = nil
    case .counts, .silence: break
    }
    var records = EncodedRecords()
    StateCodec.encode(record, into: &records)
    return records.records.first?.value.map { Array(records.bytes[$0]) }
  }
}
