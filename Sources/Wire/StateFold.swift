package import Core

/// Folds a partition's changelog into a machine.
///
/// It takes the records in the order of the log and keeps the last one of each key, undecoded, so
/// that the whole log and the compacted one give the same; memory is bounded by the live state.
package struct StateFold {
  private var pieces: [[UInt8]: [UInt8]] = [:]
  /// What the live pieces are so far, to be held against what the partition's record says.
  package private(set) var tally = StateTally()
  /// The partition's own record, the last one so far.
  package private(set) var record: PartitionRecord?
  /// The group that was the first to claim the partition, where that is not confirmed yet by a
  /// later transaction.
  package private(set) var claimant: String?

  /// A fold that has taken nothing.
  package init() {}

  /// The number of live pieces so far.
  package var count: Int { pieces.count }

  /// Takes one record; one without a value is a tombstone.
  ///
  /// - Throws: where there is no key, or the partition's own record cannot be read.
  package mutating func take(key: Span<UInt8>?, value: Span<UInt8>?) throws(StateError) {
    guard let key else { throw .malformed }
    if let record = try PartitionRecord(key: key, value: value) {
      self.record = record
      claimant = record.isClaim ? claimant ?? record.group : nil
    }
    let name = Array(copying: key)
    if let value {
      if pieces.updateValue(Array(copying: value), forKey: name) == nil { tally.add(key: key) }
    } else if pieces.removeValue(forKey: name) != nil {
      tally.remove(key: key)
    }
  }

  /// Restores the machine. The fold is empty after that.
  ///
  /// - Returns: the machine, and what the last transaction wrote beside its state; nil where the
  ///   changelog does not have it.
  package mutating func finish(
    rules: Rules, partition: Int32
  ) throws(StateError) -> (machine: Machine, partition: PartitionRecord?) {
    var machine = Machine(partition: partition, rules: rules)
    var partitionRecord: PartitionRecord?
    var decoder = Decoder(ofWhatWaits: rules)
    // The order of a dictionary differs from process to process.
    for key in pieces.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      // Removed, so that the state does not lie in memory twice.
      let value = pieces.removeValue(forKey: key)
      switch try StateCodec.decode(key: key, value: value) {
      case .partition(let record):
        partitionRecord = record
      case .change(.waiting(let state)):
        machine.restore(.waiting(state), event: try event(state, &decoder))
      case .change(let change):
        machine.restore(change)
      }
    }
    machine.finishRestore(
      streamTime: partitionRecord?.streamTime, nextTicket: partitionRecord?.nextTicket ?? 0)
    return (machine, partitionRecord)
  }

  /// What a waiting record says, decoded again.
  private func event(
    _ state: WaitingState, _ decoder: inout Decoder
  ) throws(StateError) -> Event {
    var event = Event(coordinates: state.source)
    decoder.decode(state.source, key: state.key.span, value: state.value.span, into: &event)
    if case .invalid = event.body { throw .malformed }
    return event
  }
}

extension [UInt8] {
  /// Copies the bytes of a span.
  init(copying span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
  }
}
