package import Core

extension Encoder {
  /// A record of `chat.rejected`: key and value untouched, the reason and the source as headers.
  func append(_ rejected: Rejected, of outputs: Outputs, to records: inout EncodedRecords) {
    let key = rejected.key.map { key in
      records.append { $0.append(key, of: outputs) }
    }
    let value = rejected.value.map { value in
      records.append { $0.append(value, of: outputs) }
    }
    let firstHeader = records.headers.count
    let expectedKey = rejected.expectedKey.map { outputs.text[$0.range] }
    append(
      rejected.rejection, expectedKey: expectedKey, source: rejected.source, at: rejected.timestamp,
      to: &records)
    if let count = rejected.omittedBytes {
      records.appendHeader("source.bytes") { $0.append(decimal: count) }
    }
    if let count = rejected.omittedKeyBytes {
      records.appendHeader("source.keyBytes") { $0.append(decimal: count) }
    }
    records.records.append(
      EncodedRecords.Record(
        topic: .rejected, key: key, value: value, headers: firstHeader..<records.headers.count))
  }

  /// What stands in the place of an output that no topic takes: a rejection, without the value, of
  /// the input record that has caused it.
  package func encode(
    tooLarge record: EncodedRecords.Record, of records: EncodedRecords, source: Coordinates
  ) -> EncodedRecords {
    var stub = EncodedRecords()
    let key = record.key.map { key in
      stub.append { $0.append(contentsOf: records.bytes[key]) }
    }
    if record.topic == .rejected {
      stub.headers += records.headers[record.headers]
    } else {
      let rejection = Rejection(.recordTooLarge, message: "An output of this record is too large.")
      append(
        rejection, expectedKey: nil, source: source,
        at: source.timestamp ?? Instant(milliseconds: 0), to: &stub)
    }
    let omitted = record.value?.count ?? records.size(of: record)
    stub.appendHeader("source.bytes") { $0.append(decimal: omitted) }
    stub.records.append(
      EncodedRecords.Record(
        topic: .rejected, key: key, value: nil, headers: stub.headers.indices))
    return stub
  }

  private func append(
    _ rejection: Rejection, expectedKey: ArraySlice<UInt8>?, source: Coordinates,
    at timestamp: Instant, to records: inout EncodedRecords
  ) {
    records.appendHeader("error.code") { $0.append(contentsOf: rejection.code.rawValue.utf8) }
    records.appendHeader("error.message") {
      $0.append(rejection.message)
      if let expectedKey {
        $0.append(" They give ")
        $0.append(contentsOf: expectedKey)
        $0.append(".")
      }
    }
    if let field = rejection.field { records.appendHeader("error.field") { $0.append(field) } }
    records.appendHeader("source.topic") { $0.append(contentsOf: topicNames[source.topic].utf8) }
    records.appendHeader("source.partition") { $0.append(decimal: source.partition) }
    records.appendHeader("source.offset") { $0.append(decimal: source.offset) }
    records.appendHeader("source.timestamp") { $0.append(decimal: timestamp.milliseconds) }
  }
}

extension EncodedRecords {
  fileprivate mutating func appendHeader(
    _ name: StaticString, _ write: (inout [UInt8]) -> Void
  ) {
    var value: [UInt8] = []
    write(&value)
    headers.append(RecordHeader(name: name, value: value))
  }
}
