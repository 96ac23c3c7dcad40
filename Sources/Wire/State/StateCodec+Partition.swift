import Core

/// The value of the partition's record.
///
/// Version 1 (of Rollcall 0.1.0) ends with the stream time. Version 2 goes on with what a takeover
/// checks; what it does not know it leaves out, as a flag says.
extension StateCodec {
  /// The version of the partition's record that this program writes.
  package static let partitionVersion: UInt8 = 2

  static func write(_ partition: PartitionRecord, to bytes: inout [UInt8]) {
    bytes.append(partitionVersion)
    bytes.append(zigzag: partition.version)
    bytes.append(counted: partition.writer.utf8)
    for offset in partition.nextOffsets { bytes.append(zigzag: offset) }
    bytes.append(partition.threads == .separate ? 1 : 0)
    bytes.append(zigzag: Int64(partition.partitionCount))
    bytes.append(zigzag: partition.nextTicket)
    write(partition.streamTime, to: &bytes)
    bytes.append(
      (partition.group == nil ? 0 : PartitionFlags.group)
        | (partition.rules == nil ? 0 : PartitionFlags.rules)
        | (partition.clockDistance == nil ? 0 : PartitionFlags.clockDistance)
        | (partition.tally == nil ? 0 : PartitionFlags.tally)
        | (partition.isClaim ? PartitionFlags.claim : 0))
    if let group = partition.group { bytes.append(counted: group.utf8) }
    if let rules = partition.rules {
      write(rules, to: &bytes)
      bytes.append(zigzag: partition.rulesSince)
    }
    if let distance = partition.clockDistance { bytes.append(zigzag: distance) }
    for applied in partition.lastApplied { write(applied, to: &bytes) }
    bytes.append(zigzag: partition.sequenceBase)
    for lost in partition.lostRecords { bytes.append(zigzag: lost) }
    for gaps in partition.gaps { bytes.append(zigzag: gaps) }
    if let tally = partition.tally {
      for count in tally.counts { bytes.append(zigzag: count) }
      bytes.append(fixed: tally.keySum)
    }
  }

  static func readPartition(
    _ version: UInt8, _ reader: inout StateReader
  ) throws(StateError) -> PartitionRecord {
    guard version == 1 || version == partitionVersion else { throw .unknownVersion(version) }
    var record = try readFirst(&reader)
    guard version >= 2 else { return record }
    let flags = try reader.flags(PartitionFlags.all)
    record.isClaim = flags & PartitionFlags.claim != 0
    if flags & PartitionFlags.group != 0 {
      guard let group = String(validating: try reader.counted(), as: UTF8.self) else {
        throw .malformed
      }
      record.group = group
    }
    if flags & PartitionFlags.rules != 0 {
      record.rules = try readRules(threads: record.threads, &reader)
      record.rulesSince = try reader.zigzag()
    }
    if flags & PartitionFlags.clockDistance != 0 { record.clockDistance = try reader.zigzag() }
    for index in record.lastApplied.indices { record.lastApplied[index] = try readApplied(&reader) }
    record.sequenceBase = try reader.zigzag()
    for index in record.lostRecords.indices { record.lostRecords[index] = try reader.zigzag() }
    for index in record.gaps.indices { record.gaps[index] = try reader.zigzag() }
    if flags & PartitionFlags.tally != 0 {
      var counts: [Int64] = []
      for _ in 0..<StateTally.kinds { counts.append(try reader.zigzag()) }
      record.tally = StateTally(counts: counts, keySum: try reader.fixed())
    }
    return record
  }

