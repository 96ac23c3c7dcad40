package import Core

/// A header of a record.
package struct RecordHeader: Sendable {
  /// The header's name.
  package var name: StaticString
  /// The header's value.
  package var value: [UInt8]

  /// A header of a record.
  package init(name: StaticString, value: [UInt8]) {
    self.name = name
    self.value = value
  }
}

/// Records to be written, as ranges of one arena that is filled again and again.
package struct EncodedRecords: Sendable {
  /// One record; its key and value are ranges of `bytes`.
  package struct Record: Sendable {
    /// The topic it is written to.
    package var topic: Topic
    /// nil: the record has no key.
    package var key: Range<Int>?
    /// nil: the record has no value.
    package var value: Range<Int>?
    /// A range of `headers`.
    package var headers: Range<Int>
  }

  /// The arena.
  package internal(set) var bytes: [UInt8] = []
  /// The records, in the order in which they are to be written.
  package internal(set) var records: [Record] = []
  /// The headers of all records.
  package internal(set) var headers: [RecordHeader] = []

  /// No records.
  package init() {}

  /// Forgets everything but the memory it took.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    records.removeAll(keepingCapacity: true)
    headers.removeAll(keepingCapacity: true)
  }

  /// The bytes of a record's key, value and headers.
  package func size(of record: Record) -> Int {
    headers[record.headers].reduce((record.key?.count ?? 0) + (record.value?.count ?? 0)) {
      $0 + $1.name.utf8CodeUnitCount + $1.value.count
    }
  }

  /// Lends a record's key and value.
  package func withRecord<E: Error>(
    _ record: Record, _ body: (Span<UInt8>?, Span<UInt8>?) throws(E) -> Void
  ) throws(E) {
    let bytes = bytes.span
    // Spelled out, because an optional span cannot be made of an optional range.
    switch (record.key, record.value) {
    case (let key?, let value?): try body(bytes.extracting(key), bytes.extracting(value))
    case (let key?, nil): try body(bytes.extracting(key), nil)
    case (nil, let value?): try body(nil, bytes.extracting(value))
    case (nil, nil): try body(nil, nil)
    }
  }

  /// Adds a record without headers.
  mutating func append(_ topic: Topic, key: Range<Int>?, value: Range<Int>?) {
    records.append(Record(topic: topic, key: key, value: value, headers: 0..<0))
  }

  /// Appends what `write` appends to the arena, and says where it lies.
  mutating func append(_ write: (inout [UInt8]) -> Void) -> Range<Int> {
    let start = bytes.count
    write(&bytes)
    return start..<bytes.count
  }
}
