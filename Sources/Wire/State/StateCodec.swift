package import Core

/// What one record of the changelog says.
package enum StateEntry: Equatable, Sendable {
  /// A piece of the machine's state.
  case change(Change)
  /// What the partition's last transaction wrote beside.
  case partition(PartitionRecord)
}

/// The form of the changelog.
///
/// A key is the kind of its piece, the conversation id after its length, and a number, such that
/// the keys of one kind and conversation stand in the numbers' order. A value is the version of
/// the form and then the whole piece; no value is a tombstone. One piece has one form only, so
/// equal states have equal bytes.
package enum StateCodec {
  /// The version of the form of pieces that this program writes; the partition's record has one of
  /// its own.
  package static let version: UInt8 = 1

  /// The kinds of pieces, in the order in which a fold applies them.
  enum Kind: UInt8 {
    case partition, conversation, member, message, marks, waiting, thread, position, deletion
  }

  /// Appends the record of a piece, or the tombstone of one that is gone.
  package static func encode(_ change: Change, into records: inout EncodedRecords) {
    let key = records.append { write(change.key, to: &$0) }
    let value: Range<Int>?
    if case .removed = change {
      value = nil
    } else {
      value = records.append { write(change, to: &$0) }
    }
    records.append(.state, key: key, value: value)
  }

  /// Appends the record of a piece and keeps count of the live ones.
  ///
  /// - Parameter isNew: the changelog has nothing under the piece's key yet.
  package static func encode(
    _ change: Change, isNew: Bool, into records: inout EncodedRecords, _ tally: inout StateTally
  ) {
    encode(change, into: &records)
    guard let key = records.records.last?.key else { return }
    if case .removed = change {
      tally.remove(key: records.bytes.span.extracting(key))
    } else if isNew {
      tally.add(key: records.bytes.span.extracting(key))
    }
  }

  /// Appends the record of the partition, which has one key only.
  package static func encode(_ partition: PartitionRecord, into records: inout EncodedRecords) {
    let key = records.append { $0.append(Kind.partition.rawValue) }
    let value = records.append { write(partition, to: &$0) }
    records.append(.state, key: key, value: value)
  }

  /// Reads a record of the changelog. The partition's record has no tombstone.
  package static func decode(
    key: [UInt8], value: [UInt8]?
  ) throws(StateError) -> StateEntry {
    var keyReader = StateReader(key)
    let kind = try readKind(&keyReader)
    guard let value else {
      let key = try readKey(kind, &keyReader)
      try keyReader.finish()
      return .change(.removed(key))
    }
    var reader = StateReader(value)
    let version = try reader.byte()
    let entry: StateEntry
    if kind == .partition {
      guard 1...partitionVersion ~= version else { throw .unknownVersion(version) }
      var record = PartitionRecord()
      try walk(&record, version: version, &reader)
      entry = .partition(record)
    } else {
      guard version == Self.version else { throw .unknownVersion(version) }
      entry = .change(try read(try readKey(kind, &keyReader), &reader))
    }
    try keyReader.finish()
    try reader.finish()
    return entry
  }

  /// Whether a key is that of the partition's own record.
  package static func isPartition(key: Span<UInt8>) -> Bool {
    key.count == 1 && key[0] == Kind.partition.rawValue
  }

  /// The id in the key of a conversation's piece; nil in any other key, and in one that is broken.
  static func conversation(inKey key: [UInt8]) -> [UInt8]? {
    var reader = StateReader(key)
    do throws(StateError) {
      switch try readKind(&reader) {
      case .partition, .waiting: return nil
      case .conversation, .member, .message, .marks, .thread, .position, .deletion:
        return try reader.counted()
      }
    } catch {
      // It is read again when it is decoded, and refused then.
      return nil
    }
  }

  /// The ticket in the key of a record that waits; nil in any other key.
  package static func waitingTicket(inKey key: [UInt8]) throws(StateError) -> Int64? {
    var reader = StateReader(key)
    guard try readKind(&reader) == .waiting else { return nil }
    return try reader.ordered()
  }

  private static func write(_ change: Change, to bytes: inout [UInt8]) {
    write(version, to: &bytes) { write(change, to: &$0) }
  }

  private static func write(_ partition: PartitionRecord, to bytes: inout [UInt8]) {
    var partition = partition
    write(partitionVersion, to: &bytes) { walk(&partition, version: partitionVersion, &$0) }
  }

  /// The writer takes the bytes and gives them back, so that nothing is copied.
  private static func write(
    _ version: UInt8, to bytes: inout [UInt8], _ body: (inout StateWriter) -> Void
  ) {
    var writer = StateWriter()
    swap(&bytes, &writer.bytes)
    writer.bytes.append(version)
    body(&writer)
    swap(&bytes, &writer.bytes)
  }

  private static func write(_ key: ChangeKey, to bytes: inout [UInt8]) {
    func write(_ kind: Kind, _ conversation: [UInt8]?, _ numbers: Int64...) {
      bytes.append(kind.rawValue)
      if let conversation { bytes.append(counted: conversation) }
      for number in numbers { bytes.append(ordered: number) }
    }
    switch key {
    case .conversation(let conversation): write(.conversation, conversation)
    case .member(let conversation, let slot): write(.member, conversation, Int64(slot))
    case .message(let conversation, let id): write(.message, conversation, id)
    case .marks(let conversation, let id): write(.marks, conversation, id)
    case .thread(let conversation, let parent): write(.thread, conversation, parent)
    case .position(let conversation, let slot, let parent):
      write(.position, conversation, Int64(slot), parent)
    case .deletion(let conversation, let id): write(.deletion, conversation, id)
    case .waiting(let ticket): write(.waiting, nil, ticket)
    }
  }

  private static func readKind(_ reader: inout StateReader) throws(StateError) -> Kind {
    let byte = try reader.byte()
    guard let kind = Kind(rawValue: byte) else { throw .unknownKind(byte) }
    return kind
  }

  private static func readKey(
    _ kind: Kind, _ reader: inout StateReader
  ) throws(StateError) -> ChangeKey {
    // What stands first in a call is read first.
    switch kind {
    case .partition: throw .malformed
    case .conversation: .conversation(try reader.counted())
    case .member: .member(try reader.counted(), slot: try readSlot(&reader))
    case .message: .message(try reader.counted(), id: try reader.ordered())
    case .marks: .marks(try reader.counted(), id: try reader.ordered())
    case .thread: .thread(try reader.counted(), parent: try reader.ordered())
    case .position:
      .position(
        try reader.counted(), slot: try readSlot(&reader), parent: try reader.ordered())
    case .deletion: .deletion(try reader.counted(), id: try reader.ordered())
    case .waiting: .waiting(ticket: try reader.ordered())
    }
  }

  private static func readSlot(_ reader: inout StateReader) throws(StateError) -> Int32 {
    guard let slot = Int32(exactly: try reader.ordered()), slot >= 0, slot < maxSlots else {
      throw .malformed
    }
    return slot
  }

  /// Slots are given out from 0 on; a broken one must not take the memory of all below it.
  private static let maxSlots: Int32 = 1 << 24
}