  /// What version 1 has.
  private static func readFirst(
    _ reader: inout StateReader
  ) throws(StateError) -> PartitionRecord {
    let version = try reader.zigzag()
    guard let writer = String(validating: try reader.counted(), as: UTF8.self) else {
      throw .malformed
    }
    var nextOffsets: [Int64] = []
    for _ in InputTopic.allCases { nextOffsets.append(try reader.zigzag()) }
    let isSeparate = try reader.flags(1) == 1
    let partitionCount = try reader.int32()
    let nextTicket = try reader.zigzag()
    let streamTime = try readInstant(&reader)
    return PartitionRecord(
      version: version, writer: writer, nextOffsets: nextOffsets, streamTime: streamTime,
      nextTicket: nextTicket, threads: isSeparate ? .separate : .inline,
      partitionCount: partitionCount)
  }

  /// All rules but `threads`, which version 1 has.
  private static func write(_ rules: Rules, to bytes: inout [UInt8]) {
    bytes.append(place(of: rules.leavers))
    bytes.append(place(of: rules.receiptEvents))
    bytes.append(place(of: rules.unreadEvents))
    bytes.append(rules.enhancedMessagingStatus ? 1 : 0)
    bytes.append(zigzag: Int64(rules.maxGroupMembers))
    bytes.append(zigzag: rules.trackingWindow)
    bytes.append(zigzag: rules.grace)
    bytes.append(zigzag: Int64(rules.maxWaitingPerConversation))
    bytes.append(zigzag: Int64(rules.maxWaitingPerPartition))
    bytes.append(zigzag: Int64(rules.maxRecordBytes))
  }

  private static func readRules(
    threads: Rules.Threads, _ reader: inout StateReader
  ) throws(StateError) -> Rules {
    var rules = Rules()
    rules.threads = threads
    rules.leavers = try readCase(&reader)
    rules.receiptEvents = try readCase(&reader)
    rules.unreadEvents = try readCase(&reader)
    rules.enhancedMessagingStatus = try reader.flags(1) == 1
    rules.maxGroupMembers = Int(try reader.zigzag())
    rules.trackingWindow = try reader.zigzag()
    rules.grace = try reader.zigzag()
    rules.maxWaitingPerConversation = Int(try reader.zigzag())
    rules.maxWaitingPerPartition = Int(try reader.zigzag())
    rules.maxRecordBytes = Int(try reader.zigzag())
    return rules
  }

  private static func place<Choice: CaseIterable & Equatable>(of choice: Choice) -> UInt8 {
    var place: UInt8 = 0
    for other in Choice.allCases {
      if other == choice { break }
      place += 1
    }
    return place
  }

  private static func readCase<Choice: CaseIterable>(
    _ reader: inout StateReader
  ) throws(StateError) -> Choice {
    let place = Int(try reader.byte())
    guard place < Choice.allCases.count else { throw .malformed }
    return Choice.allCases[Choice.allCases.index(Choice.allCases.startIndex, offsetBy: place)]
  }

  private static func write(_ applied: AppliedRecord?, to bytes: inout [UInt8]) {
    bytes.append(applied == nil ? 0 : 1)
    guard let applied else { return }
    bytes.append(zigzag: applied.offset)
    write(applied.timestamp, to: &bytes)
  }

  private static func readApplied(
    _ reader: inout StateReader
  ) throws(StateError) -> AppliedRecord? {
    guard try reader.flags(1) == 1 else { return nil }
    return AppliedRecord(offset: try reader.zigzag(), timestamp: try readInstant(&reader))
  }
}

extension PartitionRecord {
  /// Reads a record of the changelog; nil where it is a piece of state.
  package init?(key: Span<UInt8>?, value: Span<UInt8>?) throws(StateError) {
    guard let key, let value, StateCodec.isPartition(key: key) else { return nil }
    let entry = try StateCodec.decode(key: Array(copying: key), value: Array(copying: value))
    guard case .partition(let record) = entry else { return nil }
    self = record
  }
}

/// Which of its optional fields a partition's record has.
private enum PartitionFlags {
  static let group: UInt8 = 1
  static let rules: UInt8 = 2
  static let clockDistance: UInt8 = 4
  static let tally: UInt8 = 8
  static let claim: UInt8 = 16
  static let all: UInt8 = 31
}
