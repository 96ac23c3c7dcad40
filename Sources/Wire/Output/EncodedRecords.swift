/// Records to be written, as ranges of one arena that is filled again and again.
package struct EncodedRecords: Sendable {
  /// The topics that a worker writes.
  package enum Topic: UInt8, CaseIterable, Sendable {
    case events, actions, status, rejected, state
  }

  /// One record; its key, value and header values are ranges of `bytes`.
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

  /// A header of one record.
  package struct Header: Sendable {
    /// The header's name.
    package var name: StaticString
    /// A range of `bytes`.
    package var value: Range<Int>
  }

  /// The arena.
  package internal(set) var bytes: [UInt8] = []
  /// The records, in the order in which they are to be written.
  package internal(set) var records: [Record] = []
  /// The headers of all records.
  package internal(set) var headers: [Header] = []

  /// No records.
  package init() {}

  /// Forgets everything but the memory it took.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    records.removeAll(keepingCapacity: true)
    headers.removeAll(keepingCapacity: true)
  }

  /// Appends what `write` appends to the arena, and says where it lies.
  mutating func append(_ write: (inout [UInt8]) -> Void) -> Range<Int> {
    let start = bytes.count
    write(&bytes)
    return start..<bytes.count
  }
}
