import Core
package import Wire

/// Producing and committing.
extension Worker {
  /// How often a call that asks to be made again is made; each takes as long as the log's own
  /// deadline, so that this many have used up any transaction's time.
  private static var attempts: Int { 8 }

  /// Produces what was encoded.
  func produce(
    _ records: EncodedRecords, for partition: Int32
  ) throws(LogFailure) {
    for index in records.records.indices {
      let record = records.records[index]
      if records.size(of: record) > configuration.maxOutputBytes {
        try divert(record, of: records, partition)
      } else {
        try produce(record, of: records, partition)
      }
    }
  }

  /// Produces pieces of state that have changed, as far as the rest of the step allows.
  ///
  /// - Returns: whether that was all of them.
  func writeChanges() throws(LogFailure) -> Bool {
    var budget = max(remainingWork, configuration.stepWork / 8)
    for partition in partitions where partition.isDirty {
      guard try writeChanges(of: partition, on: &budget) else { return false }
    }
    return true
  }

  /// Commits outputs, state and positions of all partitions that have moved, as one.
  func commit() throws(LogFailure) {
    while try !finishRecord(limit: .max) {}
    let moved = partitions.filter(\.isDirty)
    guard !moved.isEmpty else { return }
    var positions: [CommittedPosition] = []
    for partition in moved { positions.append(try writeRecord(of: partition)) }
    try retrying(orElse: .rebuild) { () throws(LogFailure) in try log.commit(positions) }
    for (partition, position) in zip(moved, positions) {
      partition.version += 1
      // The mark that ends a transaction is a record, too.
      partition.changelogEnd += 1
      partition.acknowledged = position
      partition.isDirty = false
      partition.unsavedStandstill = 0
      noteTakeover(of: partition)
    }
    report.occurrences.append(
      .committed(
        inputRecords: transaction.inputRecords, outputRecords: transaction.outputRecords,
        outputBytes: transaction.outputBytes))
    transaction.commit()
    recovery.succeed()
  }

  /// Produces pieces of state that have changed, as far as the budget lasts.
  private func writeChanges(
    of partition: Partition<Log>, on budget: inout Int
  ) throws(LogFailure) -> Bool {
    stateRecords = 0
    let whole = budget
    defer {
      partition.changelogEnd += stateRecords
      report.work += whole - budget
    }
    return try engine.drain(&partition.machine, &partition.tally, on: &budget) {
      piece throws(LogFailure) in
      try produce(piece, for: partition.number)
    }
  }

  /// Produces every piece of state that has changed and is not produced yet and, last, the
  /// partition's own record.
  private func writeRecord(
    of partition: Partition<Log>
  ) throws(LogFailure) -> CommittedPosition {
    var budget = Int.max
    while try !writeChanges(of: partition, on: &budget) {}
    stateRecords = 0
    defer { partition.changelogEnd += stateRecords }
    let record = partition.record(configuration)
    engine.encode(record)
    try produce(engine.records, for: partition.number)
    return CommittedPosition(
      partition: partition.number, offsets: record.nextOffsets.map { $0 }, metadata: record.metadata
    )
  }

  private func produce(
    _ record: EncodedRecords.Record, of records: EncodedRecords, _ partition: Int32
  ) throws(LogFailure) {
    let headers = Array(records.headers[record.headers])
    try retrying(orElse: .abort) { () throws(LogFailure) in
      try records.withRecord(record) { key, value throws(LogFailure) in
        try log.produce(
          record.topic, partition: partition, key: key, value: value, headers: headers)
      }
    }
    let size = records.size(of: record)
    transaction.addOutput(bytes: size)
    if record.topic == .state { stateRecords += 1 }
    report.outputRecords += 1
    report.outputBytes += size
  }

  /// Puts a rejection, without the value, in the place of an output that no topic takes: refused by
  /// the producer it would be missing without a trace.
  private func divert(
    _ record: EncodedRecords.Record, of records: EncodedRecords, _ partition: Int32
  ) throws(LogFailure) {
    let size = records.size(of: record)
    guard record.topic != .state else {
      let detail =
        "a piece of state of partition \(partition) has grown to \(size) bytes, more "
        + "than the changelog takes (\(configuration.maxOutputBytes))"
      throw LogFailure(.exit, label: LogFailure.stateTooLarge, detail: detail)
    }
    report.occurrences.append(
      .outputTooLarge(record.topic, partition: partition, bytes: size))
    let stub = engine.rejection(for: record, of: records)
    try produce(stub.records[0], of: stub, partition)
  }

  /// Makes a call again as often as its failure asks for it.
  func retrying(
    orElse disposition: LogFailure.Disposition, _ call: () throws(LogFailure) -> Void
  ) throws(LogFailure) {
    var failure: LogFailure?
    for _ in 0..<Self.attempts {
      do throws(LogFailure) {
        return try call()
      } catch {
        guard error.disposition == .again else { throw error }
        failure = error
      }
    }
    if var failure {
      failure.disposition = disposition
      throw failure
    }
  }
}

extension PartitionRecord {
  /// The note that lies beside the committed offset of the transaction that wrote this.
  package var metadata: String { "\(version) \(writer)" }
}
